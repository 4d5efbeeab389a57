import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { DatabaseRefused } from '../port.ts';
import { findNoteOfOtherLog } from './open-note.ts';

/** Called before SQLite opens the file: it would write another database's log into it. */
export function refuseOtherLog(path: string): void {
  const log = `${path}-wal`;
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  const note = findNoteOfOtherLog(path);
  if (note === undefined) return;
  throw new DatabaseRefused(
    `the write-ahead log ${log} belongs to another file than ${path}: that was replaced after a process that used it was killed. Opening it would damage it. Nothing was changed.`,
    `Move the right database back to ${path}. To use the file that is there now, without the writes in the log, move ${log} and ${path}-shm away. If it is a copy of the right one, made after the process was killed, delete ${note}.`,
  );
}

/** Called before anything is written: the database may belong to another program. */
export function refuseForeign(database: DatabaseSync, path: string): void {
  const version = database.prepare('pragma user_version').get()?.user_version;
  const id = database.prepare('pragma application_id').get()?.application_id;
  const tables = database.prepare("select name from sqlite_schema where type = 'table'").all();
  const isNew = version === 0 && tables.length === 0;
  const isOurs = version !== 0 && tables.some(({ name }) => name === FIRST_TABLE);
  if (id === 0 && (isNew || isOurs)) return;
  throw new DatabaseRefused(
    `${path} is not an Innkeeper database. Nothing was changed.`,
    'Check the path in INNKEEPER_DATABASE_URL. A backup is restored with: innkeeper restore FILE',
  );
}

/** Created by the first migration, together with the version: a file with tables but without this one is not ours. */
export const FIRST_TABLE = 'application_secrets';
