/** As long as a failure is told of: with no further one, nobody knows whether the next act would fail. */
const TOLD_MS = 60_000;

/** Whether what was asked for failed of late: writes on a full disk, say, though reads go on. */
export class RecentFailure {
  #at = Number.NEGATIVE_INFINITY;

  note(): void {
    this.#at = performance.now();
  }

  clear(): void {
    this.#at = Number.NEGATIVE_INFINITY;
  }

  get isRecent(): boolean {
    return performance.now() - this.#at < TOLD_MS;
  }
}
