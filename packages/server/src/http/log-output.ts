import { destination } from 'pino';

/** Characters that are gathered here before pino's destination gets them, in one piece. */
const PIECE = 4096;
/** What it writes at once: as much as a pipe takes. */
const WRITTEN_BYTES = 64 * 1024;
/** A line is written after this time at the latest. */
const FLUSH_MS = 100;

/**
 * Standard output for lines of the log, gathered: a request never waits for whoever reads our output. pino's destination
 * copies all that it holds at every write, so lines go to it by the dozen.
 */
export function createLogOutput(): ReturnType<typeof destination> {
  const output = destination({
    dest: 1,
    sync: false,
    minLength: WRITTEN_BYTES - 1,
    maxWrite: WRITTEN_BYTES,
    periodicFlush: FLUSH_MS,
  });
  const { write, flush, flushSync } = output;
  let lines = '';
  const handOver = (): boolean => {
    const piece = lines;
    lines = '';
    return piece === '' || write.call(output, piece);
  };
  return Object.assign(output, {
    write(line: string): boolean {
      lines += line;
      return lines.length < PIECE || handOver();
    },
    flush(done?: (error?: Error) => unknown): void {
      handOver();
      flush.call(output, done);
    },
    /** When the process ends. Empty first, it begins no write that nobody would wait for: what is left here is too short. */
    flushSync(): void {
      flushSync.call(output);
      handOver();
      flushSync.call(output);
    },
  });
}
