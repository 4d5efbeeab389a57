import { statSync } from 'node:fs';
import { GapBlanker } from './blank-gaps.ts';
import { type Connection, withoutWaiting } from './connection.ts';

/** How long what was erased may stay in the write-ahead log, and when to look again while a reader needs it. */
const EVERY_MS = 30_000;
const AGAIN_MS = 1_000;

/**
 * Empties the write-ahead log from time to time, then the gaps that it left in pages. SQLite writes its beginning over and leaves the rest as it was,
 * so that without this an erased text could stay there for as long as the service runs. What the command line or another
 * worker wrote counts too, so it is the file that is looked at.
 */
export function keepLogShort(connection: Connection, path: string, everyMs = EVERY_MS): void {
  const gaps = new GapBlanker(path);
  const look = (): void => {
    const wasEmpty = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0;
    if (!wasEmpty) gaps.noteWrites();
    const isEmpty = wasEmpty || truncateLog(connection);
    if (isEmpty && !gaps.isDone) gaps.run(connection);
    // The gaps of a large file take several goes: sooner ones while nobody writes.
    const isSoon = !isEmpty || (wasEmpty && !gaps.isDone);
    setTimeout(look, isSoon ? Math.min(AGAIN_MS, everyMs) : everyMs).unref();
  };
  setTimeout(look, everyMs).unref();
}

/** Into the file with all it holds; false when a reader or another writer stands in the way. */
export function truncateLog(connection: Connection): boolean {
  try {
    // Writes wait behind this: it does not wait for anybody.
    const checkpoint = connection.statement('pragma wal_checkpoint(truncate)');
    return withoutWaiting(connection, () => (checkpoint.get() as { busy: number }).busy === 0);
  } catch {
    // A full disk, say. Nothing is lost: the log stays as it was.
    return false;
  }
}
