export type ActivityStep = 'hour' | 'day';
export const STEP_MS: Record<ActivityStep, number> = { hour: 3_600_000, day: 86_400_000 };
/** How long counts are kept. */
export const KEPT_MS: Record<ActivityStep, number> = { hour: 7 * 86_400_000, day: 400 * 86_400_000 };
export const KEPT_REQUESTS_MS = 7 * 86_400_000;
/** After the delivery ended. */
export const KEPT_DELIVERIES_MS = 7 * 86_400_000;
export const KEPT_AUDIT_MS = 400 * 86_400_000;
/** As long as the audit: by then, an export from before the deletion should no longer be imported. */
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

/** `more`: there were more to look at. */
export type Total = { count: number; more: boolean };
export type ActivityTotals = { users: Total; selections: Total; liveTokens: Total };

export interface ActivityStore {
  /** Adds to the hour and the day (UTC) of `lastAt`. What is counted for applications that are gone is dropped. */
  add(counts: readonly ActivityCount[]): Promise<void>;
  /** Those of steps that begin from `from` on and before `to`, oldest first. */
  list(appId: number, span: { step: ActivityStep; from: number; to: number }): Promise<ActivityPoint[]>;
  /** When the latest of this name happened. */
  lastAt(appId: number, name: string): Promise<number | undefined>;
  /** What an application holds now. Of each, at most `limit` rows are looked at: however many there are, it is quick. */
  totals(appId: number, now: number, limit: number): Promise<ActivityTotals>;
}

/** The parts of a logged request that can tell of a person. */
type RequestParts = { path: string; request: string | null; answer: string | null };

type RequestFacts = {
  /** A UUID of version 7: they sort by time. */
  requestUid: string;
  at: number;
  method: string;
  /** The path as a pattern; null: no route knew it. */
  route: string | null;
  status: number;
  code: string | null;
  milliseconds: number;
  requestId: string;
  /** Shortened. */
  address: string;
  userAgent: string;
  /** What the Authorization header was, without what was in it. */
  credentials: 'none' | 'basic' | 'bearer';
};

export type NewLoggedRequest = RequestFacts & {
  appId: number;
  /** Whom the request names; null: nobody. */
  userId: string | null;
  clientUserId: string | null;
  /** Kept if all that it names is one user who is there, and for as long as the user is there. */
  full: RequestParts;
  /** Kept otherwise: nothing in it tells of a person. */
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
  /** Those of applications that are gone are dropped. */
  add(requests: readonly NewLoggedRequest[]): Promise<void>;
  /** Removes all of an application but the newest. */
  trim(appId: number, keep: number): Promise<void>;
  /** Newest first, without bodies (null). */
  list(appId: number, filter: RequestFilter, page: { before: string | null; limit: number }): Promise<LoggedRequest[]>;
  find(appId: number, requestUid: string): Promise<LoggedRequest | undefined>;
  count(appId: number, span: { from: number; to: number }): Promise<number>;
}

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
