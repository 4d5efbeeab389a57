import { createHash, randomUUIDv7 } from 'node:crypto';
import type { AccessTokenRecord, NewSelection, NewUser } from '../../packages/server/src/storage/port.ts';

/** What an operation writes: the arguments of the storage calls, the same for both databases. */
export type Place = { appId: number; keyNo: number; revision: number };

export const STORED_OPERATIONS = ['create-user', 'get-access-token', 'save'];

const LONG_MS = 7 * 86_400_000;

/** The same number always gives the same user. */
export function newUser({ appId }: Place, number: number, userId: string = randomUUIDv7()): NewUser {
  const now = Date.now();
  return {
    userId,
    appId,
    clientUserId: `stored-${number}@example.com`,
    clientUserName: 'Ada Lovelace',
    createdAt: now,
    specialToken: { tokenHash: hashOf(number), expiresAt: now + LONG_MS },
  };
}

export function hashOf(number: number): string {
  return createHash('sha256').update(String(number)).digest('hex');
}

export function newAccessToken(): AccessTokenRecord {
  const now = Date.now();
  return { tokenId: randomUUIDv7(), issuedAt: now, expiresAt: now + LONG_MS };
}

export function newSelection({ keyNo, revision }: Place): NewSelection {
  return { selectionId: randomUUIDv7(), keyNo, revision, value: '"often"', language: null };
}
