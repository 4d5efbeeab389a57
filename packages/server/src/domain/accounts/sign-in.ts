import type { Person, SessionRecord } from '../../storage/port.ts';
import { InnkeeperError } from '../errors.ts';
import type { Service } from '../service.ts';
import { emailKeyOf, makeAccount } from './account.ts';
import { admitAttempt, forgetAttempts } from './admit-attempt.ts';
import { hashPassword, verifyPassword } from './password.ts';
import { requirePassword } from './password-rules.ts';
import { askFactor } from './second-factor.ts';
import { makeSession } from './session.ts';

export type SignedIn = Person & { session: SessionRecord };

/** Where somebody comes from. */
export type Visitor = { userAgent: string; address: string };

type Opened = { sessionToken: string };

/** What is wrong is not told: not whether there is such an account, nor whether it has a password. */
export async function signInByPassword(
  service: Service,
  { email, password, code }: { email: string; password: string; code: string | undefined },
  { userAgent, address }: Visitor,
): Promise<Opened> {
  const { storage, keyring, now } = service;
  const emailKey = emailKeyOf(email);
  await admitAttempt(service, { emailKey, address });
  const found = await storage.accounts.findByEmail(emailKey);
  const passwordHash = found?.credentials.passwordHash ?? null;
  const isRight = await verifyPassword(passwordHash, password);
  if (!found || passwordHash === null || !isRight) throw new InnkeeperError('signInFailed');
  const factor = askFactor(keyring, found.credentials, code, now());
  const { sessionToken, session } = makeSession(keyring, { userAgent, means: 'password', now: now() });
  const { accountId } = found.account;
  if ((await storage.sessions.openByPassword(accountId, passwordHash, session, factor)) === 'spent') {
    throw new InnkeeperError('signInFailed');
  }
  await forgetAttempts(service, emailKey);
  return { sessionToken };
}

/** Spends the link. It stands for the password, not for the code. */
export async function signInByLink(
  service: Service,
  { token, code }: { token: string; code: string | undefined },
  { userAgent, address }: Visitor,
): Promise<Opened> {
  const { storage, keyring, now } = service;
  const linkHash = keyring.hashLink(token);
  const found = await storage.accounts.findByLink(linkHash, now());
  if (!found) throw new InnkeeperError('linkInvalid');
  const emailKey = emailKeyOf(found.account.email);
  if (found.account.hasTotp) await admitAttempt(service, { emailKey, address });
  const factor = askFactor(keyring, found.credentials, code, now());
  const { sessionToken, session } = makeSession(keyring, { userAgent, means: 'link', now: now() });
  if ((await storage.sessions.openByLink(linkHash, now(), session, factor)) === 'spent') {
    throw new InnkeeperError(factor ? 'signInFailed' : 'linkInvalid');
  }
  if (factor) await forgetAttempts(service, emailKey);
  return { sessionToken };
}

/** Makes the first account, an administrator. */
export async function setUp(
  { storage, keyring, now }: Service,
  { token, email, password }: { token: string; email: string; password: unknown },
  { userAgent }: Visitor,
): Promise<Opened> {
  const linkHash = keyring.hashLink(token);
  if (!(await storage.accounts.canSetUp(linkHash, now()))) throw new InnkeeperError('linkInvalid');
  const passwordHash = await hashPassword(requirePassword(password, email));
  const account = makeAccount(email, { role: 'administrator', passwordHash, now: now() });
  const { sessionToken, session } = makeSession(keyring, { userAgent, means: 'password', now: now() });
  const outcome = await storage.sessions.openBySetUp(linkHash, now(), account, session);
  if (outcome === 'spent') throw new InnkeeperError('linkInvalid');
  return { sessionToken };
}

const FRESH_MS = 3600 * 1000;

/** A link is how one gets in who has forgotten the password: for a while it stands for it. */
export function needsPassword({ account, session }: SignedIn, now: number): boolean {
  return account.hasPassword && !(session.means === 'link' && now - session.createdAt < FRESH_MS);
}

/** Proof that it is really them, before something that a stolen session must not do. */
export async function confirmIdentity(
  service: Service,
  signedIn: SignedIn,
  password: string | undefined,
  address: string,
): Promise<void> {
  const { storage, now } = service;
  const { account } = signedIn;
  if (!needsPassword(signedIn, now())) return;
  if (password === undefined) throw new InnkeeperError('passwordWrong', { message: 'Your password is needed.' });
  const emailKey = emailKeyOf(account.email);
  await admitAttempt(service, { emailKey, address });
  const credentials = await storage.accounts.credentials(account.accountId);
  if (!(await verifyPassword(credentials?.passwordHash ?? null, password))) throw new InnkeeperError('passwordWrong');
  await forgetAttempts(service, emailKey);
}
