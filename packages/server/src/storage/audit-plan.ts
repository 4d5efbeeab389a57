import type { AuditDetail } from './audit-details.ts';
import type { Stores } from './port.ts';

export type AuditedAct<Args extends unknown[], Outcome> = {
  /** Locks the application (the first argument) first, so that nothing changes it between `before` and the act. */
  locksApplication?: true;
  /** What must be known of the state before. */
  // biome-ignore lint/suspicious/noExplicitAny: each act's own; `entries` says what it is
  before?(stores: Stores, ...args: Args): Promise<any>;
  /** The entries for the change; none if nothing changed. */
  // biome-ignore lint/suspicious/noExplicitAny: see above
  entries(stores: Stores, outcome: Outcome, before: any, ...args: Args): AuditDetail[] | Promise<AuditDetail[]>;
};

/** A change without an entry, and the reason. */
type Unaudited = { because: string };

type Plan<Act> = Act extends (...args: infer Args) => Promise<infer Outcome>
  ? 'read' | Unaudited | AuditedAct<Args, Outcome>
  : never;

export const STATISTICS: Unaudited = { because: 'statistics, no decision of a person' };
export const LAST_USE: Unaudited = { because: 'a time of last use, no decision of a person' };
export const THROTTLE: Unaudited = { because: 'a limit that counts, no decision of a person' };
export const SIGN_IN: Unaudited = { because: 'signing in and out changes no settings; the list of sessions shows it' };
export const SERVICE: Unaudited = { because: 'the service does it by itself' };
export const BY_HISTORY: Unaudited = { because: 'the history of selections has who changed them' };
export const TRIAL: Unaudited = { because: 'the end of a trial, which has its own entry' };
export const ITSELF: Unaudited = { because: 'the audit itself' };

/** What each act of some stores adds to the audit. A new act does not compile until it is listed. */
export type Plans<Names extends keyof Stores> = {
  [Store in Names]: { [Act in keyof Stores[Store]]-?: Plan<Stores[Store][Act]> };
};
