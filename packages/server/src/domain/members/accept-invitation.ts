import type { AccountRecord, Membership } from '../../storage/port.ts';
import { makeAccount } from '../accounts/account.ts';
import { hashPassword } from '../accounts/password.ts';
import { requirePassword } from '../accounts/password-rules.ts';
import { makeSession } from '../accounts/session.ts';
import type { Visitor } from '../accounts/sign-in.ts';
import { actingAs } from '../audit/actor.ts';
import { InnkeeperError } from '../errors.ts';
import type { Service } from '../service.ts';

/** Creates the account that the invitation is for, with a password. */
export async function acceptInvitation(
  { storage, keyring, now }: Service,
  { token, password }: { token: string; password: unknown },
  { userAgent }: Visitor,
): Promise<{ sessionToken: string }> {
  const linkHash = keyring.hashLink(token);
  const found = await storage.invitations.findByLink(linkHash, now());
  if (!found) throw new InnkeeperError('linkInvalid');
  const { email } = found.invitation;
  // Check the password first: it reveals nothing about the account.
  const accepted = requirePassword(password, email);
  if (found.hasAccount) throw new InnkeeperError('accountThere');
  const passwordHash = await hashPassword(accepted);
  const account = makeAccount(email, { role: 'member', passwordHash, now: now() });
  const { sessionToken, session } = makeSession(keyring, { userAgent, means: 'password', now: now() });
  // Nobody is signed in yet: the new account is the author.
  const outcome = await actingAs(email, () => storage.invitations.accept(linkHash, now(), account, session));
  if (outcome === 'account-there') throw new InnkeeperError('accountThere');
  if (outcome === 'spent') throw new InnkeeperError('linkInvalid');
  return { sessionToken };
}

/** For somebody who already has an account. */
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
