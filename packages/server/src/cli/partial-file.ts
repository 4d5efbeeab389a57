import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Half a backup is of no use to anybody. */
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

/** What backups to this file left that were killed: half backups, as large as the database. Returns the paths. */
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
      // Another user's: it stays.
      return false;
    }
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Writing there says what is wrong.
    return [];
  }
}

/** Containers start with the same few numbers: what has ours was left by an earlier process. */
function isOver(pid: string): boolean {
  if (!/^[1-9][0-9]{0,9}$/.test(pid)) return false;
  if (Number(pid) === process.pid) return true;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
