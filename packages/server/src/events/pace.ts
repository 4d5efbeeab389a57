/** What was not used of this time can be caught up on: a timer that fires late must not lower the rate. */
const CATCH_UP_MS = 100;

/** Spreads requests evenly over a second. */
export class Pace {
  #freeAt = 0;

  /** 0: one may go now, and counts. Otherwise in how many milliseconds to ask again. */
  take(perSecond: number | null, now = performance.now()): number {
    if (perSecond === null) return 0;
    // A raised limit applies to the request that waits, too.
    const freeAt = Math.min(this.#freeAt, now + 1000 / perSecond);
    if (freeAt > now) return Math.ceil(freeAt - now);
    this.#freeAt = Math.max(freeAt, now - CATCH_UP_MS) + 1000 / perSecond;
    return 0;
  }
}
