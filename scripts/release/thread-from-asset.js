// Only in the executable: threads are started from its assets, as there are no files. scripts/release/executable.js puts it in.
import { getAsset } from 'node:sea';
import { Worker } from 'node:worker_threads';

/** @param {string} name @param {import('node:worker_threads').WorkerOptions} options */
export function threadFromAsset(name, options) {
  return new Worker(getAsset(`threads/${name}.mjs`, 'utf8'), {
    ...options,
    eval: true,
    execArgv: ['--input-type=module'],
  });
}
