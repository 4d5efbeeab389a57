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

export type Role = 'viewer' | 'translator' | 'support' | 'editor' | 'owner';
/** `languages`: tags that a translator is limited to; null: all. */
export type Membership = { appId: number; role: Role; languages: string[] | null };
export type Person = { account: AccountRecord; memberships: Membership[] };

/** Who an identity provider says somebody is: its issuer and their subject there, as one text. */
type Identity = {
  subject: string;
  /** Verified by the provider; null: there is none. */
  emailKey: string | null;
};

export type NewAccount = Pick<AccountRecord, 'accountId' | 'email' | 'role' | 'createdAt'> & {
  /** The address as it is compared: one account for each. */
  emailKey: string;
  /** null: it has none yet. */
  passwordHash: string | null;
};

/** Works once. */
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
  /** One more sign-in link: earlier ones stay valid. */
  addLink(accountId: string, link: NewLink): Promise<'added' | 'unknown'>;
  /** A link that makes the first account: only while there is none. */
  addSetUpLink(link: NewLink): Promise<'added' | 'account-there'>;
  /**
   * The account of an identity; else the one that has its address, which is linked to it; else the new one, if there may be one.
   * 'other-identity': the account with this address belongs to another.
   */
  identify(
    identity: Identity,
    account: NewAccount | null,
  ): Promise<{ outcome: 'found' | 'linked' | 'created'; account: AccountRecord } | 'unknown' | 'other-identity'>;
  /** 'last-administrator': nobody could manage the installation any more. */
  setRole(
    accountId: string,
    role: AccountRecord['role'],
  ): Promise<'changed' | 'same' | 'unknown' | 'last-administrator'>;
  /** Oldest first. */
  list(): Promise<AccountRecord[]>;
  findByEmail(emailKey: string): Promise<{ account: AccountRecord; credentials: Credentials } | undefined>;
  /** The owner of a sign-in link, while it is valid. Reading does not spend it. */
  findByLink(linkHash: string, now: number): Promise<{ account: AccountRecord; credentials: Credentials } | undefined>;
  /** Whether a set-up link is valid. */
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
  /** Whether it was still valid: a code works once. */
  spend(accountId: string, factor: Factor): Promise<boolean>;
  countRecoveryCodes(accountId: string): Promise<number>;
}

/** A code that was found right and is to be spent: of the authenticator app, by its step, or a recovery code. */
export type Factor = { step: number } | { recoveryHash: string };

/** Allows an attempt every `everyMs`, and `burst` at once. */
export type Allowance = { subjectHash: string; everyMs: number; burst: number };

/** In steps. Attempts can overtake each other on their way here, which must not cost anyone an attempt. */
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
  authMethod: 'link' | 'password' | 'oidc';
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
  /** While the account is linked to this identity. */
  openByIdentity(accountId: string, subject: string, session: NewSession): Promise<'opened' | 'unknown'>;
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

export type MemberRecord = Omit<Membership, 'appId'> & { accountId: string; email: string; createdAt: number };

export interface MemberStore {
  /** The members of an application, by address. */
  list(appId: number): Promise<MemberRecord[]>;
  /** 'last-owner': nobody could manage the application any more, because there is no administrator either. */
  changeRole(
    appId: number,
    accountId: string,
    role: Role,
    languages: string[] | null,
  ): Promise<'changed' | 'unknown' | 'last-owner'>;
  /** Adds a member; an existing role stays. */
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
};

export interface InvitationStore {
  /** Replaces an earlier invitation to the same address. */
  create(invitation: NewInvitation): Promise<'created' | 'member' | 'not-owner' | 'application-gone'>;
  /** Whether there is a valid invitation to this address. */
  isInvited(emailKey: string, now: number): Promise<boolean>;
  /** The valid ones of an application, newest first. */
  list(appId: number, now: number): Promise<InvitationRecord[]>;
  revoke(appId: number, invitationId: string): Promise<'revoked' | 'unknown'>;
  /** While it is valid, and whether its address has an account. Reading does not use it up. */
  findByLink(linkHash: string, now: number): Promise<{ invitation: InvitationRecord; hasAccount: boolean } | undefined>;
  /**
   * Uses it up: creates the account, with the membership and a session. The account's address must be the invitation's.
   */
  accept(
    linkHash: string,
    now: number,
    account: NewAccount,
    session: NewSession,
  ): Promise<'opened' | 'spent' | 'account-there'>;
  /** Uses it up: an existing account with this address becomes a member. An earlier role stays. */
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
  create(token: ManageTokenRecord): Promise<'created' | 'application-gone' | 'account-gone'>;
  /** All of them, or those of an account; includes expired ones, oldest first. */
  list(accountId?: string): Promise<ManageTokenRecord[]>;
  /** While it is valid, with its account. */
  findByHash(tokenHash: string, now: number): Promise<{ token: ManageTokenRecord; owner: Person | null } | undefined>;
  /** Any token, or only if it belongs to this account. */
  revoke(tokenId: string, accountId?: string): Promise<'revoked' | 'unknown'>;
  /** Records a use, unless one was recorded after `unlessSince`. */
  touch(tokenId: string, at: number, unlessSince: number): Promise<void>;
}
