import { type ActivityStep, STEP_MS } from './port.ts';

export const KEPT_REQUESTS_MS = 7 * 86_400_000;
/** After the delivery ended. */
export const KEPT_DELIVERIES_MS = 7 * 86_400_000;
export const KEPT_AUDIT_MS = 400 * 86_400_000;
/** As long as the audit: by then, an export from before the deletion should no longer be imported. */
export const KEPT_DELETED_MS = KEPT_AUDIT_MS;

/** In UTC, where all hours and days have the same length. */
export function stepStart(step: ActivityStep, at: number): number {
  return at - (at % STEP_MS[step]);
}
