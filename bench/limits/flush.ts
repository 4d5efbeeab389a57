import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const BYTES = 8_192;
/** The same positions are rewritten, because a growing file takes longer to flush. */
const PLACES = 1_000;
const PAUSE_MS = 2;

/** The 99th percentile of flushes of a few kilobytes on an idle disk: no write can be answered faster. */
export async function flushP99(folder: string, seconds: number): Promise<number> {
  const file = openSync(join(folder, 'flush'), 'w');
  try {
    writeSync(file, Buffer.alloc(PLACES * BYTES, 1));
    fdatasyncSync(file);
    const took: number[] = [];
    const end = performance.now() + seconds * 1000;
    for (let place = 0; performance.now() < end; place = (place + 1) % PLACES) {
      const before = performance.now();
      writeSync(file, Buffer.alloc(BYTES, place), 0, BYTES, place * BYTES);
      fdatasyncSync(file);
      took.push(performance.now() - before);
      await sleep(PAUSE_MS);
    }
    return took.toSorted((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? Number.NaN;
  } finally {
    closeSync(file);
  }
}
