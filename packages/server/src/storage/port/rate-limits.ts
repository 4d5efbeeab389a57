/** Usage of an allowance, as the time it takes to refill; a full allowance refills in `windowMs`. */
export type Spending = { subjectHash: string; ms: number; windowMs: number };

/** How much of each allowance all replicas together have used. It may be lost in a crash. */
export interface RateLimitStore {
  /**
   * Adds usage; returns how many milliseconds each takes to refill, at most its window, in the order given. No subject
   * may occur twice. Stored usage more than CLOCK_SLACK_MS beyond the window was written by a clock that was ahead, and
   * is dropped.
   */
  spend(spendings: readonly Spending[], now: number): Promise<number[]>;
}

/** Far more than the difference between replicas, which all follow one clock. */
export const CLOCK_SLACK_MS = 1_000;
