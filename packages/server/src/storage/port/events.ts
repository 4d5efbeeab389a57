import type { SelectionEvent } from './selections.ts';
import type { UserRecord } from './users.ts';

/** Stored by their index in this list: add new ones at the end. */
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
 * Events of an application in order. An act writes its event in its own transaction. Data about a user is stored in
 * rows of the user (selection_events, user_changes), which are deleted with the user; then only ids are left.
 */
export type StoredEvent = {
  /** Its position. Never reused, even after a restore: numbers start at the current time in microseconds. */
  no: number;
  type: EventType;
  at: number;
  /** null for events about the catalog. */
  userId: string | null;
  /** For user.created, updated, suspended and resumed: the user after the change; null if deleted since. */
  user: Pick<UserRecord, 'clientUserId' | 'clientUserName' | 'status'> | null;
  /** For selection.saved and unset. */
  selection: {
    selectionId: string;
    keyNo: number;
    revision: number;
    /** null if the user was deleted since. */
    change: Pick<SelectionEvent, 'authMethod' | 'actor' | 'fromValue' | 'toValue'> | null;
  } | null;
  /** For catalog.published. */
  published: { revision: number; changes: number; breaking: boolean; by: string } | null;
};

/** Approximate, in characters. */
export function sizeOfEvent({ selection }: StoredEvent): number {
  const { fromValue = null, toValue = null } = selection?.change ?? {};
  return (fromValue?.length ?? 0) + (toValue?.length ?? 0);
}

export type EventPage =
  /**
   * `next` is the position after the last item, or after everything that was scanned: it advances even if there are no
   * items. `more`: more events can be read immediately.
   */
  | { outcome: 'read'; items: StoredEvent[]; next: number; more: boolean }
  /** Events after the position were purged; `oldest` is the position before the oldest remaining one. */
  | { outcome: 'expired'; oldest: number };

export interface EventStore {
  /**
   * The next events after a position, at most `limit`, and fewer if they are large (page-bytes.ts). The work is
   * bounded, even if few events have the requested types. A reader that continues from `next` misses no event, even
   * with concurrent commits.
   */
  read(
    appId: number,
    after: number | 'start' | 'latest',
    page: { limit: number; types?: readonly EventType[] | undefined },
  ): Promise<EventPage>;
  /** Those that still exist, in order, in their current form. */
  find(appId: number, nos: readonly number[]): Promise<StoredEvent[]>;
  /**
   * The latest events before a position (null: all), newest first, at most `limit`, and fewer if they are large. With a
   * filter, a bounded number of events is scanned: continue at `next`, even if none was found; null: there are no older
   * ones.
   */
  listBack(
    appId: number,
    filter: { type?: EventType | undefined; userId?: string | undefined },
    page: { before: number | null; limit: number },
  ): Promise<{ items: StoredEvent[]; next: number | null }>;
  /** Changes whenever an event is written for any application. */
  newest(): Promise<number>;
  /** Whether reading from a position is cheap: about `atMost` events or fewer were written after it. */
  isNear(appId: number, after: number, atMost: number): Promise<boolean>;
  /** The number of the newest event of each application; applications without events are omitted. */
  newestOf(appIds: readonly number[]): Promise<Map<number, number>>;
  /** Deletes a bounded number of the oldest events before a time; returns how many. */
  purge(appId: number, before: number): Promise<number>;
}
