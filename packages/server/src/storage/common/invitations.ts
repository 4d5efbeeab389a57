import type { InvitationRecord, InvitationStore, Membership, Role } from '../port.ts';
import { insertAccount } from './accounts.ts';
import { toLanguages } from './members.ts';
import { insertSession } from './sessions.ts';
import { type CommonStore, keepApplication, keepCredential, type Query, toBytes } from './store.ts';

const COLUMNS = 'i.invitation_id, i.app_id, i.email, i.role, i.languages, i.invited_by, i.created_at, i.expires_at';
type InvitationRow = Record<'invitation_id' | 'email' | 'invited_by', string> &
  Record<'app_id' | 'created_at' | 'expires_at', number> & { role: Role; languages: string | null };

export const invitations: CommonStore<InvitationStore, 'list' | 'isInvited' | 'findByLink'> = {
  reads: {
    async list(query, appId, now) {
      const rows = await query<InvitationRow>(
        `select ${COLUMNS} from invitations i where i.app_id = $1 and i.expires_at > $2
         order by i.created_at desc, i.invitation_id`,
        [appId, now],
      );
      return rows.map(toInvitation);
    },
    async isInvited(query, emailKey, now) {
      const text = 'select app_id from invitations where email_key = $1 and expires_at > $2 limit 1';
      return (await query(text, [emailKey, now])).length > 0;
    },
    async findByLink(query, linkHash, now) {
      const [row] = await query<InvitationRow & { has_account: boolean | number }>(
        `select ${COLUMNS}, exists (select 1 from accounts a where a.email_key = i.email_key) as has_account
         from invitations i where i.link_hash = $1 and i.expires_at > $2`,
        [toBytes(linkHash), now],
      );
      return row && { invitation: toInvitation(row), hasAccount: Boolean(row.has_account) };
    },
  },
  acts: {
    async create({ query }, invitation, atMost = Number.MAX_SAFE_INTEGER) {
      const { invitationId, linkHash, appId, email, emailKey, role, languages, invitedBy, inviterId } = invitation;
      const { createdAt, expiresAt, credential } = invitation;
      if (!(await keepApplication(query, appId))) return 'application-gone';
      if (inviterId !== null) {
        if (!(await keepCredential(query, inviterId, credential))) return 'credential-gone';
        if (!(await mayInvite(query, appId, inviterId))) return 'not-owner';
      }
      const member = await query(
        `select m.role from memberships m join accounts a on a.account_id = m.account_id
         where m.app_id = $1 and a.email_key = $2`,
        [appId, emailKey],
      );
      if (member.length > 0) return 'member';
      const [others] = await query<{ count: number }>(
        'select count(*) as count from invitations where app_id = $1 and expires_at > $2 and email_key <> $3',
        [appId, createdAt, emailKey],
      );
      if ((others?.count ?? 0) >= atMost) return 'too-many';
      // Replaces an earlier invitation to the same address.
      await query(
        `insert into invitations
           (invitation_id, link_hash, app_id, email, email_key, role, languages, invited_by, inviter_id, created_at, expires_at)
         values ($1::uuid, $2, $3, $4, $5, $6, $7, $8, $9::uuid, $10, $11)
         on conflict (app_id, email_key) do update set
           invitation_id = excluded.invitation_id, link_hash = excluded.link_hash, email = excluded.email,
           role = excluded.role, languages = excluded.languages, invited_by = excluded.invited_by,
           inviter_id = excluded.inviter_id, created_at = excluded.created_at, expires_at = excluded.expires_at`,
        [
          ...[invitationId, toBytes(linkHash), appId, email, emailKey, role, languages && JSON.stringify(languages)],
          ...[invitedBy, inviterId, createdAt, expiresAt],
        ],
      );
      return 'created';
    },
    async revoke({ query }, appId, invitationId) {
      const text = 'delete from invitations where app_id = $1 and invitation_id = $2::uuid returning invitation_id';
      return (await query(text, [appId, invitationId])).length > 0 ? 'revoked' : 'unknown';
    },
    async accept({ query }, linkHash, now, account, session) {
      const found = await lockByLink(query, linkHash, now);
      if (!found || found.email_key !== account.emailKey) return 'spent';
      if (!(await insertAccount(query, account))) return 'account-there';
      await admit(query, found, account.accountId, now);
      await insertSession(query, account.accountId, session);
      return 'opened';
    },
    async join({ query }, linkHash, now, accountId) {
      const found = await lockByLink(query, linkHash, now);
      if (!found) return 'spent';
      const own = await query(
        'select account_id from accounts where account_id = $1::uuid and email_key = $2 for key share',
        [accountId, found.email_key],
      );
      return own.length > 0 ? admit(query, found, accountId, now) : 'other-address';
    },
  },
};

/** Whether the account is an owner or administrator. The lock keeps it one until the invitation is stored. */
async function mayInvite(query: Query, appId: number, accountId: string): Promise<boolean> {
  const administrator = await query(
    "select role from accounts where account_id = $1::uuid and role = 'administrator' for share",
    [accountId],
  );
  if (administrator.length > 0) return true;
  const owner = await query(
    "select role from memberships where app_id = $1 and account_id = $2::uuid and role = 'owner' for share",
    [appId, accountId],
  );
  return owner.length > 0;
}

type FoundByLink = InvitationRow & { email_key: string };

/** The lock decides which request uses it. */
async function lockByLink(query: Query, linkHash: string, now: number): Promise<FoundByLink | undefined> {
  const [row] = await query<FoundByLink>(
    `select ${COLUMNS}, i.email_key from invitations i where i.link_hash = $1 and i.expires_at > $2 for update`,
    [toBytes(linkHash), now],
  );
  return row;
}

/** Uses up the invitation. An existing role is kept. */
async function admit(query: Query, invitation: InvitationRow, accountId: string, now: number): Promise<Membership> {
  const { invitation_id, app_id: appId } = invitation;
  await query('delete from invitations where invitation_id = $1::uuid', [invitation_id]);
  const [kept] = await query<Pick<InvitationRow, 'role' | 'languages'>>(
    `insert into memberships (app_id, account_id, role, languages, created_at) values ($1, $2::uuid, $3, $4, $5)
     on conflict (app_id, account_id) do update set role = memberships.role returning role, languages`,
    [appId, accountId, invitation.role, invitation.languages, now],
  );
  const { role, languages } = kept ?? invitation;
  return { appId, role, languages: toLanguages(languages) };
}

function toInvitation(row: InvitationRow): InvitationRecord {
  return {
    invitationId: row.invitation_id,
    appId: row.app_id,
    email: row.email,
    role: row.role,
    languages: toLanguages(row.languages),
    invitedBy: row.invited_by,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
