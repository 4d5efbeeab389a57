/** What a caller has used of an allowance, as the time that it takes to earn it back. */
export type Spending = { subjectHash: string; ms: number };

/** How far allowances are used up, by all replicas together. It is of the moment: what a crash takes of it is no loss. */
export interface RateLimitStore {
  /** Adds to what was used; answers until when each is used up, in their order. No subject may be there twice. */
  spend(spendings: readonly Spending[], now: number): Promise<number[]>;
}
