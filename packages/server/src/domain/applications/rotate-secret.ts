import type { Storage } from '../../storage/port.ts';
import { DURATION_FORM, parseDuration } from '../duration.ts';
import type { Keyring } from '../keyring.ts';
import { makeClientSecret, makeSecretRecord } from './application.ts';

export type RotatedSecret = { clientSecret: string; previousExpiresAt: number };

/** The previous secret stays valid for the overlap, so that callers can switch without a gap. */
export async function rotateSecret(
  storage: Storage,
  keyring: Keyring,
  appId: number,
  overlapSeconds: number,
  now: number,
): Promise<RotatedSecret | undefined> {
  const clientSecret = makeClientSecret();
  const previousExpiresAt = now + overlapSeconds * 1000;
  const outcome = await storage.applications.rotateSecret(
    appId,
    makeSecretRecord(keyring, clientSecret, now),
    previousExpiresAt,
  );
  return outcome === 'rotated' ? { clientSecret, previousExpiresAt } : undefined;
}

const DEFAULT_OVERLAP_SECONDS = 86_400;
const MAX_OVERLAP_SECONDS = 30 * 86_400;

/** How long the previous secret stays valid, from a number of seconds or `24h`; a day by default. */
export function readOverlap(value: unknown): { seconds: number } | { problem: string } {
  if (value === undefined) return { seconds: DEFAULT_OVERLAP_SECONDS };
  const seconds = parseDuration(value);
  if (seconds === undefined) return { problem: `must be ${DURATION_FORM}, or a number of seconds` };
  return seconds > MAX_OVERLAP_SECONDS ? { problem: 'must be at most 30 days' } : { seconds };
}
