/** How far unused time can be caught up on: a timer that fires late must not lower the rate. */
const CATCH_UP_MS = 100;

/** Spreads requests evenly over a second. */
export class Pace {
  #freeAt = 0;

  /** 0: send now; it is counted. Otherwise, milliseconds until the next try. */
  take(perSecond: number | null, now = performance.now()): number {
    if (perSecond === null) return 0;
    // A raised limit also applies to the request that is waiting.
    const freeAt = Math.min(this.#freeAt, now + 1000 / perSecond);
    if (freeAt > now) return Math.ceil(freeAt - now);
    this.#freeAt = Math.max(freeAt, now - CATCH_UP_MS) + 1000 / perSecond;
    return 0;
  }
}
