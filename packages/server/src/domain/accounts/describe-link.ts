import type { Role } from '../../storage/port.ts';
import { InnkeeperError } from '../errors.ts';
import type { Service } from '../service.ts';
import { kindOfLink } from './links.ts';

export type LinkDescription =
  | { kind: 'set-up' }
  | { kind: 'sign-in'; email: string; needsCode: boolean }
  | { kind: 'invitation'; email: string; appId: number; role: Role; invitedBy: string };

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
      const { email, appId, role, invitedBy } = found.invitation;
      return { kind, email, appId, role, invitedBy };
    }
  }
  throw new InnkeeperError('linkInvalid');
}
