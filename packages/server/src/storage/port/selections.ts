import type { UserRecord } from './users.ts';

export type SelectionRecord = {
  selectionId: string;
  keyNo: number;
  /** The catalog revision it was checked against: what was true when it was saved. */
  revision: number;
  /** JSON of the canonical value: a scalar, or an array for a key that takes several. */
  value: string;
  /** For an open text: the tag of the language it is written in. */
  language: string | null;
  createdAt: number;
  updatedAt: number;
};

/** How a change came about. */
export type SelectionMeans = 'user_uid' | 'access_token' | 'import' | 'manage';

export type SelectionEvent = {
  selectionId: string;
  keyNo: number;
  at: number;
  means: SelectionMeans;
  /** JSON; null: there was none before, or it was unset. */
  fromValue: string | null;
  toValue: string | null;
};

export type NewSelection = Pick<SelectionRecord, 'selectionId' | 'keyNo' | 'revision' | 'value' | 'language'>;

export type ValueRow = { value: string; count: number };

export type KeySurvey = {
  /** Of the application, whether they chose or not. */
  users: number;
  /** Selections as they are, by the day on which each was last saved, in order. */
  days: { day: number; value: string | null; count: number }[];
  common: ValueRow[];
  /** How many different values there are, where `common` is asked for. */
  different: number;
};

export interface SelectionStore {
  /** All of a user's, by key number. */
  list(userId: string): Promise<SelectionRecord[]>;
  /** The same of the owner of a live access token (TokenStore.findOwner), of one moment with that. */
  listOfToken(tokenId: string, now: number): Promise<(UserRecord & { selections: SelectionRecord[] }) | undefined>;
  /**
   * All or none, each key at most once, with their history; records come in the order given. A key saved before
   * keeps its selectionId and createdAt: a returned selectionId that differs from the new one given says so.
   * For a suspended user, only who manages the application saves.
   */
  save(
    appId: number,
    userId: string,
    selections: readonly NewSelection[],
    change: { at: number; means: SelectionMeans },
  ): Promise<
    { outcome: 'saved'; records: SelectionRecord[] } | { outcome: 'user-gone' } | { outcome: 'user-suspended' }
  >;
  unset(
    userId: string,
    selectionId: string,
    change: { at: number; means: SelectionMeans },
  ): Promise<'unset' | 'unknown'>;
  /** What became of a user's selections, or of one of them, newest first; what was unset is still told. */
  history(
    userId: string,
    page: { offset: number; limit: number },
    selectionId?: string,
  ): Promise<{ total: number; items: SelectionEvent[] }>;
  /** How many selections of a key hold each stored value (JSON text). Among millions it takes seconds, and holds nobody up. */
  countByValue(appId: number, keyNo: number): Promise<ValueRow[]>;
  /** How users chose for a key, of one moment. It takes its time as countByValue does. */
  survey(
    appId: number,
    keyNo: number,
    wanted: {
      /** Days since the epoch, UTC: what is older counts as of this one. */
      fromDay: number;
      /** Else days are told without values, and the `most` common values apart: a key may have as many as users. */
      byValue: boolean;
      most: number;
    },
  ): Promise<KeySurvey>;
}
