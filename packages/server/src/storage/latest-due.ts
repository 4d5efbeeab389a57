import type { Allowance } from './port.ts';

/** Of a step. Attempts overtake each other on their way here, and the clocks of replicas differ: that costs nobody a try. */
const LEEWAY = 0.1;

/** How far ahead of `now` an attempt may leave its subject: one that would go beyond is one too many. */
export function latestDue({ everyMs, burst }: Allowance, now: number): number {
  return now + Math.round((burst + LEEWAY) * everyMs);
}
