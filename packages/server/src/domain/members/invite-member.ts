import { randomUUIDv7 } from 'node:crypto';
import type { InvitationRecord, Role } from '../../storage/port.ts';
import { emailKeyOf } from '../accounts/account.ts';
import { mayMail } from '../accounts/admit-attempt.ts';
import { createInvitationLink } from '../accounts/links.ts';
import type { PortalLanguage } from '../accounts/preferences.ts';
import { InnkeeperError } from '../errors.ts';
import { letterLanguage, writeLetter } from '../mail/write-letter.ts';
import type { Service } from '../service.ts';

type WantedInvitation = {
  appId: number;
  email: string;
  role: Role;
  /** For a translator; null: all. */
  languages?: string[] | null;
  invitedBy: string;
  inviterId: string | null;
};

/** The link is only in this result. It replaces an earlier invitation to the same address. */
export async function inviteMember(
  { storage, keyring, publicUrl, now }: Service,
  { inviterId, languages = null, ...wanted }: WantedInvitation,
): Promise<{ link: string; invitation: InvitationRecord }> {
  const createdAt = now();
  const { link, linkHash, expiresAt } = createInvitationLink(keyring, { publicUrl, now: createdAt });
  const invitation = { invitationId: randomUUIDv7(), ...wanted, languages, createdAt, expiresAt };
  const outcome = await storage.invitations.create({
    ...invitation,
    linkHash,
    emailKey: emailKeyOf(wanted.email),
    inviterId,
  });
  if (outcome === 'application-gone') throw new InnkeeperError('applicationNotFound');
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
