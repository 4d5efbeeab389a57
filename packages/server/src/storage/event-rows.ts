import { PAGE_BYTES } from '../page-bytes.ts';
import {
  EVENT_TYPES,
  type EventPage,
  type EventStore,
  type EventType,
  type Publication,
  type StoredEvent,
  sizeOfEvent,
  type UserChange,
  type UserStatus,
} from './port.ts';

/** The number stored in `events.type`. */
export const typeNumber = (type: EventType): number => EVENT_TYPES.indexOf(type);

/** The types whose events contain the user's id, name and status. */
export const STATE_TYPES: readonly number[] = (
  ['user.created', 'user.updated', 'user.suspended', 'user.resumed'] as const
).map(typeNumber);

/** Maximum rows scanned when certain types are requested: they may be rare. */
const MAX_SCANNED = 2_000;
export const scanLimit = (limit: number, types: readonly EventType[] | undefined): number =>
  types ? Math.max(limit, MAX_SCANNED) : limit;

/** The same backwards, for people who look for the events of one user. */
const MAX_SCANNED_BACK = 20_000;

/**
 * Newest first, with the scanned rows. For both databases: `bind` turns a position in [appId, before, scanned, type,
 * user, limit] into a parameter.
 */
export const listBackText = (bind: (position: number) => string): string => `
  with looked_at as materialized (
    select no, type, user_id from events where app_id = ${bind(1)} and no < ${bind(2)} order by no desc limit ${bind(3)}
  ), page as (
    select no from looked_at where type = coalesce(${bind(4)}, type) and (${bind(5)} is null or user_id = ${bind(5)})
    order by no desc limit ${bind(6)}
  )
  select l.scanned, l.last, p.no from (select count(*) as scanned, min(no) as last from looked_at) l left join page p on true
  order by p.no desc
`;

export type ListBackRow = { scanned: number; last: number | null; no: number | null };

type ListBackFilter = Parameters<EventStore['listBack']>[1];

export function listBackScan({ type, userId }: ListBackFilter, limit: number): number {
  return type === undefined && userId === undefined ? limit : MAX_SCANNED_BACK;
}

const AT_ONCE = 10;

export async function toListBack(
  rows: readonly ListBackRow[],
  { scan, limit }: { scan: number; limit: number },
  find: (nos: readonly number[]) => Promise<StoredEvent[]>,
): ReturnType<EventStore['listBack']> {
  const nos = rows.flatMap(({ no }) => (no === null ? [] : [no]));
  const { scanned = 0, last = null } = rows[0] ?? {};
  const items: StoredEvent[] = [];
  let bytes = 0;
  let read = 0;
  for (; read < nos.length && bytes < PAGE_BYTES; read += AT_ONCE) {
    const some = (await find(nos.slice(read, read + AT_ONCE))).toReversed();
    for (const each of some) bytes += sizeOfEvent(each);
    items.push(...some);
  }
  const isCut = read < nos.length || nos.length === limit;
  return { items, next: isCut ? (nos.slice(0, read).at(-1) as number) : scanned === scan ? last : null };
}

/** The events of a change to a user. */
export function typesOfChange(changed: readonly (keyof UserChange)[], status: string): EventType[] {
  const types: EventType[] = changed.some((name) => name !== 'status') ? ['user.updated'] : [];
  if (changed.includes('status')) types.push(status === 'suspended' ? 'user.suspended' : 'user.resumed');
  return types;
}

/** An import writes one event per user: for the status, if that changed. */
export function typeOfImport(status: UserStatus | null): EventType {
  return typesOfChange(status === null ? ['clientUserName'] : ['status'], status ?? '')[0] as EventType;
}

/** `events.data`, which only publications have. */
export function publishedData({ changes, breaking, author }: Publication): string {
  return JSON.stringify({ changes, breaking, by: author });
}

export type EventRow = {
  no: number;
  type: number;
  at: number;
  userId: string | null;
  selectionId: string | null;
  keyNo: number | null;
  revision: number | null;
  data: string | null;
  clientUserId: string | null;
  clientUserName: string | null;
  status: string | null;
  authMethod: string | null;
  actor: string | null;
  fromValue: string | null;
  toValue: string | null;
};

export function toEvent(row: EventRow): StoredEvent {
  const { no, type, at, userId, selectionId, keyNo, revision, data, clientUserId, clientUserName, status } = row;
  const { authMethod, actor, fromValue, toValue } = row;
  const selection = {
    ...{ selectionId, keyNo, revision },
    change: authMethod === null ? null : { authMethod, actor, fromValue, toValue },
  } as StoredEvent['selection'];
  return {
    ...{ no, type: EVENT_TYPES[type] as EventType, at, userId },
    user: clientUserId === null ? null : ({ clientUserId, clientUserName, status } as StoredEvent['user']),
    selection: selectionId === null ? null : selection,
    published: data === null ? null : { revision: revision as number, ...JSON.parse(data) },
  };
}

type Found = {
  items: StoredEvent[];
  after: number;
  limit: number;
  /** More items may follow that did not fit on the page (page-bytes.ts). */
  isFull: boolean;
  /** The last row scanned, if there may be more after it. */
  cutAt: number | null;
  /** Everything up to here was visible. */
  upTo: number;
};

export function toPage({ items, after, limit, isFull, cutAt, upTo }: Found): EventPage {
  const last = items.at(-1);
  if (last && (isFull || items.length >= limit)) return { outcome: 'read', items, next: last.no, more: true };
  if (cutAt !== null) return { outcome: 'read', items, next: cutAt, more: true };
  return { outcome: 'read', items, next: Math.max(after, upTo), more: false };
}
