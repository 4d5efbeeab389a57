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
  /** The same Idempotency-Key and body came before: its user got the new special token. */
  | 'replayed'
  | 'idempotency-mismatch'
  /** The application was deleted meanwhile. */
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

/** What is left out stays. */
export type UserChange = Partial<Pick<UserRecord, 'clientUserId' | 'clientUserName' | 'status'>>;

export type UpdateUserOutcome =
  /** `changed`: what differs from before; nothing, and updatedAt stays. */
  | { outcome: 'updated'; user: UserRecord; changed: (keyof UserChange)[] }
  | { outcome: 'unknown' }
  /** Another user has the clientUserId, or a profile without a user does. */
  | { outcome: 'duplicate' | 'profile-exists' };

export interface UserStore {
  createWithToken(user: NewUser): Promise<CreateUserOutcome>;
  find(appId: number, userId: string): Promise<UserRecord | undefined>;
  findByClientUserId(appId: number, clientUserId: string): Promise<UserRecord | undefined>;
  update(appId: number, userId: string, change: UserChange, at: number): Promise<UpdateUserOutcome>;
  /** The next ones after a clientUserId, in the order of its bytes; with a prefix, those whose clientUserId begins so. */
  page(appId: number, page: { after: string | null; limit: number; prefix?: string }): Promise<UserRecord[]>;
  /** Those of the next `scan` profiles whose name holds a text, in any case. The work is bounded, however many there are. */
  searchByName(
    appId: number,
    search: { contains: string; after: string | null; limit: number; scan: number },
  ): Promise<{
    users: UserRecord[];
    /** Where to go on after; null: there are no more. */
    next: string | null;
  }>;
  /** The user and everything that is theirs, in one transaction. */
  delete(appId: number, userId: string): Promise<'deleted' | 'unknown'>;
}
