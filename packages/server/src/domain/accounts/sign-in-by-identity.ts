import type { AccountRecord, MemberStore, Role } from '../../storage/port.ts';
import type { IdentityClaims } from '../../tokens/port.ts';
import { actingAs } from '../audit.ts';
import type { Service } from '../service.ts';
import { accountEmailProblem, emailKeyOf, makeAccount } from './account.ts';
import { type OidcRules, wantedRoles } from './oidc-settings.ts';
import { makeSession, type Visitor } from './sign-in.ts';

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
