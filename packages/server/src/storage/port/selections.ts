import type { UserRecord } from './users.ts';

export type SelectionRecord = {
  selectionId: string;
  keyNo: number;
  /** The catalog revision it was checked against when it was saved. */
  revision: number;
  /** JSON of the canonical value: a scalar, or an array for a key with multiple values. */
  value: string;
  /** For an open text: the tag of the language that `value` is written in. */
  language: string | null;
  /** For an open text: JSON of its texts in other languages, by tag, ordered by tag; null: none. */
  texts: string | null;
  /** Counts the changes of the selection; saving the same value again is not a change. */
  version: number;
  createdAt: number;
  updatedAt: number;
};

/** How a change was authorised. */
export const SELECTION_AUTH_METHODS = [
  'user_uid',
  'access_token',
  'import',
  'manage',
  /** Saved by the user on the preference page, or by one click in a mail program (RFC 8058). */
  'preference_link',
  'unsubscribe',
] as const;
export type SelectionAuthMethod = (typeof SELECTION_AUTH_METHODS)[number];

export type SelectionEvent = {
  selectionId: string;
  keyNo: number;
  at: number;
  authMethod: SelectionAuthMethod;
  /** Who changed it through /manage/v1; null: the user or the application. */
  actor: string | null;
  /** For an open text: the language whose text was saved. */
  language: string | null;
  /** JSON; null: no value before, or unset. */
  fromValue: string | null;
  toValue: string | null;
};

/** A position in the history of a user, by selection and change. */
export type HistoryPlace = { selectionId: string; eventNo: number };

export type NewSelection = Pick<SelectionRecord, 'selectionId' | 'keyNo' | 'revision' | 'value' | 'language'> & {
  texts?: string | null | undefined;
  /** The tag of the language in which the user saw the options; undefined: unknown. */
  shownIn?: string | undefined;
};

/** How a selection was last saved; null if unknown, as for older selections. */
export type SelectionOrigin = { selectionId: string; authMethod: SelectionAuthMethod | null; shownIn: string | null };

/** The state that a selection must have for a save to succeed; null: there must be none. */
type ExpectedSelection =
  | Pick<SelectionRecord, 'selectionId' | 'version'>
  | null
  /** None, or an open text in this language alone, so that no text in another language is lost. */
  | 'own-text';

export type WantedChange = NewSelection & {
  /** undefined: any version. */
  expected?: ExpectedSelection | undefined;
  /** For the history of an open text in several languages, where `value` may be in another language. */
  text?: { language: string; from: string | null; to: string } | undefined;
};

export type SelectionChange = {
  at: number;
  authMethod: SelectionAuthMethod;
  /** Who makes it through /manage/v1, and the names of the keys for the audit log. */
  by?: { actor: string; appId: number; keys: readonly string[] } | undefined;
};

export type SaveOutcome =
  | { outcome: 'saved'; records: SelectionRecord[] }
  | { outcome: 'user-gone' }
  | { outcome: 'user-suspended' }
  /** One of them is not in the expected state; nothing was saved. */
  | { outcome: 'changed' };

export type ValueRow = { value: string; count: number };

export type ValuePage = { rows: ValueRow[]; next: string | null };

export type KeySurvey = {
  /** All users of the application, with or without a selection. */
  users: number;
  /**
   * Current selections by the period in which they were last saved, in order: the total, the count of each listed
   * value, then the count of each common one.
   */
  periods: { day: number; total: number; counts: number[] }[];
  /** The most common unlisted values, most frequent first. */
  common: ValueRow[];
  /** The number of distinct unlisted values. */
  different: number;
};

/** `listed`: values as JSON; empty for an open key. */
export type ListedKey = { keyNo: number; listed: readonly string[] };

/** In the order of the keys; `counts` in the order of `listed`. */
export type ListedCounts = { total: number; counts: number[] };

/** Replaces a value in all selections of a key, one batch at a time. */
export type ValueReplacement = {
  keyNo: number;
  /** The whole selection, as stored JSON. */
  from: string;
  to: string;
  /** The revision that contains the new value. */
  revision: number;
  limit: number;
  /** The migration it belongs to, for its audit entry: `group/key`, and the values as the key defines them. */
  migrationId: string;
  subject: string;
  values: { from: unknown; to: unknown };
};

export interface SelectionStore {
  /** All selections of a user, by key number. */
  list(userId: string): Promise<SelectionRecord[]>;
  /** The same for the owner of a live access token (TokenStore.findOwner), in one snapshot. */
  listOfToken(tokenId: string, now: number): Promise<(UserRecord & { selections: SelectionRecord[] }) | undefined>;
  /** The same for the user with this code; with `keyNo`, only this key. */
  listOfUser(
    appId: number,
    userId: string,
    keyNo?: number,
  ): Promise<(UserRecord & { selections: SelectionRecord[] }) | undefined>;
  /**
   * The next selections of a user by key number, with their origin; empty at the end. A page is bounded in rows and
   * bytes.
   */
  walk(userId: string, afterKeyNo: number): Promise<(SelectionRecord & SelectionOrigin)[]>;
  /**
   * Saves all or none, each key at most once, with their history; returns records in the order given. A key saved
   * before keeps its selectionId and createdAt: then the returned selectionId differs from the given one. Saving the
   * same value again updates revision and updatedAt, and adds nothing to the history. For a suspended user, only
   * changes through /manage/v1 are saved.
   */
  save(
    appId: number,
    userId: string,
    selections: readonly WantedChange[],
    change: SelectionChange,
  ): Promise<SaveOutcome>;
  /** Returns how many were replaced, at most `limit`; selections of users that are being deleted are skipped. */
  replaceValue(
    appId: number,
    replacement: ValueReplacement,
    change: { at: number; actor: string | null },
  ): Promise<number>;
  /** With a version: only if the record has that version. */
  unset(userId: string, selectionId: string, change: SelectionChange, version?: number): Promise<'unset' | 'unknown'>;
  /** Unsets these keys in one transaction; returns the numbers of those that were set. */
  unsetKeys(userId: string, keyNos: readonly number[], change: SelectionChange): Promise<number[]>;
  /**
   * Deletes history before a time, for the next `users` users of the application, ordered by clientUserId. Continue
   * after `next`; null after the last.
   */
  purgeHistory(
    appId: number,
    wanted: { before: number; after: string | null; users: number },
  ): Promise<{ removed: number; next: string | null }>;
  /**
   * The history of a user's selections, or of one of them, newest first, including unset ones. A page that would be too
   * large (page-bytes.ts) has fewer items than `limit`, at least one.
   */
  history(
    userId: string,
    page: { offset: number; limit: number },
    selectionId?: string,
  ): Promise<{ total: number; items: SelectionEvent[] }>;
  /**
   * The whole history of a user, for exports: the selection saved first comes last, each with its newest change first;
   * empty at the end. Every page costs the same, and concurrent changes do not shift pages.
   */
  walkHistory(userId: string, after: HistoryPlace | null): Promise<(SelectionEvent & HistoryPlace)[]>;
  /**
   * How many selections of a key have each stored value (JSON), ordered by value, starting after `after`: a key may
   * have as many values as users. A page is bounded in rows and bytes. Continue after `next`; null after the last.
   * Takes seconds for millions of selections, and blocks no one.
   */
  countByValue(appId: number, keyNo: number, after: string | null): Promise<ValuePage>;
  /** Statistics of a key, from one snapshot. As slow as countByValue. */
  survey(
    appId: number,
    keyNo: number,
    wanted: {
      /**
       * The first period, as a day since the epoch, UTC; older selections count for the day before. Null: everything
       * counts for day 0.
       */
      fromDay: number | null;
      /** Length of a period. */
      days: number;
      /**
       * Values to count, as JSON, each separately; null: selections are counted as they are stored, and only in total.
       */
      listed: readonly string[] | null;
      most: number;
    },
    /** PostgreSQL stops immediately; SQLite finishes the key. */
    signal?: AbortSignal,
  ): Promise<KeySurvey>;
  /**
   * How many users have a selection of each of these keys, and how many each listed value: in one scan for all keys
   * where that is faster. `onProgress` gets the share that was read, from 0 to 1.
   */
  countListed(
    appId: number,
    keys: readonly ListedKey[],
    reading: { onProgress(share: number): void; signal: AbortSignal },
  ): Promise<ListedCounts[]>;
}
