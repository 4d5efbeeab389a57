import { type ActivityStep, STEP_MS } from './port.ts';

export const KEPT_REQUESTS_MS = 7 * 86_400_000;
/** After its end. */
export const KEPT_DELIVERIES_MS = 7 * 86_400_000;
export const KEPT_AUDIT_MS = 400 * 86_400_000;
/** As long as the audit: by then, an export from before the delete has no business being imported. */
export const KEPT_DELETED_MS = KEPT_AUDIT_MS;

/** In UTC, whose hours and days are all equally long. */
export function stepStart(step: ActivityStep, at: number): number {
  return at - (at % STEP_MS[step]);
}
