import { randomBytes } from 'node:crypto';
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../caught.ts';
import { flushFolder } from '../file-names.ts';
import { printNote, visible } from './output.ts';

const startOf = (target: string): string => `${target}.partial-${hostname()}-`;

/**
 * The name of a file until it is complete: an incomplete file must not look complete. Containers that write to the same
 * folder have different host names, but often the same process id.
 */
export const partialPath = (target: string): string =>
  `${startOf(target)}${process.pid}-${randomBytes(4).toString('hex')}`;

/** Gives a complete and flushed file its name, which then survives a power failure too. */
export function nameCompleted(partial: string, target: string): void {
  renameSync(partial, target);
  try {
    flushFolder(dirname(target));
  } catch {
    // A folder that this user may only write to, or a file system that flushes no folders: the name is written later.
  }
}

/** Deletes an incomplete file, which is useless. */
export function removedWhenInterrupted(partial: string): Disposable {
  const end = (signal: NodeJS.Signals): void => {
    rmSync(partial, { force: true });
    process.exit(signal === 'SIGINT' ? 130 : 143);
  };
  process.once('SIGINT', end).once('SIGTERM', end);
  return {
    [Symbol.dispose]: () => {
      process.off('SIGINT', end).off('SIGTERM', end);
    },
  };
}

/**
 * Deletes incomplete copies of `target` that killed processes of this host left behind; `what` names such a process in
 * the message.
 */
export function removeLeftovers(options: { json?: true }, target: string, what: string): void {
  const start = startOf(basename(target));
  const folder = dirname(target);
  const left = namesIn(folder)
    .filter((name) => name.startsWith(start) && isOver(name.slice(start.length)))
    .map((name) => join(folder, name));
  for (const path of left) {
    try {
      rmSync(path);
      printNote(options, `removed ${visible(path)}, left by ${what} that was killed.`);
    } catch {
      // Another user's file: leave it.
    }
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Writing there will report the problem.
    return [];
  }
}

/** Containers reuse the same few process ids: a file with our own was left by an earlier process. */
function isOver(end: string): boolean {
  const [, pid] = /^([1-9][0-9]{0,9})-[0-9a-f]{8}$/.exec(end) ?? [];
  if (pid === undefined) return false;
  if (Number(pid) === process.pid) return true;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return codeOf(error) === 'ESRCH';
  }
}
