// Only in the executable: starts threads from its assets, because there are no files. Added by
// scripts/release/executable.js.
import { getAsset } from 'node:sea';
import { Worker } from 'node:worker_threads';

/** @param {string} name @param {import('node:worker_threads').WorkerOptions} [options] */
export function threadFromAsset(name, options) {
  return new Worker(getAsset(`threads/${name}.mjs`, 'utf8'), {
    ...options,
    eval: true,
    execArgv: ['--input-type=module'],
  });
}
