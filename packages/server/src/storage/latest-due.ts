import type { Allowance } from './port.ts';

/** In steps. Attempts can overtake each other on their way here, which must not cost anyone an attempt. */
const LEEWAY = 0.1;

/**
 * How far ahead of `now` an admitted attempt may leave its subject; one that would go further is refused. A later
 * stored time was written by a clock that was ahead: the stores move it back to one millisecond beyond this, so that it
 * delays the next attempt by one step.
 */
export function latestDue({ everyMs, burst }: Allowance, now: number): number {
  return now + Math.round((burst + LEEWAY) * everyMs);
}
