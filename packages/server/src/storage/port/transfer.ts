import type { NewSelection, SelectionRecord } from './selections.ts';
import type { UserStatus } from './users.ts';

/** A profile with its user and what the user has selected. */
export type StoredUser = {
  clientUserId: string;
  clientUserName: string;
  /** Of a profile without a user: the user it once had. */
  userId: string;
  /** null: a profile that outlived its user. */
  createdAt: number | null;
  /** null where createdAt is. */
  status: UserStatus | null;
  /** null: nothing of the user has changed since. */
  updatedAt: number | null;
  /** By key number. */
  selections: SelectionRecord[];
};

export type ImportSelection = NewSelection & { createdAt: number; updatedAt: number };

export type ImportEntry = {
  clientUserId: string;
  clientUserName: string;
  /** The one to keep; null: any. */
  userId: string | null;
  /** For a new user that keeps none. */
  newUserId: string;
  /** null: a profile alone, without a user. */
  createdAt: number | null;
  /** Left out: active for a new user, else as it is. */
  status?: UserStatus | undefined;
  /** For a new user. */
  updatedAt?: number | undefined;
  /** Each key at most once, each selectionId at most once. */
  selections: ImportSelection[];
};

/**
 * What to do with a user that is there: tell whether it differs, make it what the entry says (what the entry does not
 * name stays, and so does a selection saved or unset after the entry's updatedAt), or leave it alone.
 */
export type IfThere = 'compare' | 'update' | 'keep';

export type ImportOutcome =
  | 'created'
  /** A profile without a user. */
  | 'profile-created'
  /** The profile was there without a user, and has this one now. */
  | 'adopted'
  | 'updated'
  | 'unchanged'
  /** So many selections differ and were kept: they are newer than the entry's. */
  | { outcome: 'updated' | 'unchanged'; keptNewer: number }
  /** It existed and was left unchanged. */
  | 'kept'
  /** A profile alone was to be made, but it is there with a user. */
  | 'has-user'
  /** The user of this userId was deleted, and stays deleted. */
  | 'deleted-since'
  /** Another user has this userId. */
  | 'user-id-taken'
  /** It is there and differs; a number is the place among the selections. */
  | { differsIn: 'userId' | 'clientUserName' | 'status' | number };

/** `importId`: what the batches of an import have in common, a UUID of version 7. */
export type ImportChange = {
  at: number;
  ifThere: IfThere;
  importId: string;
  /** Users that were deleted come back. */
  restoreDeleted?: boolean;
  /** Else each user that is created or changed has one event. */
  withoutEvents?: boolean;
};

export interface TransferStore {
  /** One transaction. No clientUserId twice among the entries; an outcome for each, in the order given. */
  importUsers(
    appId: number,
    entries: readonly ImportEntry[],
    change: ImportChange,
  ): Promise<{ outcomes: ImportOutcome[] } | { outcome: 'application-gone' }>;
  /** The next ones after a clientUserId, in the order of its bytes. */
  exportUsers(appId: number, page: { after: string | null; limit: number }): Promise<StoredUser[]>;
  find(appId: number, clientUserId: string): Promise<StoredUser | undefined>;
}
