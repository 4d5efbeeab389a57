/** What an entry says: the noun, then what became of it. */
export const AUDIT_ACTIONS = [
  'application.created',
  'application.changed',
  'application.deleted',
  'application.tried',
  'secret.rotated',
  'secret.previousEnded',
  'secret.masterRotated',
  'catalog.published',
  'catalog.draftEdited',
  'catalog.draftDiscarded',
  'catalog.textsReviewed',
  'user.created',
  'user.read',
  'user.exported',
  'user.changed',
  'user.suspended',
  'user.resumed',
  'user.optionsChanged',
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
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

export type AuditEntry = {
  /** A UUID of version 7: they sort by time. */
  auditUid: string;
  at: number;
  actor: string;
  action: string;
  /** What was changed, in words: a name, a file, a revision. */
  subject: string;
  /** The user it was about, while there is one. */
  userId: string | null;
  /** JSON. */
  before: string | null;
  after: string | null;
};

/** Without an application: about the installation. */
export type NewAuditEntry = AuditEntry & { appId: number | null };

export type AuditFilter = { from?: number; to?: number; actor?: string; action?: string; userId?: string };

export interface AuditStore {
  /** An application or user that is gone meanwhile is left out of it. */
  add(entry: NewAuditEntry): Promise<void>;
  /** The same for a change of many transactions, with counts in `after`: they are added to those of the entry that has this auditUid. */
  addCounts(entry: NewAuditEntry): Promise<void>;
  /** Newest first. null: those about the installation. */
  list(
    appId: number | null,
    filter: AuditFilter,
    page: { before: string | null; limit: number },
  ): Promise<AuditEntry[]>;
}
