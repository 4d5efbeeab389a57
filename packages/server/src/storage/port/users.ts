export type NewUser = {
  userId: string;
  appId: number;
  clientUserId: string;
  clientUserName: string;
  createdAt: number;
  specialToken: NewSpecialToken;
  idempotency?: { keyHash: string; bodyHash: string; expiresAt: number };
};

export type NewSpecialToken = { tokenHash: string; expiresAt: number };

export type CreateUserOutcome =
  | 'created'
  | 'duplicate'
  /** A profile with this clientUserId exists, but no user does. */
  | 'profile-exists'
  /** The same Idempotency-Key and body were sent before: the user of that request got the new special token. */
  | 'replayed'
  | 'idempotency-mismatch'
  /** The application was deleted in the meantime. */
  | 'application-gone';

export const USER_STATUSES = ['active', 'suspended'] as const;
export type UserStatus = (typeof USER_STATUSES)[number];

export type UserRecord = {
  userId: string;
  appId: number;
  clientUserId: string;
  clientUserName: string;
  status: UserStatus;
  createdAt: number;
  /** When name, clientUserId or status last changed; createdAt until then. */
  updatedAt: number;
};

/** Omitted members do not change. */
export type UserChange = Partial<Pick<UserRecord, 'clientUserId' | 'clientUserName' | 'status'>>;

export type UpdateUserOutcome =
  /** `changed`: the members that differ from before; if empty, updatedAt does not change. */
  | { outcome: 'updated'; user: UserRecord; changed: (keyof UserChange)[] }
  | { outcome: 'unknown' }
  /** Another user has the clientUserId, or a profile without a user does. */
  | { outcome: 'duplicate' | 'profile-exists' };

/** An order for walking through users, backed by an index: by user id, or by a value and then the id. */
export type UserWalk =
  | { by: 'user' }
  /** By creation time, oldest or newest first; from `from` (inclusive) to `to` (exclusive). */
  | { by: 'created'; newest: boolean; from?: number | undefined; to?: number | undefined }
  /** Only this user. */
  | { by: 'one'; userId: string }
  /** Suspended users. */
  | { by: 'suspended' }
  /** Users whose selection of a key is this scalar, as JSON. */
  | { by: 'value'; keyNo: number; value: string }
  /** Users whose selection of a key is one of these, in the order and form of listValues. */
  | { by: 'values'; keyNo: number; values: readonly string[] }
  /** Users with a selection of the key, ordered by its value. */
  | { by: 'key'; keyNo: number };

/** Where a walk continues; `value` is set for walks by key, values or creation. */
export type UserPlace = { userId: string; value?: string };

export type WalkedUser = {
  user: UserRecord;
  place: UserPlace;
  /** The user's selections of the requested keys, by key number. */
  selected: Record<string, WalkedSelection>;
};

/** The catalog revision, and the value as JSON. */
export type WalkedSelection = [revision: number, value: string];

/** `rows`: how many rows of each table were deleted; null: deleted before this was counted. */
export type DeletedUser = { at: number; rows: Record<string, number> | null };

export interface UserStore {
  createWithToken(user: NewUser): Promise<CreateUserOutcome>;
  find(appId: number, userId: string): Promise<UserRecord | undefined>;
  findByClientUserId(appId: number, clientUserId: string): Promise<UserRecord | undefined>;
  update(appId: number, userId: string, change: UserChange, at: number): Promise<UpdateUserOutcome>;
  /**
   * The next users after a clientUserId, in byte order; with a prefix, only those whose clientUserId starts with it.
   */
  page(appId: number, page: { after: string | null; limit: number; prefix?: string }): Promise<UserRecord[]>;
  /**
   * The next users of a walk, at most `limit`, fewer if their selections are large (page-bytes.ts). The cost does not
   * depend on the number of users. `next` is null at the end. Values that differ only after 200 characters may be
   * treated as equal.
   */
  walk(
    appId: number,
    walk: UserWalk,
    page: { after: UserPlace | null; limit: number; keyNos: readonly number[] },
  ): Promise<{ users: WalkedUser[]; next: UserPlace | null }>;
  /** How many users are in a walk, counted up to `atMost`. */
  countWalk(appId: number, walk: UserWalk, atMost?: number): Promise<number>;
  /**
   * The distinct lists, as JSON, that users selected for a key, in byte order; those over 200 characters may be
   * truncated. undefined: there are more than `atMost`, or some that no walk can find.
   */
  listValues(appId: number, keyNo: number, atMost: number): Promise<string[] | undefined>;
  /** The clientUserId and name of the next profiles, in byte order of the id; some may have no user. */
  names(appId: number, page: { after: string | null; limit: number }): Promise<[string, string][]>;
  /** The generation that valid preference links of the user contain; undefined: no such user. */
  linkGeneration(appId: number, userId: string): Promise<number | undefined>;
  /** Increments the generation: all existing links stop working. */
  withdrawLinks(appId: number, userId: string): Promise<'withdrawn' | 'unknown'>;
  /** Deletes the user with all of their data, in one transaction. */
  delete(appId: number, userId: string): Promise<'deleted' | 'unknown'>;
  /** What is stored about a deleted user for some time; undefined: no such deleted user is known. */
  findDeleted(appId: number, userId: string): Promise<DeletedUser | undefined>;
}

/**
 * A trial is recorded before its user is created, so that the user never outlives it: purgeExpired ends any that are
 * left.
 */
export interface TrialStore {
  add(appId: number, clientUserId: string, endsAt: number): Promise<'added' | 'application-gone'>;
  /** Deletes the user, if there is one, with all of their data; does nothing if no trial was recorded. */
  end(appId: number, clientUserId: string): Promise<void>;
}

export type AccessTokenRecord = {
  /** Identifies the token: the `jti` of the embedded service, or a hash of a remote service's token. */
  tokenId: string;
  issuedAt: number;
  expiresAt: number;
};

export interface TokenStore {
  /** Gives a user a new special token; earlier ones stop working. */
  replaceSpecialToken(
    appId: number,
    clientUserId: string,
    token: NewSpecialToken,
  ): Promise<{ outcome: 'issued'; clientUserName: string } | { outcome: 'unknown-user' }>;
  /**
   * The user of a special token, while it is valid. Reading does not use it up. `home`: where to look first (uuid.ts).
   */
  findSpecialToken(tokenHash: string, now: number, home?: number): Promise<UserRecord | undefined>;
  /**
   * Uses up the special token, adds the access token to its user and returns the user. Does nothing if the access
   * token's id is already used or the user is suspended.
   */
  exchange(
    tokenHash: string,
    now: number,
    accessToken: AccessTokenRecord,
    home?: number,
  ): Promise<UserRecord | 'spent' | 'suspended' | 'token-taken'>;
  /**
   * The owner of a live access token; undefined as soon as the token is revoked or its user deleted. The caller decides
   * whether a suspended user may use it.
   */
  findOwner(tokenId: string, now: number): Promise<UserRecord | undefined>;
  /** A user's live access tokens, newest first. */
  list(userId: string, now: number): Promise<AccessTokenRecord[]>;
  revoke(appId: number, tokenId: string): Promise<void>;
  /** Revokes all access tokens of a user, and an unused special token. */
  revokeAll(appId: number, userId: string): Promise<void>;
}
