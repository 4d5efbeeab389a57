import cluster from 'node:cluster';
import { constants, fstatSync, openSync, write, writeSync } from 'node:fs';

/** Maximum bytes waiting to be written. Lines beyond it are dropped and counted. */
const MAX_BYTES = 4 * 1024 * 1024;
/** A line is written after this time at the latest. */
const FLUSH_MS = 100;
/** Bytes per write. Workers share a pipe and stay within its atomic size (PIPE_BUF), or their lines would interleave. */
const PIECE_BYTES = { alone: 64 * 1024, shared: 4096 };
/** The longest pause before a retry: a full pipe drains soon, a full disk does not. */
const RETRY_MS = { full: 100, failing: 1_000 };
/** How long the process waits for the log when it exits. */
const FLUSH_SYNC_MS = 500;
/** Enough for a write in flight. */
const IN_FLIGHT_MS = 20;

type Gap = { lines: number; since: number };

/**
 * Standard output for the log. A full disk or a reader that has stopped or gone never blocks the event loop, throws or
 * ends the process: lines wait in order up to a limit, and dropped lines are reported once the log can be written
 * again.
 */
export class LogOutput {
  readonly #fd: number;
  readonly #pieceBytes: number;
  /** Lines not yet in a piece. */
  #lines = '';
  /** The first may be in flight. */
  #pieces: Buffer[] = [];
  #pieceBytesHeld = 0;
  #inFlight = false;
  #timer: NodeJS.Timeout | undefined;
  /** Failed tries since the last success. */
  #failures = 0;
  #lastError = '';
  #gaveUp = false;
  #gap: Gap | undefined;
  #onDrained: (() => void) | undefined;
  droppedLines = 0;

  constructor(fd: number, pieceBytes: number) {
    this.#fd = fd;
    this.#pieceBytes = pieceBytes;
  }

  write(line: string): void {
    const held = this.#pieceBytesHeld + this.#lines.length;
    // After a gap, wait until half of the buffer is free: then one report covers many lines.
    if (held + line.length > (this.#gap ? MAX_BYTES / 2 : MAX_BYTES)) {
      this.#gap ??= { lines: 0, since: Date.now() };
      this.#gap.lines++;
      this.droppedLines++;
      return;
    }
    if (this.#gap) this.#reportGap(this.#gap);
    this.#append(line);
  }

  /** Writes what is buffered, for at most this long. Always resolves. */
  async drain(milliseconds: number): Promise<void> {
    this.#seal();
    if (this.#pieces.length === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const deadline = setTimeout(() => {
      this.#gaveUp = true;
      resolve();
    }, milliseconds);
    this.#onDrained = resolve;
    this.#writeNext();
    await promise;
    clearTimeout(deadline);
    this.#onDrained = undefined;
  }

  /** Called when the process exits, and by pino after a fatal line. */
  flushSync(): void {
    this.#seal();
    // The thread pool finishes a write in flight before the process exits.
    const first = this.#inFlight ? 1 : 0;
    if (first === 1) pause(IN_FLIGHT_MS);
    const deadline = performance.now() + (this.#gaveUp ? 0 : FLUSH_SYNC_MS);
    while (this.#pieces.length > first) {
      try {
        this.#advance(first, writeSync(this.#fd, this.#pieces[first] as Buffer));
      } catch {
        this.#gaveUp = performance.now() >= deadline;
        if (this.#gaveUp) return;
        pause(10);
      }
    }
  }

  #append(line: string): void {
    if (this.#lines.length + line.length > this.#pieceBytes) this.#seal();
    this.#lines += line;
    if (this.#lines.length >= this.#pieceBytes) this.#seal();
    if (this.#pieces.length > 0 && this.#failures === 0) this.#writeNext();
    else this.#timer ??= setTimeout(() => this.#writeNext(), FLUSH_MS).unref();
  }

  #seal(): void {
    if (this.#lines === '') return;
    const piece = Buffer.from(this.#lines);
    this.#lines = '';
    this.#pieces.push(piece);
    this.#pieceBytesHeld += piece.length;
  }

  #writeNext(): void {
    if (this.#inFlight) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pieces.length === 0) this.#seal();
    const [piece] = this.#pieces;
    if (!piece) {
      this.#onDrained?.();
      return;
    }
    this.#inFlight = true;
    // In the thread pool: a disk can be slow without being full.
    write(this.#fd, piece, (error, written) => {
      this.#inFlight = false;
      if (error) this.#retryLater(error);
      else this.#continue(written);
    });
  }

  #continue(written: number): void {
    this.#failures = 0;
    this.#gaveUp = false;
    this.#advance(0, written);
    if (this.#pieces.length === 0 && this.#gap) this.#reportGap(this.#gap);
    if (this.#pieces.length > 0 || this.#onDrained) this.#writeNext();
    else if (this.#lines !== '') this.#timer ??= setTimeout(() => this.#writeNext(), FLUSH_MS).unref();
  }

  #retryLater({ code }: NodeJS.ErrnoException): void {
    this.#lastError = code ?? '';
    const longest = code === 'EAGAIN' ? RETRY_MS.full : RETRY_MS.failing;
    const delay = Math.min(2 ** ++this.#failures, longest);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#writeNext(), delay).unref();
  }

  /** A write may be partial: the rest of the line comes next. */
  #advance(index: number, written: number): void {
    const piece = this.#pieces[index] as Buffer;
    this.#pieceBytesHeld -= written;
    if (written === piece.length) this.#pieces.splice(index, 1);
    else this.#pieces[index] = piece.subarray(written);
  }

  #reportGap({ lines, since }: Gap): void {
    this.#gap = undefined;
    const report = {
      level: 'warn',
      time: new Date().toISOString(),
      pid: process.pid,
      droppedLines: lines,
      since: new Date(since).toISOString(),
      error: this.#lastError,
      msg: `${lines} log lines were dropped: the log could not be written`,
    };
    this.#append(`${JSON.stringify(report)}\n`);
  }
}

let output: LogOutput | undefined;

/** One per process, like standard output. */
export function logOutput(): LogOutput {
  if (output) return output;
  const opened = new LogOutput(openStdout(), cluster.isWorker ? PIECE_BYTES.shared : PIECE_BYTES.alone);
  process.on('exit', () => opened.flushSync());
  output = opened;
  return opened;
}

/**
 * Pipes and terminals are opened a second time in non-blocking mode: another process may share the original one and
 * make it blocking again. What cannot be reopened, such as journald's socket, node has made non-blocking already
 * through process.stdout.
 */
function openStdout(): number {
  const { fd } = process.stdout;
  const kind = fstatSync(fd);
  if (!kind.isFIFO() && !kind.isCharacterDevice()) return fd;
  try {
    return openSync('/proc/self/fd/1', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return fd;
  }
}

function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
