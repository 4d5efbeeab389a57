export type AccountRecord = {
  accountId: string;
  email: string;
  /** An administrator is an owner of every application; a member has the roles of their memberships. */
  role: 'administrator' | 'member';
  createdAt: number;
  hasPassword: boolean;
  hasTotp: boolean;
  /** JSON, defined by the portal. */
  preferences: string;
};

export type Role = 'viewer' | 'translator' | 'support' | 'editor' | 'owner';
/** `languages`: tags that a translator is limited to; null: all. */
export type Membership = { appId: number; role: Role; languages: string[] | null };
export type Person = { account: AccountRecord; memberships: Membership[] };

/** A user of an identity provider: issuer and subject as one text. */
type Identity = {
  subject: string;
  /** Verified by the provider; null if it has none. */
  emailKey: string | null;
};

export type NewAccount = Pick<AccountRecord, 'accountId' | 'email' | 'role' | 'createdAt'> & {
  /** The normalised address; unique per account. */
  emailKey: string;
  /** null: not set yet. */
  passwordHash: string | null;
};

/** A link that works once. */
export type NewLink = { linkHash: string; expiresAt: number };

/** The credentials that an account can sign in with. */
export type Credentials = {
  passwordHash: string | null;
  /** Sealed; null: none, or not confirmed yet. */
  sealedTotp: string | null;
  /** A secret that is not confirmed yet. */
  pendingTotp: string | null;
};

export interface AccountStore {
  /**
   * Creates the account, or finds the one with this address, and adds a sign-in link to it. Its earlier links stop
   * working, and so do set-up links, because an account now exists.
   */
  createWithLink(account: NewAccount, link: NewLink): Promise<{ outcome: 'created' | 'there'; account: AccountRecord }>;
  /** Adds a sign-in link; earlier ones stay valid. */
  addLink(accountId: string, link: NewLink): Promise<'added' | 'unknown'>;
  /** Adds a link that creates the first account; only while there is no account. */
  addSetUpLink(link: NewLink): Promise<'added' | 'account-there'>;
  /**
   * Returns the account of an identity; else links the account with its address; else creates `account`, if given.
   * 'other-identity': the account with this address belongs to another identity.
   */
  identify(
    identity: Identity,
    account: NewAccount | null,
  ): Promise<{ outcome: 'found' | 'linked' | 'created'; account: AccountRecord } | 'unknown' | 'other-identity'>;
  /**
   * Invitations of a former administrator end, except to applications they own. 'last-administrator': nothing was
   * changed, because no one else could manage the installation.
   */
  setRole(
    accountId: string,
    role: AccountRecord['role'],
  ): Promise<'changed' | 'same' | 'unknown' | 'last-administrator'>;
  /** Oldest first. */
  list(): Promise<AccountRecord[]>;
  findByEmail(emailKey: string): Promise<{ account: AccountRecord; credentials: Credentials } | undefined>;
  /** The account of a sign-in link, while it is valid. Reading does not use up the link. */
  findByLink(linkHash: string, now: number): Promise<{ account: AccountRecord; credentials: Credentials } | undefined>;
  /** Whether a set-up link is valid. */
  canSetUp(linkHash: string, now: number): Promise<boolean>;
  credentials(accountId: string): Promise<Credentials | undefined>;
  /** Ends the account's other sessions, and its sign-in links. 'unknown': this session has ended. */
  setPassword(accountId: string, passwordHash: string, sessionId: string): Promise<'set' | 'unknown'>;
  setPreferences(accountId: string, preferences: string): Promise<'set' | 'unknown'>;
  /**
   * Removes the named credentials (with the password also personal access tokens), and ends all sessions and sign-in
   * links of the account.
   */
  reset(emailKey: string, what: { password: boolean; totp: boolean }): Promise<'reset' | 'unknown'>;
  /** Also deletes its links, sessions, memberships and personal access tokens. */
  delete(emailKey: string): Promise<'deleted' | 'unknown'>;
}

/** Two-step sign-in. */
export interface SecondFactorStore {
  /** Stores a secret to be confirmed; replaces an earlier unconfirmed one. */
  begin(accountId: string, pendingTotp: string): Promise<'begun' | 'on' | 'unknown'>;
  /**
   * Turns two-step sign-in on with the pending secret, if it is still this one. `step` is that of the code that
   * confirmed it.
   */
  confirm(
    accountId: string,
    confirmed: { pendingTotp: string; step: number; recoveryHashes: readonly string[] },
  ): Promise<'on' | 'changed'>;
  /** Also deletes the recovery codes. */
  end(accountId: string): Promise<'ended' | 'off'>;
  replaceRecoveryCodes(accountId: string, recoveryHashes: readonly string[]): Promise<'replaced' | 'off'>;
  /** Uses up a code; false if it was used before. */
  spend(accountId: string, factor: Factor): Promise<boolean>;
  countRecoveryCodes(accountId: string): Promise<number>;
}

/** A correct code to use up: of the authenticator app, by its step, or a recovery code. */
export type Factor = { step: number } | { recoveryHash: string };

/** Allows an attempt every `everyMs`, and `burst` at once. */
export type Allowance = { subjectHash: string; everyMs: number; burst: number };

/** In steps. Attempts can arrive out of order, which must not cost anyone an attempt. */
const LEEWAY = 0.1;

/**
 * How far ahead of `now` an admitted attempt may leave its subject; one that would go further is refused. A later
 * stored time was written by a clock that was ahead: the stores move it back to one millisecond beyond this, so that it
 * delays the next attempt by one step.
 */
export function latestDue({ everyMs, burst }: Allowance, now: number): number {
  return now + Math.round((burst + LEEWAY) * everyMs);
}

export interface AttemptStore {
  /** Counts the attempt and returns true, or returns false if there were too many; refused attempts are not counted. */
  admit(allowance: Allowance, now: number): Promise<boolean>;
  forget(subjectHash: string): Promise<void>;
}

/** What an account acts with. Once it has ended, it must leave nothing behind that lasts longer. */
export type Credential = { sessionId: string } | { tokenId: string };

export type SessionRecord = {
  /** Identifies the session in lists; not a credential. */
  sessionId: string;
  sessionHash: string;
  accountId: string;
  createdAt: number;
  /** Approximate. */
  lastSeenAt: number;
  /** Extended while the session is used. */
  endsAt: number;
  userAgent: string;
  /** How the account signed in. */
  authMethod: 'link' | 'password' | 'oidc';
};

export type NewSession = Omit<SessionRecord, 'accountId'>;

export interface SessionStore {
  /** Uses up a sign-in link, and the factor if given, and opens a session; all or nothing. */
  openByLink(linkHash: string, now: number, session: NewSession, factor?: Factor): Promise<'opened' | 'spent'>;
  /** Only if this is still the password hash; uses up the factor if given. */
  openByPassword(
    accountId: string,
    passwordHash: string,
    session: NewSession,
    factor?: Factor,
  ): Promise<'opened' | 'spent'>;
  /** Only while the account is linked to this identity. */
  openByIdentity(accountId: string, subject: string, session: NewSession): Promise<'opened' | 'unknown'>;
  /** Uses up a set-up link, creates the first account and opens its session; all or nothing. */
  openBySetUp(linkHash: string, now: number, account: NewAccount, session: NewSession): Promise<'opened' | 'spent'>;
  /** Only while the session is valid. */
  findByHash(sessionHash: string, now: number): Promise<({ session: SessionRecord } & Person) | undefined>;
  /** Valid sessions of an account, most recently active first. */
  list(accountId: string, now: number): Promise<SessionRecord[]>;
  end(accountId: string, sessionId: string): Promise<'ended' | 'unknown'>;
  /** Records activity, unless some was recorded after `unlessSince`. */
  touch(sessionId: string, seen: { at: number; endsAt: number; unlessSince: number }): Promise<void>;
}

export type MemberRecord = Omit<Membership, 'appId'> & { accountId: string; email: string; createdAt: number };

export interface MemberStore {
  /** The members of an application, by address. */
  list(appId: number): Promise<MemberRecord[]>;
  /** 'last-owner': nothing was changed, because no other owner and no administrator could manage the application. */
  changeRole(
    appId: number,
    accountId: string,
    role: Role,
    languages: string[] | null,
  ): Promise<'changed' | 'unknown' | 'last-owner'>;
  /** Adds a member; an existing role is kept. */
  grant(appId: number, accountId: string, role: Role, at: number): Promise<'granted' | 'there' | 'unknown'>;
  remove(appId: number, accountId: string): Promise<'removed' | 'unknown' | 'last-owner'>;
}

export type InvitationRecord = {
  invitationId: string;
  appId: number;
  email: string;
  role: Role;
  languages: string[] | null;
  invitedBy: string;
  createdAt: number;
  expiresAt: number;
};

export type NewInvitation = InvitationRecord & {
  linkHash: string;
  emailKey: string;
  /** The inviting account: its invitation ends when it no longer owns the application; null: the operator. */
  inviterId: string | null;
  /** With which the account invites. */
  credential?: Credential | undefined;
};

export interface InvitationStore {
  /** Replaces an earlier invitation to the same address. At most `atMost` of an application. */
  create(
    invitation: NewInvitation,
    atMost?: number,
  ): Promise<'created' | 'too-many' | 'member' | 'not-owner' | 'application-gone' | 'credential-gone'>;
  /** Whether there is a valid invitation to this address. */
  isInvited(emailKey: string, now: number): Promise<boolean>;
  /** Valid invitations of an application, newest first. */
  list(appId: number, now: number): Promise<InvitationRecord[]>;
  revoke(appId: number, invitationId: string): Promise<'revoked' | 'unknown'>;
  /** Only while it is valid; also returns whether its address has an account. Reading does not use it up. */
  findByLink(linkHash: string, now: number): Promise<{ invitation: InvitationRecord; hasAccount: boolean } | undefined>;
  /**
   * Uses up the invitation: creates the account, with the membership and a session. The account's address must be the
   * invitation's.
   */
  accept(
    linkHash: string,
    now: number,
    account: NewAccount,
    session: NewSession,
  ): Promise<'opened' | 'spent' | 'account-there'>;
  /** Uses up the invitation: an existing account with this address becomes a member. An existing role is kept. */
  join(linkHash: string, now: number, accountId: string): Promise<Membership | 'spent' | 'other-address'>;
}

export type ManageTokenRecord = {
  tokenId: string;
  tokenHash: string;
  /** The owner, with whom it is deleted; null: the operator's, created on the command line. */
  accountId: string | null;
  name: string;
  /** null: all current and future applications. Deleted ones are removed from the list. */
  appIds: number[] | null;
  access: 'read' | 'texts' | 'users' | 'write' | 'own';
  createdAt: number;
  expiresAt: number;
  /** Approximate. */
  lastUsedAt: number | null;
};

export interface ManageTokenStore {
  /** At most `atMost` of one account, or without one; expired ones count. `credential`: with which its account acts. */
  create(
    token: ManageTokenRecord,
    atMost?: number,
    credential?: Credential,
  ): Promise<'created' | 'too-many' | 'application-gone' | 'credential-gone'>;
  /** All of them, or those of an account; includes expired ones, oldest first. */
  list(accountId?: string): Promise<ManageTokenRecord[]>;
  /** Only while it is valid; with its account. */
  findByHash(tokenHash: string, now: number): Promise<{ token: ManageTokenRecord; owner: Person | null } | undefined>;
  /** Any token, or only if it belongs to this account. */
  revoke(tokenId: string, accountId?: string): Promise<'revoked' | 'unknown'>;
  /** Records a use, unless one was recorded after `unlessSince`. */
  touch(tokenId: string, at: number, unlessSince: number): Promise<void>;
}
