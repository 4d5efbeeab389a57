import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import type { Contestant } from '../compare.ts';
import type { Loop, LoopResult } from './sqlite-loop.ts';
import { STORED_OPERATIONS } from './storage-acts.ts';

const FIRST_COUNT = 2_000;
let from = 0;

/** The same rows as the service's, written by a loop into a copy of its database: one per transaction, and 64. */
export function sqliteLimits(operation: string, databaseUrl: string, folder: string): Contestant[] {
  if (!STORED_OPERATIONS.includes(operation)) return [];
  const path = join(folder, `loop-${operation}.db`);
  const database = new DatabaseSync(databaseUrl.slice('sqlite:'.length));
  database.prepare('vacuum into ?').run(path);
  database.close();
  return [1, 64].map((perTransaction) => {
    let best = 0;
    return {
      name: `loop, ${perTransaction}`,
      async run(seconds) {
        const count = Math.ceil(best * seconds) || FIRST_COUNT;
        const loop: Loop = { path, operation, perTransaction, count, from };
        from += count;
        const args = [join(import.meta.dirname, 'sqlite-loop.ts'), JSON.stringify(loop)];
        const { stdout } = await promisify(execFile)(process.execPath, args);
        const taken = (JSON.parse(stdout) as LoopResult).seconds;
        best = Math.max(best, count / taken);
        return { seconds: taken, answered: count, rate: count / taken, p50: Number.NaN, p99: Number.NaN };
      },
    };
  });
}
