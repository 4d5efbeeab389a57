import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import type {
  AccessTokenRecord,
  ApplicationRecord,
  NewUser,
  SigningKeyRecord,
  Storage,
} from '../../src/storage/port.ts';
import { homeOfName, uuidAtHome } from '../../src/uuid.ts';

/** The time of every example. Acts get the time as an argument, so tests need not wait. */
export const NOW = 1_800_000_000_000;
export const MINUTE = 60_000;
/** A page large enough for everything a test creates. */
export const ALL = { offset: 0, limit: 1000 };

export const hash = (): string => randomBytes(32).toString('hex');

export function application(given: Partial<ApplicationRecord> = {}): ApplicationRecord {
  const appId = given.appId ?? randomInt(1, 2 ** 47);
  return {
    appId,
    clientId: `${appId}_${randomBytes(8).toString('hex')}`,
    name: 'Example',
    settings: {},
    createdAt: NOW,
    secrets: [{ secretHash: hash(), createdAt: NOW, expiresAt: null }],
    ...given,
  };
}

export async function createApplication(storage: Storage): Promise<number> {
  const example = application();
  await storage.applications.create(example);
  return example.appId;
}

/** As in the service, the user's code has the same home as their name. */
export function user(appId: number, given: Partial<NewUser> = {}): NewUser {
  const clientUserId = given.clientUserId ?? `${randomBytes(6).toString('hex')}@example.org`;
  return {
    userId: uuidAtHome(homeOfName(appId, clientUserId)),
    appId,
    clientUserId,
    clientUserName: 'Åsa Exempel',
    createdAt: NOW,
    specialToken: { tokenHash: hash(), expiresAt: NOW + 10 * MINUTE },
    ...given,
  };
}

export async function createUser(storage: Storage, appId: number, given: Partial<NewUser> = {}): Promise<NewUser> {
  const example = user(appId, given);
  const outcome = await storage.users.createWithToken(example);
  if (outcome !== 'created') throw new Error(`The example user was not created: ${outcome}`);
  return example;
}

export function accessToken(given: Partial<AccessTokenRecord> = {}): AccessTokenRecord {
  return { tokenId: randomUUID(), issuedAt: NOW, expiresAt: NOW + 60 * MINUTE, ...given };
}

export function signingKey(generation: number, given: Partial<SigningKeyRecord> = {}): SigningKeyRecord {
  return {
    generation,
    kid: randomBytes(8).toString('hex'),
    algorithm: 'EdDSA',
    sealedPrivateKey: 'sealed',
    publicJwk: '{"kty":"OKP"}',
    createdAt: NOW,
    signsFrom: NOW,
    eraseAt: null,
    ...given,
  };
}

/** Counts the outcomes of concurrent acts. */
export async function tally(acts: Promise<string | object>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const reported of await Promise.all(acts)) {
    const outcome = typeof reported === 'string' ? reported : 'done';
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
