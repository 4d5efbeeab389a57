/**
 * What the rules need of a database, as whole atomic acts: each call is one transaction, and an
 * answer means that it is on disk. Outcomes are returned, never thrown; what is thrown is
 * StorageUnavailable (try again later) or a defect.
 *
 * Identifiers cross this port as canonical strings: UUIDs in lower case, hashes in lower-case hex,
 * times in milliseconds since the epoch.
 */
export interface Storage {
  readonly kind: 'sqlite' | 'postgres';
  readonly applications: ApplicationStore;
  readonly users: UserStore;
  readonly tokens: TokenStore;
  readonly signingKeys: SigningKeyStore;
  readonly changes: ChangeStore;
  readonly facts: FactStore;
  /** Rejects with StorageUnavailable when the database does not answer. */
  ping(): Promise<void>;
  /** Removes a bounded number of rows whose time has passed; answers how many were removed. */
  purgeExpired(now: number): Promise<number>;
  figures(): StorageFigures;
  /** Waits for every accepted act, then lets go of the database. */
  close(): Promise<void>;
}

export class StorageUnavailable extends Error {
  override name = 'StorageUnavailable';
}

// ---- applications

export type ApplicationRecord = {
  appId: number;
  clientId: string;
  name: string;
  /** Only the settings that differ from their defaults. */
  settings: Record<string, unknown>;
  createdAt: number;
  secrets: SecretRecord[];
};

export type SecretRecord = {
  secretHash: string;
  createdAt: number;
  /** null: good until it is replaced. */
  expiresAt: number | null;
};

export interface ApplicationStore {
  create(application: ApplicationRecord): Promise<'created' | 'taken'>;
  /** All of them, or those named, oldest first. */
  list(appIds?: readonly number[]): Promise<ApplicationRecord[]>;
  findByClientId(clientId: string): Promise<ApplicationRecord | undefined>;
  update(appId: number, change: { name?: string; settings?: Record<string, unknown> }): Promise<'updated' | 'unknown'>;
  /** The new secret becomes the one without an end; the one before it ends at `previousExpiresAt`; older ones go. */
  rotateSecret(appId: number, secret: SecretRecord, previousExpiresAt: number): Promise<'rotated' | 'unknown'>;
  /** With everything that belongs to it. */
  delete(appId: number): Promise<'deleted' | 'unknown'>;
  countUsers(appId: number): Promise<number>;
}

// ---- users

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

export type UserRecord = {
  userId: string;
  appId: number;
  clientUserId: string;
  clientUserName: string;
  createdAt: number;
};

export interface UserStore {
  createWithToken(user: NewUser): Promise<CreateUserOutcome>;
  find(appId: number, userId: string): Promise<UserRecord | undefined>;
  /** The user and everything that is theirs, in one transaction. */
  delete(appId: number, userId: string): Promise<'deleted' | 'unknown'>;
}

// ---- tokens

export type AccessTokenRecord = {
  /** What identifies the token: the embedded service's `jti`, or a hash of a remote service's token. */
  tokenId: string;
  issuedAt: number;
  expiresAt: number;
};

export interface TokenStore {
  /** Gives a user a new special token; the ones before it stop working. */
  replaceSpecialToken(
    appId: number,
    clientUserId: string,
    token: NewSpecialToken,
  ): Promise<{ outcome: 'issued'; clientUserName: string } | { outcome: 'unknown-user' }>;
  /** The user a special token stands for, while it is good. Reading does not spend it. */
  findSpecialToken(tokenHash: string, now: number): Promise<UserRecord | undefined>;
  /** Spends the special token and adds the access token to its user, or does neither. */
  exchange(tokenHash: string, now: number, accessToken: AccessTokenRecord): Promise<'exchanged' | 'spent'>;
  /** The owner of a live access token; undefined as soon as the token is revoked or its user deleted. */
  findOwner(tokenId: string, now: number): Promise<UserRecord | undefined>;
  revoke(appId: number, tokenId: string): Promise<void>;
}

// ---- signing keys of the embedded token service

export type SigningKeyRecord = {
  /** 1, 2, 3 …: only one replica can add each. */
  generation: number;
  kid: string;
  /** The private key, sealed under INNKEEPER_SECRET. */
  sealedPrivateKey: string;
  publicJwk: string;
  createdAt: number;
  /** Published before it signs, so that every verifier has met it. */
  signsFrom: number;
  /** Published until every token it signed has expired. */
  publishedUntil: number | null;
};

export interface SigningKeyStore {
  list(): Promise<SigningKeyRecord[]>;
  /** Adds the next generation; the ones before it stay published until `previousPublishedUntil`. */
  add(key: SigningKeyRecord, previousPublishedUntil: number): Promise<'added' | 'taken'>;
}

// ---- what tells replicas of each other's changes

export type Change = { version: number; subject: 'application' | 'signing-keys'; appId: number | null };

export interface ChangeStore {
  /** Changes after `version` in the order they were committed; `complete` is false when some are no longer kept. */
  since(version: number): Promise<{ version: number; complete: boolean; changes: Change[] }>;
}

// ---- small facts about the installation

export interface FactStore {
  get(name: string): Promise<string | undefined>;
  /** The first writer wins; everybody gets the winner's value. */
  settle(name: string, value: string): Promise<string>;
}

// ---- migrations, and what a database can be asked before it is opened

export type MigrationState = { applied: number; latest: number };

export type StorageFigures = {
  /** Acts per transaction since the start: how well writes share a flush. */
  committedActs: number;
  committedBatches: number;
  waitingActs: number;
  connections: { open: number; idle: number; waiting: number };
};

/** Asked before storage is opened: opening runs what is pending. */
export interface StorageDriver {
  migrationState(): Promise<MigrationState>;
  migrate(): Promise<MigrationState>;
  open(): Promise<Storage>;
}
