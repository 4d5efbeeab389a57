/** What can be told in the audit: the noun, then what became of it. */
export const AUDIT_ACTIONS = [
  'application.created',
  'application.changed',
  'application.deleted',
  'application.tried',
  'secret.rotated',
  'secret.previousEnded',
  'catalog.published',
  'catalog.draftDiscarded',
  'user.created',
  'user.erased',
  'user.specialTokenReissued',
  'user.accessTokenRevoked',
  'user.allTokensRevoked',
  'users.imported',
  'token.created',
  'token.revoked',
  'account.created',
  'account.linkMade',
  'account.deleted',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];
