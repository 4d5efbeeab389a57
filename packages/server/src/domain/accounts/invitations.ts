import { randomUUIDv7 } from 'node:crypto';
import type { AccountRecord, Credential, InvitationRecord, Membership, Role } from '../../storage/port.ts';
import { actingAs } from '../audit.ts';
import { InnkeeperError } from '../errors.ts';
import { letterLanguage, writeLetter } from '../mail/write-letter.ts';
import { credentialEnded } from '../manage/authorize-manager.ts';
import type { Service } from '../service.ts';
import { emailKeyOf, makeAccount, type PortalLanguage } from './account.ts';
import { mayMail } from './admit-attempt.ts';
import { createInvitationLink } from './links.ts';
import { hashPassword, requirePassword } from './password.ts';
import { makeSession, type Visitor } from './sign-in.ts';

type WantedInvitation = {
  appId: number;
  email: string;
  role: Role;
  /** For a translator; null: all. */
  languages?: string[] | null;
  invitedBy: string;
  inviterId: string | null;
  credential?: Credential | undefined;
};

/** Open ones of an application: they are listed together. */
const MAX_INVITATIONS = 1_000;

/** The link is only in this result. It replaces an earlier invitation to the same address. */
export async function inviteMember(
  { storage, keyring, publicUrl, now }: Service,
  { inviterId, credential, languages = null, ...wanted }: WantedInvitation,
): Promise<{ link: string; invitation: InvitationRecord }> {
  const createdAt = now();
  const { link, linkHash, expiresAt } = createInvitationLink(keyring, { publicUrl, now: createdAt });
  const invitation = { invitationId: randomUUIDv7(), ...wanted, languages, createdAt, expiresAt };
  const outcome = await storage.invitations.create(
    {
      ...invitation,
      linkHash,
      emailKey: emailKeyOf(wanted.email),
      inviterId,
      credential,
    },
    MAX_INVITATIONS,
  );
  if (outcome === 'application-gone') throw new InnkeeperError('applicationNotFound');
  if (outcome === 'too-many') {
    throw new InnkeeperError('limitReached', {
      message: `An application can have at most ${MAX_INVITATIONS} pending invitations: revoke one first.`,
    });
  }
  if (outcome === 'credential-gone') throw credentialEnded(credential);
  if (outcome === 'not-owner') throw new InnkeeperError('manageForbidden');
  if (outcome === 'member') throw new InnkeeperError('alreadyMember');
  return { link, invitation };
}

/**
 * In the language of the account with this address, or else the sender's. False: mail is off, or too many were sent
 * there.
 */
export async function mailInvitation(
  service: Service,
  wanted: { application: string; link: string; invitation: InvitationRecord; language: PortalLanguage },
): Promise<boolean> {
  const { storage, mailer } = service;
  const { application, link, invitation, language } = wanted;
  const { email, role, invitedBy, expiresAt } = invitation;
  const emailKey = emailKeyOf(email);
  if (!mailer || !(await mayMail(service, emailKey))) return false;
  mailer.send(async () => {
    const { account } = (await storage.accounts.findByEmail(emailKey)) ?? {};
    const content = { kind: 'invitation', application, role, invitedBy, link, expiresAt } as const;
    return writeLetter(email, account ? letterLanguage(account, language) : language, content);
  });
  return true;
}

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
  const { sessionToken, session } = makeSession(keyring, { userAgent, authMethod: 'password', now: now() });
  // No one is signed in yet: the new account is the author.
  const outcome = await actingAs(email, () => storage.invitations.accept(linkHash, now(), account, session));
  if (outcome === 'account-there') throw new InnkeeperError('accountThere');
  if (outcome === 'spent') throw new InnkeeperError('linkInvalid');
  return { sessionToken };
}

/** For someone who already has an account. */
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
