import type { UserRecord } from './users.ts';

export type SelectionRecord = {
  selectionId: string;
  keyNo: number;
  /** The catalog revision it was checked against: what was true when it was saved. */
  revision: number;
  /** JSON of the canonical value: a scalar, or an array for a key that takes several. */
  value: string;
  /** For an open text: the tag of the language that `value` is written in. */
  language: string | null;
  /** For an open text: JSON of its texts in other languages, by tag, in the order of the tags; null: there are none. */
  texts: string | null;
  /** Counts the changes of the selection; what is saved as it was changes nothing. */
  version: number;
  createdAt: number;
  updatedAt: number;
};

/** How a change came about. */
export const SELECTION_AUTH_METHODS = [
  'user_uid',
  'access_token',
  'import',
  'manage',
  /** By the user on the page of a preference link, or by one click in a mail program (RFC 8058). */
  'preference_link',
  'unsubscribe',
] as const;
export type SelectionAuthMethod = (typeof SELECTION_AUTH_METHODS)[number];

export type SelectionEvent = {
  selectionId: string;
  keyNo: number;
  at: number;
  authMethod: SelectionAuthMethod;
  /** Who changed it by /manage/v1; null: the user or the application. */
  actor: string | null;
  /** Of an open text: the language whose text was saved. */
  language: string | null;
  /** JSON; null: there was none before, or it was unset. */
  fromValue: string | null;
  toValue: string | null;
};

/** A place in the history of a user, by selection and change. */
export type HistoryPlace = { selectionId: string; eventNo: number };

export type NewSelection = Pick<SelectionRecord, 'selectionId' | 'keyNo' | 'revision' | 'value' | 'language'> & {
  texts?: string | null | undefined;
  /** The tag of the language in which it was shown to who chose; undefined: nobody said. */
  shownIn?: string | undefined;
};

/** How a selection was last saved; null where that is not known, as of those from before it was kept. */
export type SelectionOrigin = { selectionId: string; authMethod: SelectionAuthMethod | null; shownIn: string | null };

/** What a selection has to be for a save to be carried out. null: there must be none. */
type ExpectedSelection =
  | Pick<SelectionRecord, 'selectionId' | 'version'>
  | null
  /** None, or an open text in this language alone: nothing in another language would be lost. */
  | 'own-text';

export type WantedChange = NewSelection & {
  /** undefined: any version. */
  expected?: ExpectedSelection | undefined;
  /** What the history tells, of an open text that has others beside it: `value` may be of another language. */
  text?: { language: string; from: string | null; to: string } | undefined;
};

export type SelectionChange = {
  at: number;
  authMethod: SelectionAuthMethod;
  /** Who makes it by /manage/v1, and what the audit tells of it: the keys, by name. */
  by?: { actor: string; appId: number; keys: readonly string[] } | undefined;
};

export type SaveOutcome =
  | { outcome: 'saved'; records: SelectionRecord[] }
  | { outcome: 'user-gone' }
  | { outcome: 'user-suspended' }
  /** One of them is not as expected; nothing was saved. */
  | { outcome: 'changed' };

export type ValueRow = { value: string; count: number };

export type ValuePage = { rows: ValueRow[]; next: string | null };

export type KeySurvey = {
  /** Of the application, whether they chose or not. */
  users: number;
  /**
   * Selections as they are, by the period in which each was last saved, in order: how many, and how many with each value that is listed, then with each
   * that is common.
   */
  periods: { day: number; total: number; counts: number[] }[];
  /** The most common values that are not listed, most frequent first. */
  common: ValueRow[];
  /** How many different values there are that are not listed. */
  different: number;
};

/** `listed`: JSON texts of values; empty for an open key. */
export type ListedKey = { keyNo: number; listed: readonly string[] };

/** In the order of the keys; `counts` in the order of `listed`. */
export type ListedCounts = { total: number; counts: number[] };

/** Every selection of a key that holds a value, a number of them at a time. */
export type ValueReplacement = {
  keyNo: number;
  /** JSON as it is stored, of the whole selection. */
  from: string;
  to: string;
  /** The revision that has the new value. */
  revision: number;
  limit: number;
  /** Of the migration that it is part of, for its entry in the audit: `group/key`, and the values as the key has them. */
  migrationId: string;
  subject: string;
  values: { from: unknown; to: unknown };
};

export interface SelectionStore {
  /** All of a user's, by key number. */
  list(userId: string): Promise<SelectionRecord[]>;
  /** The same of the owner of a live access token (TokenStore.findOwner), of one moment with that. */
  listOfToken(tokenId: string, now: number): Promise<(UserRecord & { selections: SelectionRecord[] }) | undefined>;
  /** The same of the user with this code; `keyNo`: of this key alone. */
  listOfUser(
    appId: number,
    userId: string,
    keyNo?: number,
  ): Promise<(UserRecord & { selections: SelectionRecord[] }) | undefined>;
  /** The next of a user's by key number, with how they came about; none at the end. A page is bounded in rows and bytes. */
  walk(userId: string, afterKeyNo: number): Promise<(SelectionRecord & SelectionOrigin)[]>;
  /**
   * All or none, each key at most once, with their history; records come in the order given. A key saved before
   * keeps its selectionId and createdAt: a returned selectionId that differs from the new one given says so. What is saved
   * as it was has a new revision and updatedAt, and nothing in the history. For a suspended user, only who manages the
   * application saves.
   */
  save(
    appId: number,
    userId: string,
    selections: readonly WantedChange[],
    change: SelectionChange,
  ): Promise<SaveOutcome>;
  /** Answers how many were replaced, at most `limit`; selections of users that are being deleted are left alone. */
  replaceValue(
    appId: number,
    replacement: ValueReplacement,
    change: { at: number; actor: string | null },
  ): Promise<number>;
  /** With a version: only the record of that version. */
  unset(userId: string, selectionId: string, change: SelectionChange, version?: number): Promise<'unset' | 'unknown'>;
  /** What was saved of these keys, all at once; answers the numbers of those that were. */
  unsetKeys(userId: string, keyNos: readonly number[], change: SelectionChange): Promise<number[]>;
  /**
   * Removes history from before a time, of the next so many users of the application, in the order of their clientUserIds; `next`
   * says where to go on, null after the last.
   */
  purgeHistory(
    appId: number,
    wanted: { before: number; after: string | null; users: number },
  ): Promise<{ removed: number; next: string | null }>;
  /**
   * What became of a user's selections, or of one of them, newest first; what was unset is still told. A page that would be too large
   * (page-bytes.ts) has fewer items than `limit`, at least one.
   */
  history(
    userId: string,
    page: { offset: number; limit: number },
    selectionId?: string,
  ): Promise<{ total: number; items: SelectionEvent[] }>;
  /**
   * The same of all selections, for who reads everything: those saved first last, each with its newest change first; nothing at the end. Each
   * page costs the same, and what happens meanwhile shifts nothing.
   */
  walkHistory(userId: string, after: HistoryPlace | null): Promise<(SelectionEvent & HistoryPlace)[]>;
  /**
   * How many selections of a key hold each stored value (JSON text), in the order of the values, those after one: a key may have
   * as many values as users. A page is bounded in rows and bytes; `next` says where to go on, null after the last. Among
   * millions it takes seconds, and holds nobody up.
   */
  countByValue(appId: number, keyNo: number, after: string | null): Promise<ValuePage>;
  /** How users chose for a key, of one moment. It takes its time as countByValue does. */
  survey(
    appId: number,
    keyNo: number,
    wanted: {
      /** The first period, as a day since the epoch, UTC: what is older counts as of the day before. Null: all counts as of day 0. */
      fromDay: number | null;
      /** Length of a period. */
      days: number;
      /** JSON texts of the values that are counted, each separately; null: selections are counted as they are stored, and only in all. */
      listed: readonly string[] | null;
      most: number;
    },
    /** PostgreSQL stops at once; SQLite finishes the key. */
    signal?: AbortSignal,
  ): Promise<KeySurvey>;
  /**
   * How many users chose for each of these keys, and how many each value that is listed: one reading for all keys where that is
   * faster. `onProgress` gets the share that is read, from 0 to 1.
   */
  countListed(
    appId: number,
    keys: readonly ListedKey[],
    reading: { onProgress(share: number): void; signal: AbortSignal },
  ): Promise<ListedCounts[]>;
}
