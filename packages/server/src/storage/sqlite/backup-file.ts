import { chmodSync, closeSync, copyFileSync, fstatSync, fsyncSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../../caught.ts';
import {
  BackupDamaged,
  type BackupFile,
  type BackupFiles,
  type BackupManifest,
  BackupUnwritable,
  type NewBackupFile,
  type OpenedBackup,
  RowsContradict,
  type TableSummary,
} from '../port.ts';
import { rowInserter, rowPages, tableShapes } from './dump.ts';
import { isUnwritable, primaryCode } from './errors.ts';
import { LATEST_MIGRATION, migrate } from './migrations.ts';

/** "Inkb", for programs that identify files by their contents. */
const APPLICATION_ID = 0x496e6b62;
const MANIFEST = `
  create table backup (format integer not null, version text not null, made_at integer not null, source text not null) strict;
  create table backup_tables (name text primary key, row_count integer not null, hash text not null) strict, without rowid;
  pragma application_id = ${APPLICATION_ID};
`;
const SQLITE_CONSTRAINT = 19;
const SQLITE_NOTADB = 26;

/** A SQLite database with the tables of the service and a manifest. */
export const backupFiles: BackupFiles = { create: (path) => createBackupFile(path), open: openBackupFile };

/** `schema`: an older one, for tests. */
export function createBackupFile(path: string, schema = LATEST_MIGRATION): NewBackupFile {
  closeSync(openSync(path, 'wx', 0o600));
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  const discard = (): void => {
    if (database.isOpen) database.close();
    rmSync(path, { force: true });
  };
  const write = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      discard();
      const { errstr, message } = error as { errstr?: string; message: string };
      if (primaryCode(error) === SQLITE_CONSTRAINT) throw new RowsContradict(message, { cause: error });
      throw new BackupUnwritable(errstr ?? message, { cause: error });
    }
  };
  const { tables, inserters, indexes } = write(() => beginBackup(database, schema));
  return {
    tables,
    add: ({ name }, rows) => write(() => inserters.get(name)?.(rows)),
    finish: (manifest) =>
      write(() => {
        for (const sql of indexes) database.exec(sql);
        writeManifest(database, manifest);
        database.exec('commit');
        database.close();
        flush(path);
      }),
    discard,
  };
}

function beginBackup(database: DatabaseSync, schema: number) {
  // A partial file is discarded and a complete one flushed at the end: nothing in between has to survive.
  database.exec('pragma journal_mode = memory; pragma synchronous = off; pragma locking_mode = exclusive');
  migrate(database, schema);
  const made = database.prepare(`select name, sql from sqlite_schema where type = 'index' and sql is not null`).all();
  database.exec('begin');
  // Created at the end, from existing rows, indexes cost a fraction.
  for (const { name } of made) database.exec(`drop index "${name}"`);
  const tables = tableShapes(database);
  const inserters = new Map(tables.map((table) => [table.name, rowInserter(database, table)]));
  return { tables, inserters, indexes: made.map(({ sql }) => sql as string) };
}

function writeManifest(
  database: DatabaseSync,
  { version, madeAt, source, tables }: Omit<BackupManifest, 'schema'>,
): void {
  database.exec(MANIFEST);
  database.prepare('insert into backup values (1, ?, ?, ?)').run(version, madeAt, source);
  const insert = database.prepare('insert into backup_tables values (?, ?, ?)');
  for (const { name, rows, hash } of tables) insert.run(name, rows, hash);
}

function openBackupFile(path: string): OpenedBackup {
  // SQLite reports a missing file, an unreadable one and a folder the same way.
  const descriptor = openSync(path, 'r');
  const isFolder = fstatSync(descriptor).isDirectory();
  closeSync(descriptor);
  if (isFolder) throw Object.assign(new Error(`${path} is a folder`), { code: 'EISDIR', path });
  const database = new DatabaseSync(path, { readOnly: true });
  let opened: OpenedBackup | undefined;
  try {
    opened = readBackup(database, path);
    return opened;
  } catch (error) {
    if (primaryCode(error) === SQLITE_NOTADB) return { outcome: 'foreign' };
    if (primaryCode(error) !== 0) return { outcome: 'damaged' };
    throw error;
  } finally {
    if (opened?.outcome !== 'opened') database.close();
  }
}

function readBackup(database: DatabaseSync, path: string): OpenedBackup {
  const id = database.prepare('pragma application_id').get()?.application_id;
  const entries = database.prepare('select type, name from sqlite_schema').all();
  if (id !== APPLICATION_ID || !entries.some(({ name }) => name === 'backup_tables')) return { outcome: 'foreign' };
  // We never create triggers or views, and they could run code.
  if (entries.some(({ type }) => type === 'trigger' || type === 'view')) return { outcome: 'foreign' };
  const about = database.prepare('select format, version, made_at as madeAt, source from backup').get() as
    | ({ format: number } & Omit<BackupManifest, 'schema' | 'tables'>)
    | undefined;
  if (!about) return { outcome: 'damaged' };
  const { format, ...facts } = about;
  const schema = database.prepare('pragma user_version').get()?.user_version as number;
  if (format !== 1 || schema > LATEST_MIGRATION) {
    return { outcome: 'newer', version: facts.version, schema, latest: LATEST_MIGRATION };
  }
  const listed = database.prepare('select name, row_count as rows, hash from backup_tables').all() as TableSummary[];
  const manifest = { ...facts, schema, tables: listed };
  if (schema === LATEST_MIGRATION && !isCurrent(database)) return { outcome: 'damaged' };
  const file: BackupFile = {
    ...toRead(database),
    manifest,
    upgraded: () => (schema === LATEST_MIGRATION ? file : upgradedCopy(path, manifest)),
  };
  return { outcome: 'opened', file };
}

function toRead(database: DatabaseSync): Pick<BackupFile, 'tables' | 'rows' | 'close'> {
  const pages = rowPages(database);
  return {
    tables: tableShapes(database),
    async *rows(table) {
      try {
        yield* pages(table);
      } catch (error) {
        throw new BackupDamaged(messageOf(error), { cause: error });
      }
    },
    close() {
      if (database.isOpen) database.close();
    },
  };
}

/** In the folder for temporary files, because that of the backup may be read-only. */
function upgradedCopy(path: string, manifest: BackupManifest): BackupFile {
  let folder = tmpdir();
  let database: DatabaseSync | undefined;
  const remove = (): void => {
    database?.close();
    if (folder !== tmpdir()) rmSync(folder, { recursive: true, force: true });
  };
  try {
    folder = mkdtempSync(join(folder, 'innkeeper-restore-'));
    const copy = join(folder, 'upgraded.db');
    copyFileSync(path, copy);
    chmodSync(copy, 0o600);
    database = new DatabaseSync(copy);
    database.exec('pragma journal_mode = memory; pragma synchronous = off');
    migrate(database);
    if (!isCurrent(database)) throw new BackupDamaged('its tables are not those of Innkeeper');
    const file: BackupFile = { ...toRead(database), manifest, upgraded: () => file, close: remove };
    return file;
  } catch (error) {
    remove();
    // The rows of the backup were read before: what fails now is the copy.
    if (isUnwritable(error) || isSystemError(error)) {
      throw new BackupUnwritable(`no copy of it fits into ${tmpdir()} (${messageOf(error)})`, { cause: error });
    }
    if (primaryCode(error) === 0) throw error;
    throw new BackupDamaged(messageOf(error), { cause: error });
  }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

function isCurrent(database: DatabaseSync): boolean {
  const fresh = new DatabaseSync(':memory:');
  try {
    migrate(fresh);
    return JSON.stringify(tableShapes(fresh)) === JSON.stringify(tableShapes(database));
  } finally {
    fresh.close();
  }
}

function flush(path: string): void {
  const descriptor = openSync(path, 'r+');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
