import { statSync } from 'node:fs';
import { BUSY_MS, type Connection } from './connection.ts';

/** How long what was erased may stay in the write-ahead log, and when to look again while a reader needs it. */
const EVERY_MS = 30_000;
const AGAIN_MS = 1_000;

/**
 * Empties the write-ahead log from time to time. SQLite writes its beginning over and leaves the rest as it was,
 * so that without this an erased text could stay there for as long as the service runs. What the command line or another
 * worker wrote counts too, so it is the file that is looked at.
 */
export function keepLogShort(connection: Connection, path: string, everyMs = EVERY_MS): void {
  const look = (): void => {
    const isEmpty = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0;
    setTimeout(look, isEmpty || truncateLog(connection) ? everyMs : Math.min(AGAIN_MS, everyMs)).unref();
  };
  setTimeout(look, everyMs).unref();
}

/** Into the file with all it holds; false when a reader or another writer stands in the way. */
export function truncateLog({ database, statement }: Connection): boolean {
  // Writes wait behind this: it does not wait for anybody.
  database.exec('pragma busy_timeout = 0');
  try {
    return (statement('pragma wal_checkpoint(truncate)').get() as { busy: number }).busy === 0;
  } catch {
    // A full disk, say. Nothing is lost: the log stays as it was.
    return false;
  } finally {
    database.exec(`pragma busy_timeout = ${BUSY_MS}`);
  }
}
