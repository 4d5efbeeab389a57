import { showRoughly } from './time.ts';

const EVERY_MS = 100;
const BAR_WIDTH = 24;

export type ProgressStream = { isTTY?: boolean; columns?: number; write(text: string): unknown };

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
