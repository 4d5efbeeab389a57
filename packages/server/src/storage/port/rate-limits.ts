/** Usage of an allowance, as the time that it takes to earn it back; all of it is earned back in `windowMs`. */
export type Spending = { subjectHash: string; ms: number; windowMs: number };

/** How much of each allowance all replicas together have used. It may be lost in a crash. */
export interface RateLimitStore {
  /**
   * Adds usage; returns in how many milliseconds each is earned back, at most its window, in the order given. No subject may occur
   * twice. Stored usage that lies more than CLOCK_SLACK_MS beyond the window was written by a clock that was ahead, and is dropped.
   */
  spend(spendings: readonly Spending[], now: number): Promise<number[]>;
}

/** Far more than replicas differ by, which all follow one clock. */
export const CLOCK_SLACK_MS = 1_000;
