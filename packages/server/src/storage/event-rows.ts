import {
  EVENT_TYPES,
  type EventPage,
  type EventType,
  type Publication,
  type StoredEvent,
  type UserChange,
  type UserStatus,
} from './port.ts';

/** As `events.type` has it. */
export const typeNo = (type: EventType): number => EVENT_TYPES.indexOf(type);

/** The types whose event tells the user's id, name and status. */
export const STATE_TYPES: readonly number[] = (
  ['user.created', 'user.updated', 'user.suspended', 'user.resumed'] as const
).map(typeNo);

/** Rows that a read looks at when it wants certain types: they may be rare among many. */
const MAX_SCANNED = 2_000;
export const scanLimit = (limit: number, types: readonly EventType[] | undefined): number =>
  types ? Math.max(limit, MAX_SCANNED) : limit;

/** The events of a change of a user. */
export function typesOfChange(changed: readonly (keyof UserChange)[], status: string): EventType[] {
  const types: EventType[] = changed.some((name) => name !== 'status') ? ['user.updated'] : [];
  if (changed.includes('status')) types.push(status === 'suspended' ? 'user.suspended' : 'user.resumed');
  return types;
}

/** An import tells of a user once: of the status, if that changed. */
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
  means: string | null;
  actor: string | null;
  fromValue: string | null;
  toValue: string | null;
};

export function toEvent(row: EventRow): StoredEvent {
  const { no, type, at, userId, selectionId, keyNo, revision, data, clientUserId, clientUserName, status } = row;
  const { means, actor, fromValue, toValue } = row;
  const selection = {
    ...{ selectionId, keyNo, revision },
    change: means === null ? null : { means, actor, fromValue, toValue },
  } as StoredEvent['selection'];
  return {
    ...{ no, type: EVENT_TYPES[type] as EventType, at, userId },
    user: clientUserId === null ? null : ({ clientUserId, clientUserName, status } as StoredEvent['user']),
    selection: selectionId === null ? null : selection,
    published: data === null ? null : { revision: revision as number, ...JSON.parse(data) },
  };
}

/** About as much as it takes. */
export function sizeOfEvent({ selection }: StoredEvent): number {
  const { fromValue = null, toValue = null } = selection?.change ?? {};
  return (fromValue?.length ?? 0) + (toValue?.length ?? 0);
}

type Found = {
  items: StoredEvent[];
  after: number;
  limit: number;
  /** Items behind them had no place on the page (page-bytes.ts). */
  isFull: boolean;
  /** The last row that was looked at, if there may be more behind it. */
  cutAt: number | null;
  /** Everything up to here could be seen. */
  upTo: number;
};

export function toPage({ items, after, limit, isFull, cutAt, upTo }: Found): EventPage {
  const last = items.at(-1);
  if (last && (isFull || items.length >= limit)) return { outcome: 'read', items, next: last.no, more: true };
  if (cutAt !== null) return { outcome: 'read', items, next: cutAt, more: true };
  return { outcome: 'read', items, next: Math.max(after, upTo), more: false };
}
