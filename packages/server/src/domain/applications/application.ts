import { randomBytes, randomInt } from 'node:crypto';
import type { SecretRecord, Storage } from '../../storage/port.ts';
import { DURATION_FORM, parseDuration } from '../../time.ts';
import { InnkeeperError } from '../errors.ts';
import type { Keyring } from '../keyring.ts';
import type { ApplicationSettings } from './settings.ts';

/** An application as the rules see it: with complete settings, and secrets as hashes. */
export type Application = {
  appId: number;
  clientId: string;
  name: string;
  settings: ApplicationSettings;
  createdAt: number;
  secrets: SecretRecord[];
};

/**
 * Digits, an underscore, then a random string. The digits are the application's key in the database; they
 * are random, so that no shared counter is needed.
 */
function makeClientId(): { appId: number; clientId: string } {
  const appId = randomInt(100_000_000, 1_000_000_000);
  return { appId, clientId: `${appId}_${randomBytes(16).toString('hex')}` };
}

/** 256 random bits. The prefix lets secret scanners find one that leaked. */
export function makeClientSecret(): string {
  return `ink_${randomBytes(32).toString('base64url')}`;
}

function makeSecretRecord(keyring: Keyring, clientSecret: string, now: number): SecretRecord {
  return { secretHash: keyring.hashSecret(clientSecret), createdAt: now, expiresAt: null };
}

/** Lets people tell secrets apart. Derived from the keyed hash, so it reveals nothing about the secret. */
export function fingerprintOf(secretHash: string): string {
  return secretHash.slice(0, 8);
}

export function isLive(secret: SecretRecord, now: number): boolean {
  return secret.expiresAt === null || secret.expiresAt > now;
}

export type NewApplication = { clientId: string; clientSecret: string; name: string };

/** The clientSecret is only in this result: just its hash is stored. */
export async function createApplication(
  storage: Storage,
  keyring: Keyring,
  name: string,
  now: number,
): Promise<NewApplication> {
  const clientSecret = makeClientSecret();
  for (;;) {
    const { appId, clientId } = makeClientId();
    const secrets = [makeSecretRecord(keyring, clientSecret, now)];
    const outcome = await storage.applications.create({ appId, clientId, name, settings: {}, createdAt: now, secrets });
    if (outcome === 'created') return { clientId, clientSecret, name };
  }
}

type RotatedSecret = { clientSecret: string; previousExpiresAt: number };
/** `overlap` in seconds. */
export type Rotation = { overlap: number; revokePrevious?: boolean };

export async function rotateSecret(
  { storage, keyring }: { storage: Pick<Storage, 'applications'>; keyring: Keyring },
  appId: number,
  rotation: Rotation,
  now: number,
): Promise<RotatedSecret> {
  const clientSecret = makeClientSecret();
  const previousExpiresAt = await rotateUnlessInUse(rotation, now, 'applicationNotFound', (...times) =>
    storage.applications.rotateSecret(appId, makeSecretRecord(keyring, clientSecret, now), ...times),
  );
  return { clientSecret, previousExpiresAt };
}

/**
 * The rule for rotating secrets of clients and webhooks. The previous secret stays valid for the overlap, so that
 * callers can switch without a gap. At most two are valid at a time: while an older one may still be in use, another
 * rotation is refused unless it revokes that one explicitly. An overlap of 0 does so too. Returns when the previous one
 * expires.
 */
export async function rotateUnlessInUse(
  { overlap, revokePrevious = false }: Rotation,
  now: number,
  unknown: 'applicationNotFound' | 'webhookNotFound',
  rotate: (previousExpiresAt: number, unlessValidAt?: number) => Promise<'rotated' | 'previous-valid' | 'unknown'>,
): Promise<number> {
  const previousExpiresAt = now + overlap * 1000;
  const outcome = await rotate(previousExpiresAt, revokePrevious || overlap === 0 ? undefined : now);
  if (outcome === 'unknown') throw new InnkeeperError(unknown);
  if (outcome === 'previous-valid') throw new InnkeeperError('previousSecretValid');
  return previousExpiresAt;
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
