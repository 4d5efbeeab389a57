import { randomBytes } from 'node:crypto';
import type { AccountRecord, NewLink, Role, Storage } from '../../storage/port.ts';
import { actingAs } from '../audit.ts';
import { InnkeeperError } from '../errors.ts';
import type { Keyring } from '../keyring.ts';
import { letterLanguage, writeLetter } from '../mail/write-letter.ts';
import type { Service } from '../service.ts';
import { emailKeyOf, makeAccount, type PortalLanguage } from './account.ts';
import { admitMail } from './admit-attempt.ts';

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

type Link = { link: string; expiresAt: number };

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
async function addMailedLink(
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

type LinkDescription =
  | { kind: 'set-up' }
  | { kind: 'sign-in'; email: string; needsCode: boolean }
  | { kind: 'invitation'; email: string; appId: number; role: Role; languages?: readonly string[]; invitedBy: string };

/** For the page that a link opens. Does not use up the link. */
export async function describeLink({ storage, keyring, now }: Service, token: string): Promise<LinkDescription> {
  const kind = kindOfLink(token);
  const linkHash = keyring.hashLink(token);
  if (kind === 'set-up' && (await storage.accounts.canSetUp(linkHash, now()))) return { kind };
  if (kind === 'sign-in') {
    const found = await storage.accounts.findByLink(linkHash, now());
    if (found) return { kind, email: found.account.email, needsCode: found.account.hasTotp };
  }
  if (kind === 'invitation') {
    const found = await storage.invitations.findByLink(linkHash, now());
    if (found) {
      const { email, appId, role, languages, invitedBy } = found.invitation;
      return { kind, email, appId, role, ...(languages && { languages }), invitedBy };
    }
  }
  throw new InnkeeperError('linkInvalid');
}

type WantedLink = { email: string; purpose: 'password' | 'signIn'; language: PortalLanguage };

/** The page for setting a password. */
const PASSWORD_PAGE = '/account';

/**
 * Mails a sign-in link to an account. Looks up the account after responding, so that neither the response nor its
 * timing tells whether there is one.
 */
export async function mailLink(service: Service, wanted: WantedLink, network: string): Promise<void> {
  const { mailer } = service;
  if (!mailer) throw new InnkeeperError('mailOff');
  if (!service.passwords) throw new InnkeeperError('passwordsOff');
  const emailKey = emailKeyOf(wanted.email);
  await admitMail(service, { emailKey, network });
  mailer.send(async () => {
    const { storage, keyring, publicUrl, now } = service;
    const { account } = (await storage.accounts.findByEmail(emailKey)) ?? {};
    if (!account) return undefined;
    const { accountId, email } = account;
    const next = wanted.purpose === 'password' ? PASSWORD_PAGE : '';
    const made = await actingAs(email, () =>
      addMailedLink(storage, keyring, { accountId, publicUrl, next, now: now() }),
    );
    return made && writeLetter(email, letterLanguage(account, wanted.language), { kind: wanted.purpose, ...made });
  });
}
