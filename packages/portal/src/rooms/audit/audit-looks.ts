import {
  type Icon,
  IconApps,
  IconBook2,
  IconEye,
  IconFileExport,
  IconFileImport,
  IconKey,
  IconPlayerPlay,
  IconTicket,
  IconUser,
  IconUserShield,
  IconUsersGroup,
  IconWebhook,
} from '@tabler/icons-react';
import type { AuditAction } from './queries.ts';

const ICONS: Record<string, Icon> = {
  application: IconApps,
  secret: IconKey,
  catalog: IconBook2,
  user: IconUser,
  users: IconFileImport,
  token: IconTicket,
  account: IconUserShield,
  member: IconUsersGroup,
  webhook: IconWebhook,
};

export function iconOf(action: AuditAction): Icon {
  if (action === 'application.tried') return IconPlayerPlay;
  if (/\.(read|listed)$/.test(action)) return IconEye;
  if (action.endsWith('.exported')) return IconFileExport;
  const [noun = ''] = action.split('.');
  return ICONS[noun] ?? IconApps;
}

/** Actions that cannot be undone, or that take access away. */
export function isSevere(action: AuditAction): boolean {
  return /\.(erased|deleted|removed|revoked|.*Revoked|draftDiscarded|previousEnded|reset)$/.test(action);
}

/** Actions that concern one application. */
export const APPLICATION_ACTIONS = [
  'application.created',
  'application.changed',
  'application.tried',
  'secret.rotated',
  'secret.previousEnded',
  'catalog.published',
  'catalog.draftEdited',
  'catalog.draftDiscarded',
  'catalog.textsReviewed',
  'user.created',
  'user.read',
  'user.exported',
  'user.optionsChanged',
  'user.changed',
  'user.suspended',
  'user.resumed',
  'user.erased',
  'user.specialTokenReissued',
  'user.accessTokenRevoked',
  'user.allTokensRevoked',
  'user.linkCreated',
  'user.linksWithdrawn',
  'users.imported',
  'selections.migrated',
  'users.listed',
  'users.exported',
  'token.created',
  'token.revoked',
  'member.invited',
  'member.invitationRevoked',
  'member.joined',
  'member.roleChanged',
  'member.removed',
  'webhook.created',
  'webhook.changed',
  'webhook.secretRotated',
  'webhook.replayed',
  'webhook.deleted',
  'webhook.tested',
  'webhook.resent',
] as const satisfies readonly AuditAction[];

/** Actions that concern no application, or one that was deleted. */
export const INSTALLATION_ACTIONS = [
  'application.deleted',
  'secret.masterRotated',
  'token.created',
  'token.revoked',
  'account.created',
  'account.linkMade',
  'account.identityLinked',
  'account.roleChanged',
  'account.passwordChanged',
  'account.totpTurnedOn',
  'account.totpTurnedOff',
  'account.recoveryCodesRenewed',
  'account.reset',
  'account.deleted',
] as const satisfies readonly AuditAction[];

// Every action of the service must be in one of the two lists.
type Listed = (typeof APPLICATION_ACTIONS | typeof INSTALLATION_ACTIONS)[number];
null as unknown as Exclude<AuditAction, Listed> satisfies never;

type TextName<Action extends string> = Action extends `${infer Noun}.${infer Verb}` ? `${Noun}_${Verb}` : never;

/** A dot would start a new level of the texts. */
export function textOf<Action extends AuditAction>(action: Action): TextName<Action> {
  return action.replace('.', '_') as TextName<Action>;
}
