import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../caught.ts';

/** Deletes an incomplete backup, which is useless. */
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
 * Deletes incomplete backups, as large as the database, that killed backups to this file left behind. Returns the
 * paths.
 */
export function removeLeftovers(target: string): string[] {
  const start = `${basename(target)}.partial-`;
  const folder = dirname(target);
  const left = namesIn(folder)
    .filter((name) => name.startsWith(start) && isOver(name.slice(start.length)))
    .map((name) => join(folder, name));
  return left.filter((path) => {
    try {
      rmSync(path);
      return true;
    } catch {
      // Another user's file: leave it.
      return false;
    }
  });
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
function isOver(pid: string): boolean {
  if (!/^[1-9][0-9]{0,9}$/.test(pid)) return false;
  if (Number(pid) === process.pid) return true;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return codeOf(error) === 'ESRCH';
  }
}
