import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TimeSources } from './domain/clock.ts';

/** On a memory file system if there is one: the data need not survive. */
export function ephemeralFolder(): Disposable & { databaseUrl: string } {
  let folder: string;
  try {
    folder = mkdtempSync('/dev/shm/innkeeper-');
  } catch {
    folder = mkdtempSync(join(tmpdir(), 'innkeeper-'));
  }
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  return { databaseUrl: `sqlite:${join(folder, 'innkeeper.db')}`, [Symbol.dispose]: remove };
}

let offsetMs = 0;

/** Sets the offset from now on; 0 is the real time. */
export function moveTime(milliseconds: number): void {
  offsetMs = milliseconds;
}

export const movedTime: TimeSources = {
  wall: () => Date.now() + offsetMs,
  monotonic: () => performance.now() + offsetMs,
};
