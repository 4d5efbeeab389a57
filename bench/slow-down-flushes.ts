import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Applies to every process started from here on: services, limits and peers. */
export async function slowDownFlushes(folder: string, ms: number): Promise<void> {
  const library = join(folder, 'slow-flush.so');
  const source = join(import.meta.dirname, 'slow-flush.c');
  await promisify(execFile)('cc', ['-shared', '-fPIC', '-O2', '-o', library, source]);
  Object.assign(process.env, { LD_PRELOAD: library, SLOW_FLUSH_US: String(ms * 1000) });
}
