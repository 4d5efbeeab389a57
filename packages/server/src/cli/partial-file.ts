import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../caught.ts';
import { visible } from './output.ts';

/** The name of a file until it is complete: a part must not look like the whole. */
export const partialPath = (target: string): string => `${target}.partial-${process.pid}`;

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

/** Deletes incomplete files that killed processes which wrote this file left behind; `what` they were, for the message. */
export function removeLeftovers(target: string, what: string): void {
  const start = `${basename(target)}.partial-`;
  const folder = dirname(target);
  const left = namesIn(folder)
    .filter((name) => name.startsWith(start) && isOver(name.slice(start.length)))
    .map((name) => join(folder, name));
  for (const path of left) {
    try {
      rmSync(path);
      process.stderr.write(`innkeeper: removed ${visible(path)}, left by ${what} that was killed.\n`);
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
