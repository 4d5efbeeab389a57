import { randomBytes, randomInt } from 'node:crypto';
import type { SecretRecord, Storage } from '../../storage/port.ts';
import type { Keyring } from '../keyring.ts';
import type { Service } from '../service.ts';
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

type ApplicationCounts = { users: number; languages: number; groups: number; keys: number; revision: number };

/**
 * How much of everything an application has. Counting a million users takes time, so use it for one application, not
 * for lists.
 */
export async function countParts(service: Service, { appId }: Application): Promise<ApplicationCounts> {
  const catalog = await service.catalogs.get(appId);
  return {
    users: await service.storage.applications.countUsers(appId),
    languages: catalog.languages.all.length,
    groups: catalog.groups.length,
    keys: catalog.keys.length,
    revision: catalog.revision,
  };
}
