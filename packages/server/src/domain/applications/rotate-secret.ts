import type { Storage } from '../../storage/port.ts';
import type { Keyring } from '../keyring.ts';
import { makeClientSecret, makeSecretRecord } from './application.ts';

export type RotatedSecret = { clientSecret: string; previousExpiresAt: number };

/** The secret before stays good for the overlap, so that callers can change over without a gap. */
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
