import { createInterface } from 'node:readline/promises';
import { UsageError } from './failure.ts';
import { showRoughly } from './output.ts';

const EVERY_MS = 100;
const BAR_WIDTH = 24;

type ProgressStream = { isTTY?: boolean; columns?: number; write(text: string): unknown };

/** One progress line on a terminal; nothing if there is no terminal. */
export class Progress {
  readonly #stream: ProgressStream;
  readonly #clock: () => number;
  readonly #started: number;
  #shownAt = Number.NEGATIVE_INFINITY;
  #shown = false;

  constructor(stream: ProgressStream = process.stderr, clock: () => number = () => performance.now()) {
    this.#stream = stream;
    this.#clock = clock;
    this.#started = clock();
  }

  /** `part` is from 0 to 1, or undefined if the total is unknown. */
  show(done: number, noun: string, part: number | undefined, note = ''): void {
    const now = this.#clock();
    if (!this.#stream.isTTY || now - this.#shownAt < EVERY_MS) return;
    this.#shownAt = now;
    this.#shown = true;
    const elapsed = now - this.#started;
    const rate = Math.round(done / Math.max(elapsed / 1000, 0.001));
    const text = [
      ...(part === undefined ? [] : [`${showBar(part)} ${String(Math.floor(part * 100)).padStart(3)} %`]),
      `${done.toLocaleString('en')} ${noun}`,
      `${rate.toLocaleString('en')}/s`,
      ...(part === undefined || part < 0.01 ? [] : [`${showRoughly((elapsed * (1 - part)) / part)} left`]),
      ...(note === '' ? [] : [note]),
    ].join('  ');
    // A line that wraps could not be overwritten.
    this.#stream.write(`\r\u001b[2K${text.slice(0, (this.#stream.columns ?? 80) - 1)}`);
  }

  /** Clears the line. */
  clear(): void {
    if (this.#shown) this.#stream.write('\r\u001b[2K');
    this.#shown = false;
  }
}

function showBar(part: number): string {
  const full = Math.round(part * BAR_WIDTH);
  return '█'.repeat(full) + '░'.repeat(BAR_WIDTH - full);
}

/** Whether someone is there to answer. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Whether to ask before something is deleted. A script that names it has confirmed it. */
export function mustAsk(): boolean {
  if (process.stdin.isTTY === true && !canAsk()) {
    throw new UsageError('nothing was deleted: stderr is not a terminal, so the confirmation cannot be shown.', {
      remedy: 'Add --yes to continue.',
    });
  }
  return canAsk();
}

/** Asks on stderr, so that stdout contains only the result. Ctrl+C and end of input count as no. */
export async function confirmByTyping(
  expected: string,
  question: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<boolean> {
  const terminal = createInterface({ input, output });
  const ended = new Promise<undefined>((resolve) => terminal.once('close', () => resolve(undefined)));
  try {
    const typed = await Promise.race([terminal.question(question), ended]);
    if (typed === undefined) output.write('\n');
    return typed?.trim() === expected;
  } finally {
    terminal.close();
  }
}

/** The first SIGINT or SIGTERM aborts between two steps of the command; a second one ends the process immediately. */
export function watchInterrupts(onInterrupt: () => void): Disposable & { signal: AbortSignal } {
  const controller = new AbortController();
  const stop = (): void => {
    controller.abort();
    onInterrupt();
    unwatch();
  };
  const unwatch = (): void => {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return { signal: controller.signal, [Symbol.dispose]: unwatch };
}
