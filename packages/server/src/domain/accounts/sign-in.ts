import { randomBytes, randomUUIDv7 } from 'node:crypto';
import type { AccountRecord, Credentials, Factor, MemberStore, NewSession, Role } from '../../storage/port.ts';
import type { IdentityClaims } from '../../tokens/port.ts';
import { actingAs } from '../audit.ts';
import { InnkeeperError } from '../errors.ts';
import type { Keyring } from '../keyring.ts';
import type { Service } from '../service.ts';
import { accountEmailProblem, emailKeyOf, makeAccount } from './account.ts';
import { admitAttempt, forgetAttempts } from './admit-attempt.ts';
import { readFactor } from './confirm-identity.ts';
import { type OidcRules, wantedRoles } from './oidc-settings.ts';
import { hashPassword, requirePassword, verifyPassword } from './password.ts';

/** Where a request comes from: an address, or a subscriber's network. */
export type Visitor = { userAgent: string; network: string };

type Opened = { sessionToken: string };

/** Does not reveal what is wrong: neither whether the account exists nor whether it has a password. */
export async function signInByPassword(
  service: Service,
  { email, password, code }: { email: string; password: string; code: string | undefined },
  { userAgent, network }: Visitor,
): Promise<Opened> {
  const { storage, keyring, now } = service;
  const where = { emailKey: emailKeyOf(email), network };
  await admitAttempt(service, where);
  const found = await storage.accounts.findByEmail(where.emailKey);
  const passwordHash = found?.credentials.passwordHash ?? null;
  const isRight = await verifyPassword(passwordHash, password);
  if (!found || passwordHash === null || !isRight) throw new InnkeeperError('signInFailed');
  const factor = await askFactor(service, where.emailKey, found.credentials, code);
  const { sessionToken, session } = makeSession(keyring, { userAgent, authMethod: 'password', now: now() });
  const { accountId } = found.account;
  if ((await storage.sessions.openByPassword(accountId, passwordHash, session, factor)) === 'spent') {
    throw new InnkeeperError('signInFailed');
  }
  await forgetAttempts(service, where);
  return { sessionToken };
}

/** Uses up the link. It replaces the password, not the code. */
export async function signInByLink(
  service: Service,
  { token, code }: { token: string; code: string | undefined },
  { userAgent, network }: Visitor,
): Promise<Opened> {
  const { storage, keyring, now } = service;
  const linkHash = keyring.hashLink(token);
  const found = await storage.accounts.findByLink(linkHash, now());
  if (!found) throw new InnkeeperError('linkInvalid');
  const emailKey = emailKeyOf(found.account.email);
  const factor = await askFactor(service, emailKey, found.credentials, code);
  const { sessionToken, session } = makeSession(keyring, { userAgent, authMethod: 'link', now: now() });
  if ((await storage.sessions.openByLink(linkHash, now(), session, factor)) === 'spent') {
    throw new InnkeeperError(factor ? 'signInFailed' : 'linkInvalid');
  }
  if (factor) await forgetAttempts(service, { emailKey, network });
  return { sessionToken };
}

async function askFactor(
  service: Service,
  emailKey: string,
  credentials: Credentials,
  code: string | undefined,
): Promise<Factor | undefined> {
  const factor = await readFactor(service, emailKey, credentials, code);
  if (factor === 'needed') throw new InnkeeperError('codeNeeded', { more: { needs: 'code' } });
  if (factor === 'wrong') throw new InnkeeperError('signInFailed');
  return factor;
}

/** Creates the first account, an administrator. */
export async function setUp(
  { storage, keyring, now }: Service,
  { token, email, password }: { token: string; email: string; password: unknown },
  { userAgent }: Visitor,
): Promise<Opened> {
  const linkHash = keyring.hashLink(token);
  if (!(await storage.accounts.canSetUp(linkHash, now()))) throw new InnkeeperError('linkInvalid');
  const passwordHash = await hashPassword(requirePassword(password, email));
  const account = makeAccount(email, { role: 'administrator', passwordHash, now: now() });
  const { sessionToken, session } = makeSession(keyring, { userAgent, authMethod: 'password', now: now() });
  // No one is signed in yet: the account is the author of its own creation.
  const outcome = await actingAs(email, () => storage.sessions.openBySetUp(linkHash, now(), account, session));
  if (outcome === 'spent') throw new InnkeeperError('linkInvalid');
  return { sessionToken };
}

const HOUR_MS = 3600 * 1000;
/** A session ends when unused for this long, and after this many days in any case. */
const IDLE_MS = 12 * HOUR_MS;
export const MAX_MS = 30 * 24 * HOUR_MS;
const USER_AGENT_LENGTH = 255;

/** Always a new session: one that the browser already had is never upgraded. */
export function makeSession(
  keyring: Keyring,
  { userAgent, authMethod, now }: { userAgent: string; authMethod: NewSession['authMethod']; now: number },
): { sessionToken: string; session: NewSession } {
  const sessionToken = `iks_${randomBytes(32).toString('base64url')}`;
  const session: NewSession = {
    sessionId: randomUUIDv7(),
    sessionHash: keyring.hashSession(sessionToken),
    createdAt: now,
    lastSeenAt: now,
    endsAt: endOf(now, now),
    userAgent: userAgent.slice(0, USER_AGENT_LENGTH),
    authMethod,
  };
  return { sessionToken, session };
}

export function isSessionToken(text: string): boolean {
  return /^iks_[\w-]{43}$/.test(text);
}

/** The end of a session opened at `createdAt` and used now. */
export function endOf(createdAt: number, now: number): number {
  return Math.min(now + IDLE_MS, createdAt + MAX_MS);
}

/** Why an identity gets no account; the sign-in page explains it in the reader's language. */
export type IdentityRefusal = 'unverified' | 'domain' | 'other-identity';

type Outcome = { sessionToken: string } | { refused: IdentityRefusal };

/**
 * Signs in to the account that the identity is linked to. Otherwise, links the account with the verified address, or
 * creates one if the domain is allowed or the address was invited.
 */
export async function signInByIdentity(
  service: Service,
  rules: OidcRules,
  claims: IdentityClaims,
  { userAgent }: Pick<Visitor, 'userAgent'>,
): Promise<Outcome> {
  const { storage, keyring, now } = service;
  const email = verifiedEmail(claims);
  const emailKey = email === undefined ? null : emailKeyOf(email);
  const subject = `${claims.iss} ${claims.sub}`;
  const isWelcome = emailKey !== null && (await mayHaveAccount(service, rules, emailKey));
  const made = isWelcome ? makeAccount(email as string, { role: 'member', now: now() }) : null;
  return actingAs(email ?? `oidc:${claims.sub}`, async () => {
    const found = await storage.accounts.identify({ subject, emailKey }, made);
    if (found === 'other-identity') return { refused: found };
    if (found === 'unknown') return { refused: emailKey === null ? 'unverified' : 'domain' };
    await applyRoles(service, rules, found.account, claims);
    const { sessionToken, session } = makeSession(keyring, { userAgent, authMethod: 'oidc', now: now() });
    const { accountId } = found.account;
    // The account may have been deleted meanwhile.
    if ((await storage.sessions.openByIdentity(accountId, subject, session)) === 'unknown')
      return { refused: 'domain' };
    return { sessionToken };
  });
}

/** Entra ID has no email_verified; xms_edov says that the domain's owner was verified. */
function verifiedEmail({ email, email_verified: verified, xms_edov: edov }: IdentityClaims): string | undefined {
  const isVerified =
    verified === true || verified === 'true' || (verified === undefined && [true, 1, '1'].includes(edov as 1));
  return isVerified && typeof email === 'string' && accountEmailProblem(email) === undefined ? email : undefined;
}

async function mayHaveAccount({ storage, now }: Service, { domains }: OidcRules, emailKey: string): Promise<boolean> {
  const domain = emailKey.slice(emailKey.lastIndexOf('@') + 1);
  return domains.includes(domain) || (await storage.invitations.isInvited(emailKey, now()));
}

/**
 * Applies the roles in the claim. The last owner or administrator keeps the role: otherwise no one could manage
 * anything.
 */
async function applyRoles(
  { storage, applications, now }: Service,
  rules: OidcRules,
  { accountId }: AccountRecord,
  claims: IdentityClaims,
): Promise<void> {
  if (rules.rolesClaim === '') return;
  const wanted = wantedRoles(rules, claims);
  if (wanted.role !== undefined) await storage.accounts.setRole(accountId, wanted.role);
  for (const [clientId, role] of wanted.applications) {
    const application = await applications.findByClientId(clientId);
    if (!application) continue;
    if (role === null) await storage.members.remove(application.appId, accountId);
    else if ((await storage.members.grant(application.appId, accountId, role, now())) === 'there')
      await keepRole(storage.members, application.appId, accountId, role);
  }
}

/** A translator keeps the language restriction that an owner set. */
async function keepRole(members: MemberStore, appId: number, accountId: string, role: Role): Promise<void> {
  const held = (await members.list(appId)).find((each) => each.accountId === accountId);
  if (held && held.role !== role) await members.changeRole(appId, accountId, role, null);
}
