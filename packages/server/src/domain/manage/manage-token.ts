import { randomBytes, randomUUIDv7 } from 'node:crypto';
import type { ManageTokenRecord, Storage } from '../../storage/port.ts';
import { DURATION_FORM, parseDuration } from '../duration.ts';
import type { Keyring } from '../keyring.ts';
import type { Access } from './access.ts';

export const DEFAULT_LIFETIME_SECONDS = 90 * 86_400;
const MIN_LIFETIME_SECONDS = 60;
const MAX_LIFETIME_SECONDS = 365 * 86_400;

export type WantedManageToken = {
  name: string;
  /** The owner; null: the operator. */
  accountId: string | null;
  /** null: all applications. */
  appIds: number[] | null;
  access: Access;
  lifetimeSeconds: number;
};

/**
 * The token is only in this result: just its hash is stored. undefined: an application or the account no longer exists.
 */
export async function createManageToken(
  storage: Storage,
  keyring: Keyring,
  { lifetimeSeconds, ...wanted }: WantedManageToken,
  now: number,
): Promise<{ token: string; record: ManageTokenRecord } | undefined> {
  // 256 random bits. The prefix lets secret scanners find one that leaked.
  const token = `ikp_${randomBytes(32).toString('base64url')}`;
  const record: ManageTokenRecord = {
    ...wanted,
    tokenId: randomUUIDv7(),
    tokenHash: keyring.hashManageToken(token),
    createdAt: now,
    expiresAt: now + lifetimeSeconds * 1000,
    lastUsedAt: null,
  };
  return (await storage.manageTokens.create(record)) === 'created' ? { token, record } : undefined;
}

/** The token's name in audit and revisions. Names can repeat; the end of the id does not. */
export function tokenAuthor({ name, tokenId }: Pick<ManageTokenRecord, 'name' | 'tokenId'>): string {
  return `token:${name} (${tokenId.slice(-12)})`;
}

export function isManageToken(text: string): boolean {
  return /^ikp_[\w-]{43}$/.test(text);
}

/** The lifetime of a token, from `90d` or a number of seconds. */
export function readLifetime(text: string): { seconds: number } | { problem: string } {
  const seconds = parseDuration(text);
  if (seconds === undefined) return { problem: `must be ${DURATION_FORM}` };
  if (seconds < MIN_LIFETIME_SECONDS || seconds > MAX_LIFETIME_SECONDS) {
    return { problem: 'must be from 1 minute to 365 days' };
  }
  return { seconds };
}
