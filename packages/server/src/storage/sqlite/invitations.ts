import type { InvitationRecord, InvitationStore, Membership, NewAccount, NewInvitation, NewSession } from '../port.ts';
import { insertAccount } from './accounts.ts';
import type { Connection } from './connection.ts';
import { toBytes, toUuid } from './encoding.ts';
import { isOwner, type MembershipRow, toLanguages, toMembership } from './members.ts';
import { insertSession } from './sessions.ts';

const COLUMNS = 'i.invitation_id, i.app_id, i.email, i.role, i.languages, i.invited_by, i.created_at, i.expires_at';
type InvitationRow = MembershipRow &
  Record<'created_at' | 'expires_at', number> & { invitation_id: Uint8Array; email: string; invited_by: string };

export function invitationReads({ statement }: Connection): Pick<InvitationStore, 'list' | 'isInvited' | 'findByLink'> {
  return {
    async list(appId, now) {
      return statement<InvitationRow>(
        `select ${COLUMNS} from invitations i where i.app_id = ? and i.expires_at > ?
         order by i.created_at desc, i.invitation_id`,
      )
        .all(appId, now)
        .map(toInvitation);
    },
    async isInvited(emailKey, now) {
      const row = statement('select 1 from invitations where email_key = ? and expires_at > ? limit 1').get(
        emailKey,
        now,
      );
      return row !== undefined;
    },
    async findByLink(linkHash, now) {
      const row = statement<InvitationRow & { has_account: number }>(
        `select ${COLUMNS}, exists (select 1 from accounts a where a.email_key = i.email_key) as has_account
         from invitations i where i.link_hash = ? and i.expires_at > ?`,
      ).get(toBytes(linkHash), now);
      return row && { invitation: toInvitation(row), hasAccount: row.has_account === 1 };
    },
  };
}

export function invitationActs(connection: Connection) {
  const { statement } = connection;
  const find = (linkHash: string, now: number) =>
    statement<InvitationRow & { email_key: string }>(
      `select ${COLUMNS}, i.email_key from invitations i where i.link_hash = ? and i.expires_at > ?`,
    ).get(toBytes(linkHash), now);
  /** A role that is there already stays. */
  const admit = (row: InvitationRow, accountId: Buffer, now: number): void => {
    statement(
      'insert into memberships (app_id, account_id, role, languages, created_at) values (?, ?, ?, ?, ?) on conflict do nothing',
    ).run(row.app_id, accountId, row.role, row.languages, now);
    statement('delete from invitations where invitation_id = ?').run(row.invitation_id);
  };

  return {
    createInvitation(invitation: NewInvitation): 'created' | 'member' | 'not-owner' | 'application-gone' {
      const { invitationId, linkHash, appId, email, emailKey, role, languages, invitedBy } = invitation;
      const { createdAt, expiresAt } = invitation;
      const inviter = invitation.inviterId === null ? null : toBytes(invitation.inviterId);
      if (!statement('select 1 from applications where app_id = ?').get(appId)) return 'application-gone';
      if (inviter && !isOwner(connection, appId, inviter)) return 'not-owner';
      const member = statement(
        `select 1 from memberships m join accounts a on a.account_id = m.account_id
         where m.app_id = ? and a.email_key = ?`,
      ).get(appId, emailKey);
      if (member) return 'member';
      statement('delete from invitations where app_id = ? and email_key = ?').run(appId, emailKey);
      statement(
        `insert into invitations
           (invitation_id, link_hash, app_id, email, email_key, role, languages, invited_by, inviter_id, created_at,
            expires_at)
         values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ).run(
        ...[toBytes(invitationId), toBytes(linkHash), appId, email, emailKey],
        ...[role, languages && JSON.stringify(languages), invitedBy, inviter, createdAt, expiresAt],
      );
      return 'created';
    },
    revokeInvitation(appId: number, invitationId: string): 'revoked' | 'unknown' {
      const { changes } = statement('delete from invitations where app_id = ? and invitation_id = ?').run(
        appId,
        toBytes(invitationId),
      );
      return changes === 0 ? 'unknown' : 'revoked';
    },
    acceptInvitation(
      linkHash: string,
      now: number,
      account: NewAccount,
      session: NewSession,
    ): 'opened' | 'spent' | 'account-there' {
      const row = find(linkHash, now);
      if (!row || row.email_key !== account.emailKey) return 'spent';
      if (statement('select 1 from accounts where email_key = ?').get(account.emailKey)) return 'account-there';
      insertAccount(connection, account);
      const id = toBytes(account.accountId);
      admit(row, id, now);
      insertSession(connection, id, session);
      return 'opened';
    },
    joinByInvitation(linkHash: string, now: number, accountId: string): Membership | 'spent' | 'other-address' {
      const row = find(linkHash, now);
      if (!row) return 'spent';
      const id = toBytes(accountId);
      const own = statement('select 1 from accounts where account_id = ? and email_key = ?').get(id, row.email_key);
      if (!own) return 'other-address';
      admit(row, id, now);
      const kept = statement<MembershipRow>(
        'select app_id, role, languages from memberships where app_id = ? and account_id = ?',
      ).get(row.app_id, id);
      return toMembership(kept as MembershipRow);
    },
  };
}

function toInvitation(row: InvitationRow): InvitationRecord {
  return {
    invitationId: toUuid(row.invitation_id),
    appId: row.app_id,
    email: row.email,
    role: row.role,
    languages: toLanguages(row.languages),
    invitedBy: row.invited_by,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
