import { randomBytes } from 'node:crypto';
import type { AccountRecord, NewLink, Storage } from '../../storage/port.ts';
import type { Keyring } from '../keyring.ts';
import { makeAccount } from './account.ts';

const DAY_MS = 24 * 3600 * 1000;
const LIFETIME_MS = DAY_MS;
/** An invitation has to reach its reader first. */
const INVITATION_MS = 7 * DAY_MS;

/** Someone who requested it reads their mail now. */
const MAILED_MS = 3600 * 1000;

/**
 * A sign-in link belongs to an account; a set-up link creates the first account; an invitation creates a member. The
 * prefix tells them apart.
 */
const SIGN_IN = 'ikl_';
const SET_UP = 'iku_';
const INVITATION = 'iki_';

export type Link = { link: string; expiresAt: number };

/** Creates an administrator if no account has this address. The link is only in this result. */
export async function createSignInLink(
  storage: Storage,
  keyring: Keyring,
  { email, publicUrl, now }: { email: string; publicUrl: string; now: number },
): Promise<Link & { account: AccountRecord; outcome: 'created' | 'there' }> {
  const { token, record } = makeLink(keyring, SIGN_IN, now);
  const made = await storage.accounts.createWithLink(makeAccount(email, { role: 'administrator', now }), record);
  return { ...made, link: addressOf(publicUrl, token), expiresAt: record.expiresAt };
}

/**
 * For mailing. Earlier links stay valid, because anyone can request this one. undefined: the account no longer exists.
 */
export async function addMailedLink(
  storage: Storage,
  keyring: Keyring,
  { accountId, publicUrl, next, now }: { accountId: string; publicUrl: string; next: string; now: number },
): Promise<Link | undefined> {
  const { token, record } = makeLink(keyring, SIGN_IN, now, MAILED_MS);
  if ((await storage.accounts.addLink(accountId, record)) === 'unknown') return undefined;
  return { link: addressOf(publicUrl, token, next), expiresAt: record.expiresAt };
}

/** undefined: there is an account already, so nothing is left to set up. */
export async function createSetUpLink(
  storage: Storage,
  keyring: Keyring,
  { publicUrl, now }: { publicUrl: string; now: number },
): Promise<Link | undefined> {
  const { token, record } = makeLink(keyring, SET_UP, now);
  if ((await storage.accounts.addSetUpLink(record)) === 'account-there') return undefined;
  return { link: addressOf(publicUrl, token), expiresAt: record.expiresAt };
}

export function createInvitationLink(
  keyring: Keyring,
  { publicUrl, now }: { publicUrl: string; now: number },
): NewLink & { link: string } {
  const { token, record } = makeLink(keyring, INVITATION, now, INVITATION_MS);
  return { ...record, link: addressOf(publicUrl, token) };
}

export function kindOfLink(token: string): 'sign-in' | 'set-up' | 'invitation' | undefined {
  const [, prefix] = /^(ik[lui]_)[\w-]{43}$/.exec(token) ?? [];
  if (prefix === SIGN_IN) return 'sign-in';
  if (prefix === SET_UP) return 'set-up';
  return prefix === INVITATION ? 'invitation' : undefined;
}

function makeLink(
  keyring: Keyring,
  prefix: string,
  now: number,
  lifetimeMs = LIFETIME_MS,
): { token: string; record: NewLink } {
  const token = prefix + randomBytes(32).toString('base64url');
  return { token, record: { linkHash: keyring.hashLink(token), expiresAt: now + lifetimeMs } };
}

/** In the fragment, which no server or log sees, and which link previews do not use up. */
function addressOf(publicUrl: string, token: string, next = ''): string {
  return `${publicUrl}/portal/sign-in${next && `?next=${encodeURIComponent(next)}`}#${token}`;
}
