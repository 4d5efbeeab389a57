import { readdirSync, readFileSync } from 'node:fs';
import { messageOf } from '../../caught.ts';
import { DatabaseDamaged, DatabaseRefused, StorageUnavailable } from '../port.ts';
import { identityOf } from './open-file.ts';

/** SQLITE_BUSY, LOCKED, NOMEM, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, NOTADB: the file or the machine, not the act. */
const UNAVAILABLE = new Set([5, 6, 7, 8, 10, 11, 13, 14, 26]);
/** BUSY: another process writes. */
const BUSY = 5;
/** READONLY, IOERR, FULL: a disk that does not accept writes. */
const UNWRITABLE = new Set([8, 10, 13]);
/** IOERR, CORRUPT, CANTOPEN, NOTADB: a file that cannot be read. */
const UNREADABLE = new Set([10, 11, 14, 26]);

/** CORRUPT, NOTADB. */
const DAMAGED = new Set([11, 26]);
/** IOERR_READ, SHORT_READ, DATA, CORRUPTFS: the disk does not return what was written. */
const UNREADABLE_PAGE = new Set([266, 522, 8202, 8458]);

export const isUnavailable = (error: unknown): boolean => UNAVAILABLE.has(primaryCode(error));
export const isUnwritable = (error: unknown): boolean => UNWRITABLE.has(primaryCode(error)) && !isDamage(error);
export const isBusy = (error: unknown): boolean => primaryCode(error) === BUSY;
export const isUnreadable = (error: unknown): boolean => UNREADABLE.has(primaryCode(error));

export function isDamage(error: unknown): boolean {
  return DAMAGED.has(primaryCode(error)) || UNREADABLE_PAGE.has(resultCode(error));
}

/** Where connections report damage they find, and learn what others found (damage-watch.ts). */
export type DamageReport = { readonly finding: string | undefined; note(reason: string, isPermanent?: boolean): void };
export const NO_DAMAGE: DamageReport = { finding: undefined, note: () => {} };

export function damaged(path: string, reason: string, cause?: unknown): DatabaseDamaged {
  return new DatabaseDamaged(`the database file ${path} is damaged: ${reason}.`, { cause });
}

/**
 * Runs `work` on the file at `path`. Errors caused by damage name the file; those caused by a lock name its likely
 * holder.
 */
export function namingFile<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isDamage(error)) throw damaged(path, messageOf(error), error);
    throw isBusy(error) ? locked(path) : error;
  }
}

export function locked(path: string): DatabaseRefused {
  return new DatabaseRefused(
    `${path} is locked by ${describeFileUsers(path)}.`,
    'A restore, scrub or import ends by itself: wait for it, then try again. If it hangs or was stopped, end it.',
  );
}

/** The error for the caller: StorageUnavailable if a retry can help, otherwise the defect itself. */
export function toPortError(error: unknown, path: string): unknown {
  if (isDamage(error)) return damaged(path, messageOf(error), error);
  return isUnavailable(error) ? new StorageUnavailable(`SQLite: ${messageOf(error)}`, { cause: error }) : error;
}

/** The low byte is the kind of error, the rest is the detail. */
export function primaryCode(error: unknown): number {
  return resultCode(error) & 0xff;
}

/** 0: not an error of SQLite. */
export function resultCode(error: unknown): number {
  const isCoded = typeof error === 'object' && error !== null && 'errcode' in error;
  return isCoded && typeof error.errcode === 'number' ? error.errcode : 0;
}

/** More names would hide the advice. */
const SHOWN = 3;
const MAX_NAME = 80;

/** Other processes that have the file open, if the system shows them: "process 4711 (innkeeper restore …)". */
function describeFileUsers(path: string): string {
  const identity = identityOf(path);
  const users = numbersIn('/proc')
    .filter((pid) => pid !== process.pid && numbersIn(`/proc/${pid}/fd`).some((fd) => isOpen(pid, fd, identity)))
    .map((pid) => `process ${pid}${commandOf(pid)}`);
  if (users.length === 0) return 'another process';
  const more = users.length > SHOWN ? ` and ${users.length - SHOWN} more` : '';
  return users.slice(0, SHOWN).join(', ') + more;
}

function numbersIn(folder: string): number[] {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger);
  } catch {
    // Another user's process, one that has ended, or a system without /proc.
    return [];
  }
}

function isOpen(pid: number, fd: number, identity: string | undefined): boolean {
  try {
    return identity !== undefined && identityOf(`/proc/${pid}/fd/${fd}`) === identity;
  } catch {
    return false;
  }
}

/** The command with only the start of its arguments, and without the interpreter's path. */
function commandOf(pid: number): string {
  try {
    const [, ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean);
    const words = args.filter((arg) => !arg.startsWith('-')).map((arg) => arg.split('/').at(-1));
    const name = words
      .slice(0, 3)
      .join(' ')
      .replace(/[^ -~]/g, '?')
      .slice(0, MAX_NAME);
    return name && ` (${name})`;
  } catch {
    return '';
  }
}
