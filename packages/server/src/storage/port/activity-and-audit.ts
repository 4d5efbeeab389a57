export type ActivityStep = 'hour' | 'day';
export const STEP_MS: Record<ActivityStep, number> = { hour: 3_600_000, day: 86_400_000 };
/** How long counts are kept. */
export const KEPT_MS: Record<ActivityStep, number> = { hour: 7 * 86_400_000, day: 400 * 86_400_000 };
export const KEPT_REQUESTS_MS = 7 * 86_400_000;
/** After the end of the delivery. */
export const KEPT_DELIVERIES_MS = 7 * 86_400_000;
export const KEPT_AUDIT_MS = 400 * 86_400_000;
/** As long as the audit log: by then, an export from before the deletion should no longer be imported. */
export const KEPT_DELETED_MS = KEPT_AUDIT_MS;

/** In UTC, where all hours and days have the same length. */
export function stepStart(step: ActivityStep, at: number): number {
  return at - (at % STEP_MS[step]);
}

export type ActivityCount = {
  appId: number;
  name: string;
  count: number;
  /** When the latest of them happened. */
  lastAt: number;
};

export type ActivityPoint = { at: number; name: string; count: number };

/** `more`: counting stopped before the end. */
export type Total = { count: number; more: boolean };
export type ActivityTotals = { users: Total; selections: Total; liveTokens: Total };

export interface ActivityStore {
  /** Adds to the hour and the day (UTC) of `lastAt`. Counts of deleted applications are dropped. */
  add(counts: readonly ActivityCount[]): Promise<void>;
  /** Counts of the steps that start at or after `from` and before `to`, oldest first. */
  list(appId: number, span: { step: ActivityStep; from: number; to: number }): Promise<ActivityPoint[]>;
  /** When something of this name last happened. */
  lastAt(appId: number, name: string): Promise<number | undefined>;
  /** Current totals of an application. Counts at most `limit` rows of each kind, so it is always fast. */
  totals(appId: number, now: number, limit: number): Promise<ActivityTotals>;
}

/** The parts of a logged request that can contain personal data. */
type RequestParts = { path: string; request: string | null; answer: string | null };

type RequestFacts = {
  /** A version 7 UUID, which sorts by time. */
  requestUid: string;
  at: number;
  method: string;
  /** The path as a pattern; null: no route matched. */
  route: string | null;
  status: number;
  code: string | null;
  milliseconds: number;
  requestId: string;
  /** The network, not the full address. */
  address: string;
  userAgent: string;
  /** The scheme of the Authorization header, without its credentials. */
  credentials: 'none' | 'basic' | 'bearer';
};

export type NewLoggedRequest = RequestFacts & {
  appId: number;
  /** The user that the request names, if any. */
  userId: string | null;
  clientUserId: string | null;
  /** Stored if the request names exactly one existing user, and deleted with that user. */
  full: RequestParts;
  /** Stored otherwise: contains no personal data. */
  bare: RequestParts;
};

export type LoggedRequest = RequestFacts & RequestParts & { userId: string | null };

export type RequestFilter = {
  from?: number;
  to?: number;
  statusFrom?: number;
  statusTo?: number;
  code?: string;
  method?: string;
  pathPrefix?: string;
  requestId?: string;
  userId?: string;
};

export interface RequestLogStore {
  /** Requests of deleted applications are dropped. */
  add(requests: readonly NewLoggedRequest[]): Promise<void>;
  /** Deletes all but the newest requests of an application. */
  trim(appId: number, keep: number): Promise<void>;
  /** Newest first, without bodies (null). */
  list(appId: number, filter: RequestFilter, page: { before: string | null; limit: number }): Promise<LoggedRequest[]>;
  find(appId: number, requestUid: string): Promise<LoggedRequest | undefined>;
  count(appId: number, span: { from: number; to: number }): Promise<number>;
}

/** The noun, then the past tense of what was done to it. */
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
  /** A version 7 UUID, which sorts by time. */
  auditUid: string;
  at: number;
  actor: string;
  action: string;
  /** A short description of what was changed: a name, a file, a revision. */
  subject: string;
  /** The user concerned, until that user is deleted. */
  userId: string | null;
  /** JSON. */
  before: string | null;
  after: string | null;
};

/** `appId` is null for entries about the installation. */
export type NewAuditEntry = AuditEntry & { appId: number | null };

export type AuditFilter = { from?: number; to?: number; actor?: string; action?: string; userId?: string };

export interface AuditStore {
  /** References to an application or user that was deleted in the meantime are omitted. */
  add(entry: NewAuditEntry): Promise<void>;
  /**
   * For a change in many transactions, with counts in `after`: they are added to those of the entry with this auditUid.
   */
  addCounts(entry: NewAuditEntry): Promise<void>;
  /** Newest first. null: entries about the installation. */
  list(
    appId: number | null,
    filter: AuditFilter,
    page: { before: string | null; limit: number },
  ): Promise<AuditEntry[]>;
}
