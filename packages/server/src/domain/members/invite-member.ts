import { randomUUIDv7 } from 'node:crypto';
import type { InvitationRecord, Role } from '../../storage/port.ts';
import { emailKeyOf } from '../accounts/account.ts';
import { createInvitationLink } from '../accounts/links.ts';
import { InnkeeperError } from '../errors.ts';
import type { Service } from '../service.ts';

/** The link is only in this result. It replaces an earlier invitation to the same address. */
export async function inviteMember(
  { storage, keyring, publicUrl, now }: Service,
  { inviterId, ...wanted }: { appId: number; email: string; role: Role; invitedBy: string; inviterId: string | null },
): Promise<{ link: string; invitation: InvitationRecord }> {
  const createdAt = now();
  const { link, linkHash, expiresAt } = createInvitationLink(keyring, { publicUrl, now: createdAt });
  const invitation = { invitationId: randomUUIDv7(), ...wanted, createdAt, expiresAt };
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
