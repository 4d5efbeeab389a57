import type { Allowance } from './port.ts';

/** In steps. Attempts overtake each other on their way here: that must not cost anybody a try. */
const LEEWAY = 0.1;

/**
 * How far ahead of `now` an admitted attempt may leave its subject; one that would go further is refused. A stored time beyond
 * it was written by a clock that was ahead: the stores bring it back to one millisecond beyond, so it delays the next try by a step.
 */
export function latestDue({ everyMs, burst }: Allowance, now: number): number {
  return now + Math.round((burst + LEEWAY) * everyMs);
}
