import { accessSync, closeSync, constants, existsSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { makeFolder } from '../../file-names.ts';
import type { OpenFile } from './open-file.ts';
import { refuseForeign, refuseOtherLog, removeStaleNotes } from './open-note.ts';

/** How long to wait for another process that is writing to the same file. */
const BUSY_MS = 5_000;
/** In KiB, for each connection. Enough for the inner pages of the trees; the system caches the others too. */
const [MIN_CACHE, MAX_CACHE] = [16 * 1024, 64 * 1024];
const CACHED_SHARE = 1 / 128;

type Statement<Row> = Pick<StatementSync, 'run' | 'columns'> & {
  get(...parameters: SQLInputValue[]): Row | undefined;
  all(...parameters: SQLInputValue[]): Row[];
  iterate(...parameters: SQLInputValue[]): IteratorObject<Row>;
};

export type Connection = {
  readonly database: DatabaseSync;
  readonly busyMs: number;
  /** Compiled once and cached by its text. `Row` describes what the text selects; nothing checks it. */
  statement<Row>(sql: string): Statement<Row>;
  /** The same with rows as arrays, which take half the time of objects: for frequent reads. */
  rows<Row extends unknown[]>(sql: string): Statement<Row>;
  /** The first column of the first row. */
  value<Value>(sql: string, ...parameters: SQLInputValue[]): Value;
  /** `read` sees one snapshot, even if others commit meanwhile. */
  snapshot<T>(read: () => T): T;
  close(): void;
};

export function connectToWrite(path: string, busyMs = BUSY_MS): Connection {
  makeFolder(dirname(path));
  // SQLite gives its other files the mode of this one: readable by the owner only.
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  // SQLite would only report that it cannot open the file; the system knows why, for example a read-only file system.
  for (const written of [path, dirname(path)]) accessSync(written, constants.R_OK | constants.W_OK);
  const hadLog = existsSync(`${path}-wal`);
  refuseOtherLog(path);
  const connection = connect(new DatabaseSync(path, { timeout: busyMs, enableForeignKeyConstraints: true }), busyMs);
  try {
    refuseForeign(connection.database, path);
  } catch (error) {
    connection.close();
    throw error;
  }
  // FULL: the write-ahead log is flushed before commit returns. Never to be traded for speed.
  connection.database.exec(`pragma journal_mode = wal; pragma synchronous = full; ${pageCache(path)}`);
  // Overwrites deleted data instead of only freeing its pages.
  connection.database.exec('pragma secure_delete = on');
  // Finds some damage when a page is read, before anything is written to it.
  connection.database.exec('pragma cell_size_check = on');
  // What a killed process had written is in the log, and so in the database from here on.
  if (hadLog) removeStaleNotes(path);
  return connection;
}

/** For work that can also be done later: fails if the lock is held for longer. */
export function waitingAtMost<T>(connection: Connection, ms: number, work: () => T): T {
  const before = connection.value<number>('pragma busy_timeout');
  setBusyTimeout(connection, ms);
  try {
    return work();
  } finally {
    setBusyTimeout(connection, before);
  }
}

export function setBusyTimeout({ database, busyMs }: Connection, ms = busyMs): void {
  database.exec(`pragma busy_timeout = ${ms}`);
}

export function connectToRead(path: string): Connection {
  const connection = connect(new DatabaseSync(path, { timeout: BUSY_MS, readOnly: true }), BUSY_MS);
  // Not mapped into memory: a page that the disk cannot return would end the process by SIGBUS (docs/decisions/0039).
  connection.database.exec(`pragma query_only = on; pragma mmap_size = 0; ${pageCache(path)}`);
  return connection;
}

function pageCache(path: string): string {
  const share = Math.round((statSync(path).size * CACHED_SHARE) / 1024);
  return `pragma cache_size = -${Math.min(Math.max(MIN_CACHE, share), MAX_CACHE)}`;
}

function connect(database: DatabaseSync, busyMs: number): Connection {
  const kept = (returnArrays: boolean) => {
    const statements = new Map<string, StatementSync>();
    return <Row>(sql: string) => {
      let compiled = statements.get(sql);
      if (!compiled) {
        compiled = database.prepare(sql);
        compiled.setReturnArrays(returnArrays);
        statements.set(sql, compiled);
      }
      return compiled as unknown as Statement<Row>;
    };
  };
  const [statement, rows] = [kept(false), kept(true)];
  return {
    database,
    busyMs,
    statement,
    rows,
    value: <Value>(sql: string, ...parameters: SQLInputValue[]) => rows<[Value]>(sql).get(...parameters)?.[0] as Value,
    snapshot(read) {
      if (database.isTransaction) return read();
      statement('begin').run();
      try {
        return read();
      } finally {
        statement('rollback').run();
      }
    },
    close: () => database.close(),
  };
}

/** How long erased data may stay in the write-ahead log, and the retry interval while a reader needs it. */
const EVERY_MS = 30_000;
const AGAIN_MS = 1_000;
/** From this size on, emptying the log waits for others, this long and this often; below it, it never waits. */
const LONG_LOG = 64 * 1024 * 1024;
const WAIT_MS = 400;
const WAIT_EVERY_MS = 10_000;

/**
 * Empties the write-ahead log every 30 seconds. SQLite overwrites its beginning and leaves the rest, so without this,
 * erased text could stay there for as long as the service runs. The command line and other workers write to it too, so
 * the size of the file decides.
 */
export function keepLogShort(
  connection: Connection,
  file: OpenFile,
  { everyMs = EVERY_MS, longLog = LONG_LOG }: { everyMs?: number | undefined; longLog?: number | undefined } = {},
): void {
  let waitedAt = Number.NEGATIVE_INFINITY;
  const look = (): void => {
    let isEmpty = false;
    try {
      const bytes = file.logBytes();
      const now = performance.now();
      const waits = bytes >= longLog && now - waitedAt >= WAIT_EVERY_MS;
      if (waits) waitedAt = now;
      isEmpty = bytes === 0 || truncateLog(connection, file, waits ? WAIT_MS : 0);
    } catch {
      // The folder cannot be searched: retried like the rest.
    }
    setTimeout(look, isEmpty ? everyMs : Math.min(AGAIN_MS, everyMs)).unref();
  };
  setTimeout(look, everyMs).unref();
}

/**
 * Moves the log into the database file. False if a reader or another writer blocks that for longer than `waitMs`,
 * during which no one can write, or if the file is not the open one.
 */
export function truncateLog(connection: Connection, file: OpenFile, waitMs = 0): boolean {
  try {
    if (file.mismatch()) return false;
    return waitingAtMost(connection, waitMs, () => connection.value('pragma wal_checkpoint(truncate)') === 0);
  } catch {
    // For example, a full disk. Nothing is lost: the log is unchanged.
    return false;
  }
}
