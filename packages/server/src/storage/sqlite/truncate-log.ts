import { type Connection, waitingAtMost } from './connection.ts';
import type { OpenFile } from './open-file.ts';

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
