/** As long as a failed write is told of: with no further one, nobody knows whether the next would fail. */
const TOLD_MS = 60_000;

/** Whether writes fail though reads go on: a full disk, say. */
export class FailedWrites {
  #at = Number.NEGATIVE_INFINITY;

  note(): void {
    this.#at = performance.now();
  }

  get areRecent(): boolean {
    return performance.now() - this.#at < TOLD_MS;
  }
}
