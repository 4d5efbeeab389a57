import type { Membership, NewAccount, NewSession, Role } from './accounts.ts';

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
