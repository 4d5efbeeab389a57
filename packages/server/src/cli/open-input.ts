import { fstatSync, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { UsageError } from './failure.ts';
import { fileProblem } from './file-problem.ts';

const CHUNK = 256 * 1024;

/** A file to read from start to end, or standard input. */
export type OpenInput = Disposable & {
  /** undefined if unknown, as for a pipe. */
  size: number | undefined;
  identity: { dev: number; ino: number };
  /** Ends without an error if the signal stops it. */
  bytes(signal: AbortSignal): AsyncGenerator<Buffer>;
  stop(): void;
};

export async function openInput(file: string): Promise<OpenInput> {
  const { stream, stats } = file === '-' ? { stream: process.stdin, stats: fstatSync(0) } : await openFile(file);
  return {
    size: stats.isFile() ? stats.size : undefined,
    identity: { dev: stats.dev, ino: stats.ino },
    async *bytes(signal) {
      try {
        yield* stream as AsyncIterable<Buffer>;
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
    stop: () => stream.destroy(),
    [Symbol.dispose]: () => stream.destroy(),
  };
}

async function openFile(file: string): Promise<{ stream: Readable; stats: Stats }> {
  try {
    const handle = await open(file);
    const stats = await handle.stat();
    if (!stats.isDirectory()) return { stream: handle.createReadStream({ highWaterMark: CHUNK }), stats };
    await handle.close();
    throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
  } catch (error) {
    const problem = fileProblem(error);
    if (!problem) throw error;
    throw new UsageError(`${file}: ${problem}.`, { wayOut: 'Choose an NDJSON file, or - for stdin.' });
  }
}
