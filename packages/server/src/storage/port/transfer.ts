import type { NewSelection, SelectionRecord } from './selections.ts';
import type { UserStatus } from './users.ts';

/** A profile with its user and the user's selections. */
export type StoredUser = {
  clientUserId: string;
  clientUserName: string;
  /** For a profile without a user: the user it once had. */
  userId: string;
  /** null: a profile that outlived its user. */
  createdAt: number | null;
  /** null if createdAt is. */
  status: UserStatus | null;
  /** null: the user has not changed since. */
  updatedAt: number | null;
  /** By key number. */
  selections: SelectionRecord[];
};

export type ImportSelection = NewSelection & { createdAt: number; updatedAt: number };

export type ImportEntry = {
  clientUserId: string;
  clientUserName: string;
  /** The id to keep; null: any. */
  userId: string | null;
  /** For a new user without an id to keep. */
  newUserId: string;
  /** null: only a profile, without a user. */
  createdAt: number | null;
  /** Default: active for a new user, else unchanged. */
  status?: UserStatus | undefined;
  /** For a new user. */
  updatedAt?: number | undefined;
  /** Each key and each selectionId at most once. */
  selections: ImportSelection[];
};

/**
 * What to do with an existing user: report whether it differs, update it (what the entry does not name stays, and so
 * does a selection saved or unset after the entry's updatedAt), or leave it alone.
 */
export type IfThere = 'compare' | 'update' | 'keep';

export type ImportOutcome =
  | 'created'
  /** A profile without a user. */
  | 'profile-created'
  /** The profile existed without a user, and has this one now. */
  | 'adopted'
  | 'updated'
  | 'unchanged'
  /** `keptNewer` selections differ and were kept: they are newer than the entry's. */
  | { outcome: 'updated' | 'unchanged'; keptNewer: number }
  /** It existed and was left unchanged. */
  | 'kept'
  /** Only a profile was to be created, but it exists with a user. */
  | 'has-user'
  /** The user of this userId was deleted, and stays deleted. */
  | 'deleted-since'
  /** Another user has this userId. */
  | 'user-id-taken'
  /** It exists and differs; a number is the index of a selection. */
  | { differsIn: 'userId' | 'clientUserName' | 'status' | number };

/** `importId`: shared by all batches of an import, a version 7 UUID. */
export type ImportChange = {
  at: number;
  ifThere: IfThere;
  importId: string;
  /** Restore deleted users. */
  restoreDeleted?: boolean;
  /** By default, each user that is created or changed has one event. */
  withoutEvents?: boolean;
};

/** About as many bytes as a record has besides what was saved. */
export const RECORD_BYTES = 256;

/** Characters of a user with everything saved: few for most, a thousand times as many for some. */
export function sizeOfUser({ selections }: StoredUser): number {
  const size = (text: string | null): number => text?.length ?? 0;
  return selections.reduce((sum, { value, texts }) => sum + RECORD_BYTES + size(value) + size(texts), RECORD_BYTES);
}

export type StoredUserPage = { users: StoredUser[]; next: string | null };

export interface TransferStore {
  /** One transaction. No clientUserId may occur twice; returns an outcome for each entry, in the order given. */
  importUsers(
    appId: number,
    entries: readonly ImportEntry[],
    change: ImportChange,
  ): Promise<{ outcomes: ImportOutcome[] } | { outcome: 'application-gone' }>;
  /**
   * The next users after a clientUserId, in byte order. A page that would be too large (page-bytes.ts) has fewer than `limit`, at least
   * one; `next` says where to go on, null after the last.
   */
  exportUsers(appId: number, page: { after: string | null; limit: number }): Promise<StoredUserPage>;
  find(appId: number, clientUserId: string): Promise<StoredUser | undefined>;
}
