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
  readonly manageTokens: ManageTokenStore;
  readonly accounts: AccountStore;
  readonly secondFactors: SecondFactorStore;
  readonly attempts: AttemptStore;
  readonly sessions: SessionStore;
  readonly members: MemberStore;
  readonly invitations: InvitationStore;
  readonly signingKeys: SigningKeyStore;
  readonly catalogs: CatalogStore;
  readonly drafts: DraftStore;
  readonly selections: SelectionStore;
  readonly trials: TrialStore;
  readonly transfer: TransferStore;
  readonly changes: ChangeStore;
  readonly facts: FactStore;
  readonly activity: ActivityStore;
  readonly requestLog: RequestLogStore;
  readonly audit: AuditStore;
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

/** The address of the database cannot be read: trying again does not help. What it is may hold a password. */
export class DatabaseUrlInvalid extends Error {
  override name = 'DatabaseUrlInvalid';
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

export type SecretUse = { secretHash: string; lastUsedAt: number | null };

export type ApplicationUpdate = {
  name?: string;
  /** Settings to store. */
  set?: Record<string, unknown>;
  /** Names of settings that go back to their defaults. */
  reset?: readonly string[];
};

export interface ApplicationStore {
  create(application: ApplicationRecord): Promise<'created' | 'taken'>;
  /** All of them, or those named, oldest first. */
  list(appIds?: readonly number[]): Promise<ApplicationRecord[]>;
  findByClientId(clientId: string): Promise<ApplicationRecord | undefined>;
  /** Settings that are not named stay as they are, whoever else changes them at the same moment. */
  update(appId: number, change: ApplicationUpdate): Promise<'updated' | 'unknown'>;
  /** The new secret becomes the one without an end; the one before it ends at `previousExpiresAt`; older ones go. */
  rotateSecret(appId: number, secret: SecretRecord, previousExpiresAt: number): Promise<'rotated' | 'unknown'>;
  /** Secrets that have an end stop working now. */
  endPreviousSecrets(appId: number): Promise<'ended' | 'unknown'>;
  /** Notes a use of a secret, unless one was noted after `unlessSince`. */
  touchSecret(secretHash: string, at: number, unlessSince: number): Promise<void>;
  /** When each of an application's secrets was last used, roughly; null: never yet. */
  secretUses(appId: number): Promise<SecretUse[]>;
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
  /** Spends the special token and adds the access token to its user, or does neither: also when its tokenId is in use. */
  exchange(
    tokenHash: string,
    now: number,
    accessToken: AccessTokenRecord,
  ): Promise<'exchanged' | 'spent' | 'token-taken'>;
  /** The owner of a live access token; undefined as soon as the token is revoked or its user deleted. */
  findOwner(tokenId: string, now: number): Promise<UserRecord | undefined>;
  /** A user's live access tokens, newest first. */
  list(userId: string, now: number): Promise<AccessTokenRecord[]>;
  revoke(appId: number, tokenId: string): Promise<void>;
  /** All access tokens of a user, and the special token that was not spent yet. */
  revokeAll(appId: number, userId: string): Promise<void>;
}

// ---- personal access tokens, which open /manage/v1

export type ManageTokenRecord = {
  tokenId: string;
  tokenHash: string;
  /** Whose it is, and with whom it goes; null: the operator's, made on the command line. */
  accountId: string | null;
  name: string;
  /** null: all applications, those of the future too. Of deleted ones nothing is left here. */
  appIds: number[] | null;
  access: 'read' | 'texts' | 'write' | 'own';
  createdAt: number;
  expiresAt: number;
  /** Roughly. */
  lastUsedAt: number | null;
};

export interface ManageTokenStore {
  create(token: ManageTokenRecord): Promise<'created' | 'application-gone' | 'account-gone'>;
  /** All of them, or those of an account; expired ones too, oldest first. */
  list(accountId?: string): Promise<ManageTokenRecord[]>;
  /** While it is good, with whose it is. */
  findByHash(tokenHash: string, now: number): Promise<{ token: ManageTokenRecord; owner: Person | null } | undefined>;
  /** Anybody's, or only if it is of this account. */
  revoke(tokenId: string, accountId?: string): Promise<'revoked' | 'unknown'>;
  /** Notes a use, unless one was noted after `unlessSince`. */
  touch(tokenId: string, at: number, unlessSince: number): Promise<void>;
}

// ---- accounts of the portal, the links that open it, and sessions in it

export type AccountRecord = {
  accountId: string;
  email: string;
  /** An administrator is an owner of every application; a member has the roles of their memberships. */
  role: 'administrator' | 'member';
  createdAt: number;
  hasPassword: boolean;
  hasTotp: boolean;
  /** JSON, the portal's own. */
  preferences: string;
};

export type NewAccount = Pick<AccountRecord, 'accountId' | 'email' | 'role' | 'createdAt'> & {
  /** The address as it is compared: one account for each. */
  emailKey: string;
  /** null: it has none yet. */
  passwordHash: string | null;
};

/** Good for one use. */
export type NewLink = { linkHash: string; expiresAt: number };

/** What an account can prove itself with. */
export type Credentials = {
  passwordHash: string | null;
  /** Sealed; null: none, or not confirmed. */
  sealedTotp: string | null;
  /** One that is not confirmed yet. */
  pendingTotp: string | null;
};

export interface AccountStore {
  /**
   * Makes the account, or finds the one that has this address, and gives it a link. Its earlier links stop working, and
   * so do set-up links: there is an account now.
   */
  createWithLink(account: NewAccount, link: NewLink): Promise<{ outcome: 'created' | 'there'; account: AccountRecord }>;
  /** A link that makes the first account: only while there is none. */
  addSetUpLink(link: NewLink): Promise<'added' | 'account-there'>;
  /** Oldest first. */
  list(): Promise<AccountRecord[]>;
  findByEmail(emailKey: string): Promise<{ account: AccountRecord; credentials: Credentials } | undefined>;
  /** Whose sign-in link it is, while it is good. Reading does not spend it. */
  findByLink(linkHash: string, now: number): Promise<{ account: AccountRecord; credentials: Credentials } | undefined>;
  /** Whether a set-up link is good. */
  canSetUp(linkHash: string, now: number): Promise<boolean>;
  credentials(accountId: string): Promise<Credentials | undefined>;
  /** Ends the account's other sessions, and its sign-in links. */
  setPassword(accountId: string, passwordHash: string, keepSessionId: string): Promise<'set' | 'unknown'>;
  setPreferences(accountId: string, preferences: string): Promise<'set' | 'unknown'>;
  /** Takes away what it names, with the password also its personal access tokens, and ends all sessions of the account. */
  reset(emailKey: string, what: { password: boolean; totp: boolean }): Promise<'reset' | 'unknown'>;
  /** With its links, sessions, memberships and personal access tokens. */
  delete(emailKey: string): Promise<'deleted' | 'unknown'>;
}

/** The second thing that an account is asked for. */
export interface SecondFactorStore {
  /** Keeps a secret that is to be confirmed; the one before it is forgotten. */
  begin(accountId: string, pendingTotp: string): Promise<'begun' | 'on' | 'unknown'>;
  /** Turns the pending secret on, if it is still this one, with its recovery codes. `step` was the code that proved it. */
  confirm(
    accountId: string,
    confirmed: { pendingTotp: string; step: number; recoveryHashes: readonly string[] },
  ): Promise<'on' | 'changed'>;
  /** With the recovery codes. */
  end(accountId: string): Promise<'ended' | 'off'>;
  replaceRecoveryCodes(accountId: string, recoveryHashes: readonly string[]): Promise<'replaced' | 'off'>;
  /** Whether it was still good: a code is good once. */
  spend(accountId: string, factor: Factor): Promise<boolean>;
  countRecoveryCodes(accountId: string): Promise<number>;
}

/** A code that was found right and is to be spent: of the authenticator app, by its step, or a recovery code. */
export type Factor = { step: number } | { recoveryHash: string };

/** Allows an attempt every `everyMs`, and `burst` at once. */
export type Allowance = { subjectHash: string; everyMs: number; burst: number };

export interface AttemptStore {
  /** Counts an attempt, unless it is one too many: those are not counted. */
  admit(allowance: Allowance, now: number): Promise<boolean>;
  forget(subjectHash: string): Promise<void>;
}

export type SessionRecord = {
  /** How it is named to people; it opens nothing. */
  sessionId: string;
  sessionHash: string;
  accountId: string;
  createdAt: number;
  /** Roughly. */
  lastSeenAt: number;
  /** Moves on while it is used. */
  endsAt: number;
  userAgent: string;
  /** How one got in. */
  means: 'link' | 'password';
};

export type NewSession = Omit<SessionRecord, 'accountId'>;

export interface SessionStore {
  /** Spends a sign-in link, and the factor if there is one, and opens a session, or does nothing of it. */
  openByLink(linkHash: string, now: number, session: NewSession, factor?: Factor): Promise<'opened' | 'spent'>;
  /** If the password is still this one; spends the factor if there is one. */
  openByPassword(
    accountId: string,
    passwordHash: string,
    session: NewSession,
    factor?: Factor,
  ): Promise<'opened' | 'spent'>;
  /** Spends a set-up link, makes the first account and opens its session, or does nothing of it. */
  openBySetUp(linkHash: string, now: number, account: NewAccount, session: NewSession): Promise<'opened' | 'spent'>;
  /** While it lasts. */
  findByHash(sessionHash: string, now: number): Promise<({ session: SessionRecord } & Person) | undefined>;
  /** Those of an account that last, the one seen latest first. */
  list(accountId: string, now: number): Promise<SessionRecord[]>;
  end(accountId: string, sessionId: string): Promise<'ended' | 'unknown'>;
  /** Notes that it is in use, unless that was noted after `unlessSince`. */
  touch(sessionId: string, seen: { at: number; endsAt: number; unlessSince: number }): Promise<void>;
}

// ---- who works on which application

export type Role = 'viewer' | 'translator' | 'editor' | 'owner';
export type Membership = { appId: number; role: Role };
export type Person = { account: AccountRecord; memberships: Membership[] };

export type MemberRecord = { accountId: string; email: string; role: Role; createdAt: number };

export interface MemberStore {
  /** Of an application, by address. */
  list(appId: number): Promise<MemberRecord[]>;
  /** 'last-owner': nobody could manage the application any more, as there is no administrator either. */
  changeRole(appId: number, accountId: string, role: Role): Promise<'changed' | 'unknown' | 'last-owner'>;
  remove(appId: number, accountId: string): Promise<'removed' | 'unknown' | 'last-owner'>;
}

export type InvitationRecord = {
  invitationId: string;
  appId: number;
  email: string;
  role: Role;
  invitedBy: string;
  createdAt: number;
  expiresAt: number;
};

export type NewInvitation = InvitationRecord & {
  linkHash: string;
  emailKey: string;
  /** The account that invites, and whose invitation ends when it no longer owns the application; null: the operator. */
  inviterId: string | null;
};

export interface InvitationStore {
  /** The one before to the same address ends. */
  create(invitation: NewInvitation): Promise<'created' | 'member' | 'not-owner' | 'application-gone'>;
  /** Those of an application that are good, newest first. */
  list(appId: number, now: number): Promise<InvitationRecord[]>;
  revoke(appId: number, invitationId: string): Promise<'revoked' | 'unknown'>;
  /** While it is good, and whether there is an account with its address. Reading does not spend it. */
  findByLink(linkHash: string, now: number): Promise<{ invitation: InvitationRecord; hasAccount: boolean } | undefined>;
  /** Spends it: makes the account, with the membership and a session. The account's address has to be the invitation's. */
  accept(
    linkHash: string,
    now: number,
    account: NewAccount,
    session: NewSession,
  ): Promise<'opened' | 'spent' | 'account-there'>;
  /** Spends it: an account that is there, with this address, becomes a member. A role it had before stays. */
  join(linkHash: string, now: number, accountId: string): Promise<Membership | 'spent' | 'other-address'>;
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

// ---- catalogs

/**
 * A catalog is stored as immutable versions of its groups and keys. Each version is current from the
 * revision that made it until the one that replaced it, so a revision number alone names a whole state.
 */
export type CatalogItem = {
  itemUid: string;
  kind: 'group' | 'key';
  /** The group of a key; null for a group. */
  groupUid: string | null;
  /** A small number for the key, never used again in this application; null for a group. */
  keyNo: number | null;
  /** JSON of the group or key, without what stands beside it here. */
  document: string;
};

export type StoredCatalog = {
  /** 0: nothing has been published yet. */
  revision: number;
  /** JSON of the languages. */
  languages: string;
  /** Archived ones included. */
  items: CatalogItem[];
};

export type RevisionRecord = {
  revision: number;
  createdAt: number;
  author: string;
  /** JSON of the readable difference to the revision before. */
  difference: string;
};

export type Publication = RevisionRecord & {
  appId: number;
  languages: string;
  /** New versions: of items that exist (the version before ends) or of new ones. */
  items: CatalogItem[];
  /** The draft that it is: gone with the publication, or there is a conflict. */
  draft?: DraftName;
};

export interface CatalogStore {
  load(appId: number): Promise<StoredCatalog>;
  /** undefined for a revision that was never published. */
  loadAt(appId: number, revision: number): Promise<StoredCatalog | undefined>;
  /** One atomic revision. 'conflict' when `revision` is not the one after the newest. */
  publish(publication: Publication): Promise<'published' | 'conflict' | 'application-gone'>;
  /** Newest first. */
  revisions(
    appId: number,
    page: { offset: number; limit: number },
  ): Promise<{ total: number; items: RevisionRecord[] }>;
}

// ---- drafts

/** One state of a draft: `version` grows with every edit, and a draft begun anew is another one. */
export type DraftName = { draftId: string; version: number };

/** What is to become of a catalog, at most one an application. It is kept as what differs from the revision it was begun from. */
export type DraftRecord = DraftName & {
  baseRevision: number;
  /** JSON of the languages. */
  languages: string;
  createdBy: string;
  createdAt: number;
  updatedBy: string;
  updatedAt: number;
};

export type DraftEditKind = 'edit' | 'undo' | 'redo';

export type DraftEdit = {
  /** The version of the draft that it made. */
  version: number;
  kind: DraftEditKind;
  author: string;
  at: number;
  /** JSON of the readable difference to the version before. */
  difference: string;
  /** It was taken back, or can no longer be. */
  spent: boolean;
};

export type DraftChange = {
  appId: number;
  /** As it is to be; version 1 is a new draft, any other follows the one before it. */
  draft: DraftRecord;
  /** What differs from the version before. */
  items: CatalogItem[];
  /** UIDs of what is not in the draft any more. */
  removed: string[];
  edit: { kind: DraftEditKind; difference: string; inverse: string };
  /** The edit that this one takes back. */
  spends?: number;
};

export interface DraftStore {
  /** The newest revision, when it was published, and the draft if there is one: enough to know what is at hand already. */
  look(appId: number): Promise<{ revision: number; publishedAt: number; draft: DraftRecord | undefined }>;
  /** With the items that differ from its base. */
  load(appId: number): Promise<(DraftRecord & { items: CatalogItem[] }) | undefined>;
  /** 'conflict' when the draft is not at the version before, or there is one where there should be none. */
  save(change: DraftChange): Promise<'saved' | 'conflict' | 'application-gone'>;
  discard(appId: number, draft: DraftName): Promise<'discarded' | 'conflict'>;
  /** Those after a version, newest first; only the last hundred are kept. */
  edits(appId: number, draftId: string, after: number): Promise<DraftEdit[]>;
  /** What takes an edit back, as it was saved with it. */
  inverse(appId: number, edit: DraftName): Promise<string | undefined>;
}

// ---- selections

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
  /**
   * All or none, each key at most once, with their history; records come in the order given. A key saved before
   * keeps its selectionId and createdAt: a returned selectionId that differs from the new one given says so.
   */
  save(
    appId: number,
    userId: string,
    selections: readonly NewSelection[],
    change: { at: number; means: SelectionMeans },
  ): Promise<{ outcome: 'saved'; records: SelectionRecord[] } | { outcome: 'user-gone' }>;
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

// ---- throw-away users

/** A trial is noted before its user is made, so that the user never outlives it: purgeExpired ends what nobody else did. */
export interface TrialStore {
  add(appId: number, clientUserId: string, endsAt: number): Promise<'added' | 'application-gone'>;
  /** The user, if there is one, goes with everything that is theirs; without a note of a trial, nothing happens. */
  end(appId: number, clientUserId: string): Promise<void>;
}

// ---- import and export of users with their selections

/** A profile with its user and what the user has selected. */
export type StoredUser = {
  clientUserId: string;
  clientUserName: string;
  /** Of a profile without a user: the user it once had. */
  userId: string;
  /** null: a profile that outlived its user. */
  createdAt: number | null;
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
  /** Each key at most once, each selectionId at most once. */
  selections: ImportSelection[];
};

/**
 * What to do with a user that is there: tell whether it differs, make it what the entry says (what the entry does not
 * name stays), or leave it alone.
 */
export type IfThere = 'compare' | 'update' | 'keep';

export type ImportOutcome =
  | 'created'
  /** The profile was there without a user, and has this one now. */
  | 'adopted'
  | 'updated'
  | 'unchanged'
  /** It was there and was left alone, whatever it holds. */
  | 'kept'
  /** A profile alone was to be made, but it is there with a user. */
  | 'has-user'
  /** Another user has this userId. */
  | 'user-id-taken'
  /** It is there and differs; a number is the place among the selections. */
  | { differsIn: 'userId' | 'clientUserName' | number };

export interface TransferStore {
  /** One transaction. No clientUserId twice among the entries; an outcome for each, in the order given. */
  importUsers(
    appId: number,
    entries: readonly ImportEntry[],
    change: { at: number; ifThere: IfThere },
  ): Promise<{ outcomes: ImportOutcome[] } | { outcome: 'application-gone' }>;
  /** The next ones after a clientUserId, in the order of its bytes. */
  exportUsers(appId: number, page: { after: string | null; limit: number }): Promise<StoredUser[]>;
  find(appId: number, clientUserId: string): Promise<StoredUser | undefined>;
}

// ---- what tells replicas of each other's changes

export type Change = { version: number; subject: 'application' | 'catalog' | 'signing-keys'; appId: number | null };

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

// ---- what happened: counts over time, the latest requests, and who changed what

export type ActivityStep = 'hour' | 'day';
export const STEP_MS: Record<ActivityStep, number> = { hour: 3_600_000, day: 86_400_000 };
/** How long counts are kept. */
export const KEPT_MS: Record<ActivityStep, number> = { hour: 7 * 86_400_000, day: 400 * 86_400_000 };

export type ActivityCount = {
  appId: number;
  name: string;
  count: number;
  /** When the latest of them happened. */
  lastAt: number;
};

export type ActivityPoint = { at: number; name: string; count: number };

/** `more`: there were more to look at. */
export type Total = { count: number; more: boolean };
export type ActivityTotals = { users: Total; selections: Total; liveTokens: Total };

export interface ActivityStore {
  /** Adds to the hour and the day (UTC) of `lastAt`. What is counted for applications that are gone is dropped. */
  add(counts: readonly ActivityCount[]): Promise<void>;
  /** Those of steps that begin from `from` on and before `to`, oldest first. */
  list(appId: number, span: { step: ActivityStep; from: number; to: number }): Promise<ActivityPoint[]>;
  /** When the latest of this name happened. */
  lastAt(appId: number, name: string): Promise<number | undefined>;
  /** What an application holds now. Of each, at most `limit` rows are looked at: however many there are, it is quick. */
  totals(appId: number, now: number, limit: number): Promise<ActivityTotals>;
}

/** The parts of a logged request that can tell of a person. */
export type RequestParts = { path: string; request: string | null; answer: string | null };

type RequestFacts = {
  /** A UUID of version 7: they sort by time. */
  requestUid: string;
  at: number;
  method: string;
  /** The path as a pattern; null: no route knew it. */
  route: string | null;
  status: number;
  code: string | null;
  milliseconds: number;
  requestId: string;
  /** Shortened. */
  address: string;
  userAgent: string;
  /** What the Authorization header was, without what was in it. */
  credentials: 'none' | 'basic' | 'bearer';
};

export type NewLoggedRequest = RequestFacts & {
  appId: number;
  /** Whom the request names; null: nobody. */
  userId: string | null;
  clientUserId: string | null;
  /** Kept if all that it names is one user who is there, and for as long as the user is there. */
  full: RequestParts;
  /** Kept otherwise: nothing in it tells of a person. */
  bare: RequestParts;
};

export type LoggedRequest = RequestFacts & RequestParts & { userId: string | null };

export type RequestFilter = {
  from?: number;
  to?: number;
  statusFrom?: number;
  statusTo?: number;
  code?: string;
  method?: string;
  pathPrefix?: string;
  userId?: string;
};

export interface RequestLogStore {
  /** Those of applications that are gone are dropped. */
  add(requests: readonly NewLoggedRequest[]): Promise<void>;
  /** Removes all of an application but the newest. */
  trim(appId: number, keep: number): Promise<void>;
  /** Newest first, without bodies (null). */
  list(appId: number, filter: RequestFilter, page: { before: string | null; limit: number }): Promise<LoggedRequest[]>;
  find(appId: number, requestUid: string): Promise<LoggedRequest | undefined>;
  count(appId: number, span: { from: number; to: number }): Promise<number>;
}

export type AuditEntry = {
  /** A UUID of version 7: they sort by time. */
  auditUid: string;
  at: number;
  actor: string;
  action: string;
  /** What was changed, in words: a name, a file, a revision. */
  subject: string;
  /** The user it was about, while there is one. */
  userId: string | null;
  /** JSON. */
  before: string | null;
  after: string | null;
};

/** Without an application: about the installation. */
export type NewAuditEntry = AuditEntry & { appId: number | null };

export type AuditFilter = { from?: number; to?: number; actor?: string; action?: string; userId?: string };

export interface AuditStore {
  /** An application or user that is gone meanwhile is left out of it. */
  add(entry: NewAuditEntry): Promise<void>;
  /** Newest first. null: those about the installation. */
  list(
    appId: number | null,
    filter: AuditFilter,
    page: { before: string | null; limit: number },
  ): Promise<AuditEntry[]>;
}

// ---- migrations, and what a database can be asked before it is opened

export type MigrationState = { applied: number; latest: number };

export type StorageFigures = {
  /** Acts per transaction since the start: how well writes share a flush. */
  committedActs: number;
  committedBatches: number;
  waitingActs: number;
  connections: { open: number; idle: number; waiting: number };
  /** A write failed within the last minute because the disk is full or cannot be written. Reads go on. */
  writesFail: boolean;
};

/** Asked before storage is opened: opening runs what is pending. */
export interface StorageDriver {
  migrationState(): Promise<MigrationState>;
  migrate(): Promise<MigrationState>;
  open(): Promise<Storage>;
  readonly whole: WholeDatabase;
}

// ---- backup and restore: a database as tables and rows, whatever they mean

/** As SQLite keeps it: identifiers and hashes are bytes, true is 1. So a row is the same whichever database it is from. */
export type StoredValue = null | number | string | Uint8Array;
export type StoredRow = StoredValue[];

/** `key` is the primary key: rows are read in its order, texts by their bytes. */
export type TableShape = { name: string; columns: readonly string[]; key: readonly string[] };

export type RowPages = (table: TableShape) => AsyncIterable<StoredRow[]>;

export type Contents = { applications: number; users: number; accounts: number };

/** All that is kept for good. What only tells replicas of each other's changes is no part of it. */
export interface WholeDatabase {
  readonly kind: Storage['kind'];
  /** All rows are of one moment, and a page of them is in memory. Nobody is held up meanwhile. */
  read<T>(tables: readonly TableShape[], use: (rows: RowPages) => Promise<T>): Promise<T>;
  /** Nothing at all in a database without tables. */
  contents(): Promise<Contents>;
  /**
   * One transaction: everything goes, these rows come (tables before those that refer to them), `check` reads what is
   * there then, and what it throws undoes all of it. Runs pending migrations first. Replicas load everything anew.
   */
  replace(
    tables: readonly TableShape[],
    rows: RowPages,
    options: { onlyEmpty: boolean; check: (rows: RowPages) => Promise<void> },
  ): Promise<'replaced' | 'not-empty' | 'in-use'>;
}

export type TableSummary = { name: string; rows: number; hash: string };

export type BackupManifest = {
  /** Of the Innkeeper that made it. */
  version: string;
  madeAt: number;
  source: Storage['kind'];
  /** The number of the newest SQLite migration in it: the file is a SQLite database, whatever it was made from. */
  schema: number;
  tables: TableSummary[];
};

/** What cannot be written throws BackupUnwritable. */
export interface NewBackupFile {
  /** Those of the newest schema, each before those that refer to it. */
  readonly tables: readonly TableShape[];
  add(table: TableShape, rows: readonly StoredRow[]): void;
  /** On disk when it returns. */
  finish(manifest: Omit<BackupManifest, 'schema'>): void;
  abandon(): void;
}

export interface BackupFile {
  readonly manifest: BackupManifest;
  /** Those of its own schema, each before those that refer to it. */
  readonly tables: readonly TableShape[];
  /** Throws BackupDamaged where the file cannot be read. */
  readonly rows: RowPages;
  /** A copy of the newest schema, gone when it is closed; itself, if it has that schema. Throws BackupDamaged. */
  upgraded(): BackupFile;
  close(): void;
}

export class BackupDamaged extends Error {
  override name = 'BackupDamaged';
}

/** Not the database but the file: its disk is full, say. */
export class BackupUnwritable extends Error {
  override name = 'BackupUnwritable';
}

export type OpenedBackup =
  | { outcome: 'opened'; file: BackupFile }
  /** Made by a newer Innkeeper. */
  | { outcome: 'newer'; version: string; schema: number; latest: number }
  | { outcome: 'foreign' }
  | { outcome: 'damaged' };

/** One format for both databases, so that a backup of one can be restored into the other. */
export interface BackupFiles {
  create(path: string): NewBackupFile;
  open(path: string): OpenedBackup;
}
