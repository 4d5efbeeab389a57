import { createHash } from 'node:crypto';
import { formatTime } from '../time.ts';
import type {
  ApplicationRecord,
  AuditAction,
  DraftChange,
  ImportOutcome,
  ManageTokenRecord,
  MemberRecord,
  Membership,
  SelectionChange,
  Stores,
  UserChange,
  UserRecord,
  WebhookRecord,
} from './port.ts';

export type AuditedAct<Args extends unknown[], Outcome> = {
  /** Locks the application (the first argument) first, so that nothing changes it between `before` and the act. */
  locksApplication?: true;
  /** What must be known of the state before. If there was nothing, there is no entry. */
  // biome-ignore lint/suspicious/noExplicitAny: each act's own; `entries` says what it is
  before?(stores: Stores, ...args: Args): Promise<any>;
  /** The only outcome with entries. */
  on?: NameOf<Outcome>;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  entries(context: { stores: Stores; outcome: Outcome; before: any }, ...args: Args): Entries | Promise<Entries>;
};

type Entries = AuditDetail | readonly AuditDetail[];

/** Of an outcome that is a name, or has one. */
type NameOf<Outcome> = Outcome extends string ? Outcome : Outcome extends { outcome: infer Name } ? Name : never;

/** What `before` of an act returned, unless it found nothing. */
export type Before<Found> = { before: Found };

/** A change without an entry, and the reason. */
type Unaudited = { because: string };

type Plan<Act> = Act extends (...args: infer Args) => Promise<infer Outcome>
  ? 'read' | Unaudited | AuditedAct<Args, Outcome>
  : never;

export const STATISTICS: Unaudited = { because: 'statistics, not a decision of a person' };
export const LAST_USE: Unaudited = { because: 'a time of last use, not a decision of a person' };
export const THROTTLE: Unaudited = { because: 'a limit that counts, not a decision of a person' };
export const SIGN_IN: Unaudited = { because: 'signing in and out changes no settings; the list of sessions shows it' };
export const SERVICE: Unaudited = { because: 'the service does it by itself' };
export const BY_HISTORY: Unaudited = { because: 'the history of selections has who changed them' };
export const TRIAL: Unaudited = { because: 'the end of a trial, which has its own entry' };
export const ITSELF: Unaudited = { because: 'the audit log itself' };

export function reads<Name extends string>(...names: Name[]): Record<Name, 'read'> {
  return Object.fromEntries(names.map((name) => [name, 'read'])) as Record<Name, 'read'>;
}

/** What each act of some stores adds to the audit log. A new act does not compile until it is listed. */
export type Plans<Names extends keyof Stores> = {
  [Store in Names]: { [Act in keyof Stores[Store]]-?: Plan<Stores[Store][Act]> };
};

/** The content of an audit entry. Never contains secrets. */
type AuditDetail = {
  action: AuditAction;
  /** null: the entry concerns the installation. */
  appId: number | null;
  subject: string;
  userId?: string | null;
  before?: unknown;
  after?: unknown;
  /** For a change over many transactions: the entry they share. These counts are added to those in its `after`. */
  sharedUid?: string;
};

/** Maximum number of changed places in an entry, and characters for each. */
const EDITED = { places: 10, characters: 100 };

export async function findApplication(stores: Stores, appId: number): Promise<ApplicationRecord | undefined> {
  const [application] = await stores.applications.list([appId]);
  return application;
}

export async function findMember(stores: Stores, appId: number, accountId: string): Promise<MemberRecord | undefined> {
  return (await stores.members.list(appId)).find((each) => each.accountId === accountId);
}

/** Falls back to the id if there is no such account. */
export async function findAccountEmail(stores: Stores, accountId: string): Promise<string> {
  return (await stores.accounts.list()).find((each) => each.accountId === accountId)?.email ?? accountId;
}

/** With languages only if the role is limited to them. */
export function detailOfRole({ role, languages }: Pick<Membership, 'role' | 'languages'>): object {
  return { role, ...(languages && { languages }) };
}

export function detailOfJoining(email: string, membership: Membership): AuditDetail {
  return { action: 'member.joined', appId: membership.appId, subject: email, after: detailOfRole(membership) };
}

/** One entry for each application of the token, or one for the installation. */
export function detailOfToken(
  action: AuditAction,
  { tokenId, name, appIds, access, expiresAt }: ManageTokenRecord,
): AuditDetail[] {
  const what = { tokenId, access, expiresAt: formatTime(expiresAt) };
  const part = action === 'token.created' ? { after: what } : { before: what };
  return (appIds ?? [null]).map((appId) => ({ action, appId, subject: name, ...part }));
}

/**
 * The version and the places that the edit changed. The changes themselves are stored with the draft and its revision.
 */
export function draftEdit({ appId, draft, edit }: DraftChange): AuditDetail {
  const changes = JSON.parse(edit.difference) as { path: string }[];
  const places = changes.slice(0, EDITED.places).map(({ path }) => shorten(path, EDITED.characters));
  return {
    action: 'catalog.draftEdited',
    appId,
    subject: String(draft.baseRevision),
    after: { kind: edit.kind, version: draft.version, changes: changes.length, places },
  };
}

function shorten(text: string, characters: number): string {
  const all = [...text];
  return all.length <= characters ? text : `${all.slice(0, characters - 1).join('')}…`;
}

/** Names keys only: the chosen values are personal. */
export function detailOfOptions(
  what: 'saved' | 'unset',
  userId: string,
  by: NonNullable<SelectionChange['by']>,
): AuditDetail {
  const keys = by.keys.slice(0, EDITED.places).map((key) => shorten(key, EDITED.characters));
  return { action: 'user.optionsChanged', appId: by.appId, subject: '', userId, after: { [what]: keys } };
}

/** One entry per import, regardless of the number of batches. */
export function importCounts(appId: number, importId: string, outcomes: readonly ImportOutcome[]): Entries {
  const names = outcomes.map((each) => (typeof each === 'object' && 'outcome' in each ? each.outcome : each));
  const count = (wanted: ImportOutcome): number => names.filter((name) => name === wanted).length;
  const after = {
    created: count('created'),
    adopted: count('adopted'),
    updated: count('updated'),
    profilesOnly: count('profile-created'),
  };
  if (Object.values(after).every((each) => each === 0)) return [];
  return { action: 'users.imported', appId, subject: '', after, sharedUid: importId };
}

export function detailOfChange(before: ApplicationRecord, after: ApplicationRecord | undefined): Entries {
  if (!after) return [];
  const changed = differences(describe(before), describe(after));
  if (Object.keys(changed.after).length === 0) return [];
  return { action: 'application.changed', appId: after.appId, subject: after.name, ...changed };
}

function describe({ name, settings }: ApplicationRecord): Record<string, unknown> {
  return { name, ...settings, ...(typeof settings.logo === 'string' && { logo: nameLogo(settings.logo) }) };
}

/** A short name instead of the bytes, unique to each logo. */
function nameLogo(logo: string): string {
  const type = logo.slice('data:'.length, logo.indexOf(';'));
  const bytes = Buffer.from(logo.slice(logo.indexOf(',') + 1), 'base64');
  return `${type}, ${bytes.length} bytes, SHA-256 ${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}`;
}

/** The members that differ, before and after; an unset one is null. */
function differences(before: Record<string, unknown>, after: Record<string, unknown>) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  const pick = (all: Record<string, unknown>) => Object.fromEntries(names.map((name) => [name, all[name] ?? null]));
  return { before: pick(before), after: pick(after) };
}

export async function findWebhook({ webhooks }: Stores, appId: number, webhookId: string) {
  return webhooks.find(appId, webhookId);
}

/** Named by the host of its receiver. */
export function detailOfWebhook(
  action: AuditAction,
  { appId, webhookId, url }: Pick<WebhookRecord, 'appId' | 'webhookId' | 'url'>,
  after?: object,
): AuditDetail {
  return { action, appId, subject: URL.parse(url)?.host ?? url, after: { webhookId, ...after } };
}

export function detailOfWebhookChange(before: WebhookRecord, after: WebhookRecord | undefined): Entries {
  if (!after) return [];
  const describe = ({ url, types, description, maxPerSecond, off }: WebhookRecord) => ({
    ...{ url, types, description, maxPerSecond },
    enabled: !off,
  });
  const changed = differences(describe(before), describe(after));
  if (Object.keys(changed.after).length === 0) return [];
  return { ...detailOfWebhook('webhook.changed', after, changed.after), before: changed.before };
}

/** Names the changed fields but not their values, which are deleted with the user, while the entry stays. */
export function detailOfUser({ user, changed }: { user: UserRecord; changed: (keyof UserChange)[] }): AuditDetail[] {
  const { appId, userId, status } = user;
  const fields = changed.filter((name) => name !== 'status');
  const about = { appId, subject: '', userId };
  return [
    ...(fields.length > 0 ? [{ ...about, action: 'user.changed' as const, after: { changed: fields } }] : []),
    ...(changed.includes('status')
      ? [{ ...about, action: status === 'suspended' ? ('user.suspended' as const) : ('user.resumed' as const) }]
      : []),
  ];
}
