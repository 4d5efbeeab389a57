import type { Membership, NewAccount, NewSession, Role } from './accounts.ts';

export type MemberRecord = Omit<Membership, 'appId'> & { accountId: string; email: string; createdAt: number };

export interface MemberStore {
  /** Of an application, by address. */
  list(appId: number): Promise<MemberRecord[]>;
  /** 'last-owner': nobody could manage the application any more, as there is no administrator either. */
  changeRole(
    appId: number,
    accountId: string,
    role: Role,
    languages: string[] | null,
  ): Promise<'changed' | 'unknown' | 'last-owner'>;
  /** A new member; a role that is there already stays. */
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
  /** The account that invites, and whose invitation ends when it no longer owns the application; null: the operator. */
  inviterId: string | null;
};

export interface InvitationStore {
  /** The one before to the same address ends. */
  create(invitation: NewInvitation): Promise<'created' | 'member' | 'not-owner' | 'application-gone'>;
  /** Whether there is a valid one to this address. */
  isInvited(emailKey: string, now: number): Promise<boolean>;
  /** The valid ones of an application, newest first. */
  list(appId: number, now: number): Promise<InvitationRecord[]>;
  revoke(appId: number, invitationId: string): Promise<'revoked' | 'unknown'>;
  /** While it is valid, and whether its address has an account. Reading does not spend it. */
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
