import { randomBytes, randomInt } from 'node:crypto';
import type { SecretRecord } from '../../storage/port.ts';
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
export function makeClientId(): { appId: number; clientId: string } {
  const appId = randomInt(100_000_000, 1_000_000_000);
  return { appId, clientId: `${appId}_${randomBytes(16).toString('hex')}` };
}

/** 256 random bits. The prefix lets secret scanners find one that leaked. */
export function makeClientSecret(): string {
  return `ink_${randomBytes(32).toString('base64url')}`;
}

export function makeSecretRecord(keyring: Keyring, clientSecret: string, now: number): SecretRecord {
  return { secretHash: keyring.hashSecret(clientSecret), createdAt: now, expiresAt: null };
}

/** Lets people tell secrets apart. Derived from the keyed hash, so it reveals nothing about the secret. */
export function fingerprintOf(secretHash: string): string {
  return secretHash.slice(0, 8);
}

export function isLive(secret: SecretRecord, now: number): boolean {
  return secret.expiresAt === null || secret.expiresAt > now;
}
