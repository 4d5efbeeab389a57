/** How long a failure is reported: without another one, it is unknown whether the next call would fail. */
const REPORTED_MS = 60_000;

/** Whether calls failed recently: for example, writes on a full disk while reads work. */
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
    return performance.now() - this.#at < REPORTED_MS;
  }

  /** The last error recorded. */
  get last(): unknown {
    return this.#last;
  }
}
