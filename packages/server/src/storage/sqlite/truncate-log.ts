import { type Connection, waitingAtMost } from './connection.ts';
import type { OpenFile } from './open-file.ts';

/** How long erased data may stay in the write-ahead log, and when to try again while a reader needs it. */
const EVERY_MS = 30_000;
const AGAIN_MS = 1_000;
/** From this size on emptying the log waits for others, this long and this often; until then it waits for nobody. */
const LONG_LOG = 64 * 1024 * 1024;
const WAIT_MS = 400;
const WAIT_EVERY_MS = 10_000;

/**
 * Empties the write-ahead log every 30 seconds. SQLite overwrites its beginning and leaves the rest as it was, so without this
 * an erased text could stay there for as long as the service runs. The command line and other workers write to it too, so the
 * size of the file decides.
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
      // The folder cannot be searched: tried again like the rest.
    }
    setTimeout(look, isEmpty ? everyMs : Math.min(AGAIN_MS, everyMs)).unref();
  };
  setTimeout(look, everyMs).unref();
}

/**
 * Moves all that the log holds into the database file; false when a reader or another writer is in the way for longer than
 * `waitMs`, during which nobody can write, or when the file is not the one that is open.
 */
export function truncateLog(connection: Connection, file: OpenFile, waitMs = 0): boolean {
  try {
    if (file.mismatch()) return false;
    return waitingAtMost(connection, waitMs, () => connection.value('pragma wal_checkpoint(truncate)') === 0);
  } catch {
    // A full disk, say. Nothing is lost: the log stays as it was.
    return false;
  }
}
