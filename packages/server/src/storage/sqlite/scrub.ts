import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { type Scrub, type ScrubOutcome, StorageUnavailable } from '../port.ts';
import { damaged } from './errors.ts';

const LOOK_MS = 200;
/** The service may be moving the log into the file at this moment; readers release it soon. Half a second per try. */
const EMPTY_TRIES = 30;

export type ScrubData = { path: string; now: number; unlessSince: number | undefined; emptyTries: number };
export type ScrubMessage =
  | { begun: { wholeBytes: number } }
  | { done: ScrubOutcome }
  | { failed: string; isDamage: boolean };

/** SQLite's VACUUM is one long statement: it runs on its own thread, and the growth of the log shows the progress. */
export function sqliteScrub(path: string, { emptyTries = EMPTY_TRIES } = {}): Scrub {
  return async ({ now, unlessSince, onProgress }) => {
    const logBytes = (): number => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    const logBefore = logBytes();
    const workerData: ScrubData = { path, now, unlessSince, emptyTries };
    const worker = new Worker(new URL('./scrub-thread.ts', import.meta.url), { workerData });
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<ScrubOutcome>((resolve, reject) => {
        worker.on('message', (message: ScrubMessage) => {
          if ('done' in message) return resolve(message.done);
          if ('failed' in message) {
            const { failed, isDamage } = message;
            return reject(isDamage ? damaged(path, failed) : new StorageUnavailable(`SQLite: ${failed}`));
          }
          const { wholeBytes } = message.begun;
          const show = (): void => onProgress?.(Math.min(Math.max(0, logBytes() - logBefore), wholeBytes), wholeBytes);
          timer = setInterval(show, LOOK_MS).unref();
        });
        worker.once('error', reject);
        worker.once('exit', () => reject(new StorageUnavailable('The scrubbing thread has ended.')));
      });
    } finally {
      clearInterval(timer);
    }
  };
}

/** VACUUM writes a copy, then writes the copy into the log. */
const COPIES = 2;
const SPARE_BYTES = 16 * 1024 * 1024;

/** The free space that a scrub of a database with that many bytes requires. */
export function bytesForScrub(bytes: number): number {
  return COPIES * bytes + SPARE_BYTES;
}
