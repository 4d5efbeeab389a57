/** How long a failure is reported: without another one, nobody knows whether the next act would fail. */
const TOLD_MS = 60_000;

/** Whether acts failed recently: writes on a full disk, say, while reads work. */
export class RecentFailure {
  #at = Number.NEGATIVE_INFINITY;
  #last: unknown;

  note(error?: unknown): void {
    this.#at = performance.now();
    this.#last = error;
  }

  clear(): void {
    this.#at = Number.NEGATIVE_INFINITY;
  }

  get isRecent(): boolean {
    return performance.now() - this.#at < TOLD_MS;
  }

  /** What was noted last. */
  get last(): unknown {
    return this.#last;
  }
}
