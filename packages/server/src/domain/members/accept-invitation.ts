import type { AccountRecord, Membership } from '../../storage/port.ts';
import { makeAccount } from '../accounts/account.ts';
import { hashPassword } from '../accounts/password.ts';
import { requirePassword } from '../accounts/password-rules.ts';
import { makeSession } from '../accounts/session.ts';
import type { Visitor } from '../accounts/sign-in.ts';
import { actingAs } from '../audit/actor.ts';
import { InnkeeperError } from '../errors.ts';
import type { Service } from '../service.ts';

/** Makes the account that the invitation is for, with a password of its own. */
export async function acceptInvitation(
  { storage, keyring, now }: Service,
  { token, password }: { token: string; password: unknown },
  { userAgent }: Visitor,
): Promise<{ sessionToken: string }> {
  const linkHash = keyring.hashLink(token);
  const found = await storage.invitations.findByLink(linkHash, now());
  if (!found) throw new InnkeeperError('linkInvalid');
  const { email } = found.invitation;
  // Before anything about the account: a mere look reveals nothing.
  const accepted = requirePassword(password, email);
  if (found.hasAccount) throw new InnkeeperError('accountThere');
  const passwordHash = await hashPassword(accepted);
  const account = makeAccount(email, { role: 'member', passwordHash, now: now() });
  const { sessionToken, session } = makeSession(keyring, { userAgent, means: 'password', now: now() });
  // Nobody is signed in yet: it is theirs from here on.
  const outcome = await actingAs(email, () => storage.invitations.accept(linkHash, now(), account, session));
  if (outcome === 'account-there') throw new InnkeeperError('accountThere');
  if (outcome === 'spent') throw new InnkeeperError('linkInvalid');
  return { sessionToken };
}

/** Somebody who has an account already. */
export async function joinByInvitation(
  { storage, keyring, now }: Service,
  account: AccountRecord,
  token: string,
): Promise<Membership> {
  const outcome = await storage.invitations.join(keyring.hashLink(token), now(), account.accountId);
  if (outcome === 'spent') throw new InnkeeperError('linkInvalid');
  if (outcome === 'other-address') throw new InnkeeperError('invitationNotYours');
  return outcome;
}
