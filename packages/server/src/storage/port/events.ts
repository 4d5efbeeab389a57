import type { SelectionEvent } from './selections.ts';
import type { UserRecord } from './users.ts';

/** Stored by their place in this list: new ones go to its end. */
export const EVENT_TYPES = [
  'user.created',
  'user.updated',
  'user.suspended',
  'user.resumed',
  'user.deleted',
  'selection.saved',
  'selection.unset',
  'catalog.published',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/**
 * The events of an application in order: an act writes its event in its own transaction. What an event tells of a user is kept in rows of
 * the user (selection_events, user_changes), which go with the user: ids are all that is left then.
 */
export type StoredEvent = {
  /** Its position. Never used twice, also not after a restore: numbers begin at the time in microseconds. */
  no: number;
  type: EventType;
  at: number;
  /** null: about the catalog. */
  userId: string | null;
  /** Of user.created, updated, suspended and resumed: the user after it. null: deleted since. */
  user: Pick<UserRecord, 'clientUserId' | 'clientUserName' | 'status'> | null;
  /** Of selection.saved and unset. */
  selection: {
    selectionId: string;
    keyNo: number;
    revision: number;
    /** null: the user was deleted since. */
    change: Pick<SelectionEvent, 'authMethod' | 'actor' | 'fromValue' | 'toValue'> | null;
  } | null;
  /** Of catalog.published. */
  published: { revision: number; changes: number; breaking: boolean; by: string } | null;
};

/** About as much as it takes. */
export function sizeOfEvent({ selection }: StoredEvent): number {
  const { fromValue = null, toValue = null } = selection?.change ?? {};
  return (fromValue?.length ?? 0) + (toValue?.length ?? 0);
}

export type EventPage =
  /**
   * `next` goes on after the last item, or after all that was looked at: it moves even when there are no items. `more`: there is
   * more to read at once.
   */
  | { outcome: 'read'; items: StoredEvent[]; next: number; more: boolean }
  /** Events after the position were purged; `oldest` is the position before the oldest one that is kept. */
  | { outcome: 'expired'; oldest: number };

export interface EventStore {
  /**
   * The next events after a position, at most `limit`, and fewer if they are large (page-bytes.ts). The work is bounded, however few are of the types asked for. A reader that continues
   * from `next` misses no event, even if others commit meanwhile.
   */
  read(
    appId: number,
    after: number | 'start' | 'latest',
    page: { limit: number; types?: readonly EventType[] | undefined },
  ): Promise<EventPage>;
  /** Those that are kept, in order, as they are to be told now. */
  find(appId: number, nos: readonly number[]): Promise<StoredEvent[]>;
  /**
   * The latest events before a position (null: all), newest first, at most `limit`, and fewer if they are large. A filter looks at a bounded number of events: `next` is where to
   * go on, also when none was found; null: there are no older ones.
   */
  listBack(
    appId: number,
    filter: { type?: EventType | undefined; userId?: string | undefined },
    page: { before: number | null; limit: number },
  ): Promise<{ items: StoredEvent[]; next: number | null }>;
  /** While it stays the same, nothing was written for any application. */
  newest(): Promise<number>;
  /** Whether it is cheap to read on from a position: at most about so many events were written after it. */
  isNear(appId: number, after: number, atMost: number): Promise<boolean>;
  /** The number of the newest event of each of these applications that has one. */
  newestOf(appIds: readonly number[]): Promise<Map<number, number>>;
  /** Removes the oldest events from before a time, a bounded number; answers how many. */
  purge(appId: number, before: number): Promise<number>;
}
