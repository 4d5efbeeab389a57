import { StorageUnavailable } from '../port.ts';

/** SQLITE_BUSY, LOCKED, NOMEM, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, NOTADB: the file or the machine, not the act. */
const UNAVAILABLE = new Set([5, 6, 7, 8, 10, 11, 13, 14, 26]);
/** BUSY: another process writes. */
const BUSY = 5;
/** READONLY, IOERR, FULL: of these, what comes of a disk that takes nothing. */
const UNWRITABLE = new Set([8, 10, 13]);
/** IOERR, CORRUPT, CANTOPEN, NOTADB: what comes of a file that cannot be read. */
const UNREADABLE = new Set([10, 11, 14, 26]);

export const isUnavailable = (error: unknown): boolean => UNAVAILABLE.has(primaryCode(error));
export const isBusy = (error: unknown): boolean => primaryCode(error) === BUSY;
export const isUnwritable = (error: unknown): boolean => UNWRITABLE.has(primaryCode(error));
export const isUnreadable = (error: unknown): boolean => UNREADABLE.has(primaryCode(error));

/** What the caller is told: StorageUnavailable where trying again later can help, otherwise the defect itself. */
export function toPortError(error: unknown): unknown {
  return isUnavailable(error) ? new StorageUnavailable(`SQLite: ${(error as Error).message}`, { cause: error }) : error;
}

function primaryCode(error: unknown): number {
  return ((error as { errcode?: number }).errcode ?? 0) & 0xff;
}
