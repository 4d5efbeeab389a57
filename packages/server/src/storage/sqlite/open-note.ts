import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { codeOf } from '../../caught.ts';
import { DatabaseRefused } from '../port.ts';
import { identityOf } from './open-file.ts';

/**
 * A process that has the database open leaves a note next to it, and removes it after closing the file. SQLite deletes
 * the log when the last connection is closed, so a missing log is normal, unless there is a note of a process that has
 * ended.
 */
export type OpenNote = { remove(): void };

/**
 * `startedAt` tells apart processes with the same id, if the system has it; `database` and `log` identify the files by
 * device and inode.
 */
type Noted = {
  pid: number;
  startedAt: string | null;
  database: string | undefined;
  log?: string | undefined;
  /** When the database file was created: a new file may get the inode of a deleted one. */
  born?: string | undefined;
};

export function leaveNote(path: string): OpenNote {
  const note = join(dirname(path), `${prefixOf(path)}${randomBytes(8).toString('hex')}`);
  const { pid } = process;
  const [database, log, born] = [identityOf(path), identityOf(`${path}-wal`), birthTimeOf(path)];
  const noted: Noted = { pid, startedAt: startOf(pid), database, log, born };
  quietly(() => writeFileSync(note, JSON.stringify(noted), { mode: 0o600, flag: 'wx' }));
  return { remove: () => quietly(() => rmSync(note, { force: true })) };
}

/** Notes about this file by processes that ended without closing it. */
export function staleNotes(path: string): string[] {
  const database = identityOf(path);
  return readNotes(path)
    .filter(({ noted }) => noted.database === database && !isAlive(noted))
    .map(({ note }) => note);
}

/**
 * The note of a process that ended with this very log and another database: the log does not belong to the file next to
 * it. Compares only inodes, because a machine may renumber its devices; if all files were copied, the log is another
 * one too.
 */
function findNoteOfOtherLog(path: string): string | undefined {
  const [database, log] = [inodeOf(identityOf(path)), inodeOf(identityOf(`${path}-wal`))];
  if (log === undefined || database === undefined) return undefined;
  const ofLog = readNotes(path).filter(({ noted }) => inodeOf(noted.log) === log);
  const born = birthTimeOf(path);
  const isSame = ({ born: then }: Noted) => then === undefined || born === undefined || then === born;
  if (ofLog.some(({ noted }) => inodeOf(noted.database) === database && isSame(noted))) return undefined;
  return ofLog.find(({ noted }) => !isAlive(noted))?.note;
}

/** Called once the database is open with everything in its log. */
export function removeStaleNotes(path: string): void {
  for (const note of staleNotes(path)) quietly(() => rmSync(note, { force: true }));
}

/** undefined if the system does not store it, and returns the time of the last change or nothing. */
function birthTimeOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (!found || found.birthtimeNs === 0n || found.birthtimeNs === found.ctimeNs) return undefined;
  return String(found.birthtimeNs);
}

function inodeOf(identity: string | undefined): string | undefined {
  return identity?.split(':')[1];
}

function readNotes(path: string): { note: string; noted: Noted }[] {
  const notes: { note: string; noted: Noted }[] = [];
  let names: string[] = [];
  quietly(() => {
    names = readdirSync(dirname(path));
  });
  for (const name of names.filter((each) => each.startsWith(prefixOf(path)))) {
    const note = join(dirname(path), name);
    // Removed meanwhile, or not written completely.
    quietly(() => notes.push({ note, noted: JSON.parse(readFileSync(note, 'utf8')) as Noted }));
  }
  return notes;
}

/** Hidden, so that it is not among `innkeeper.db-*`. */
function prefixOf(path: string): string {
  return `.${basename(path)}.open-`;
}

function isAlive({ pid, startedAt }: Noted): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
  }
  return startOf(pid) === startedAt;
}

/** In ticks since the machine was started; null if the system does not say. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in parentheses, may contain anything.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

/** Ignores errors, such as a read-only folder: then there is no warning. */
function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // As above.
  }
}

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
