import type { InvitationRecord, InvitationStore, Membership } from '../port.ts';
import { insertAccount } from './accounts.ts';
import { type Connections, statement } from './connections.ts';
import { toBytes } from './encoding.ts';
import { violation } from './errors.ts';
import { toLanguages } from './members.ts';
import { insertSession } from './sessions.ts';
import type { Query } from './transactions.ts';

const COLUMNS = 'i.invitation_id, i.app_id, i.email, i.role, i.languages, i.invited_by, i.created_at, i.expires_at';

const LIST = statement(`
  select ${COLUMNS} from invitations i where i.app_id = $1 and i.expires_at > $2
  order by i.created_at desc, i.invitation_id
`);
const FIND = statement(`
  select ${COLUMNS}, exists (select 1 from accounts a where a.email_key = i.email_key) as has_account
  from invitations i where i.link_hash = $1 and i.expires_at > $2
`);
const IS_INVITED = statement('select 1 as one from invitations where email_key = $1 and expires_at > $2 limit 1');
const REVOKE = statement('delete from invitations where app_id = $1 and invitation_id = $2 returning invitation_id');

// An invitation to the same address takes the place of the one before. The membership is locked, so that who loses it
// at this moment either invites nobody, or loses this invitation too.
const CREATE = statement(`
  with owner as materialized (
    select account_id from memberships where app_id = $3::bigint and account_id = $10::uuid and role = 'owner' for share
  ), inviter as (
    select 1 where $10::uuid is null or exists (select 1 from owner)
      or exists (select 1 from accounts where account_id = $10::uuid and role = 'administrator')
  ), made as (
    insert into invitations
      (invitation_id, link_hash, app_id, email, email_key, role, invited_by, created_at, expires_at, inviter_id, languages)
    select $1::uuid, $2::bytea, $3::bigint, $4::text, $5::text, $6::text, $7::text, $8::bigint, $9::bigint, $10::uuid,
      $11::text
    from inviter where not exists (
      select 1 from memberships m join accounts a on a.account_id = m.account_id
      where m.app_id = $3::bigint and a.email_key = $5::text
    )
    on conflict (app_id, email_key) do update set
      invitation_id = excluded.invitation_id, link_hash = excluded.link_hash, email = excluded.email,
      role = excluded.role, invited_by = excluded.invited_by, created_at = excluded.created_at,
      expires_at = excluded.expires_at, inviter_id = excluded.inviter_id, languages = excluded.languages
    returning invitation_id
  )
  select exists (select 1 from made) as made, exists (select 1 from inviter) as may
`);

type Row = {
  invitation_id: string;
  app_id: number;
  email: string;
  role: InvitationRecord['role'];
  languages: string | null;
  invited_by: string;
  created_at: number;
  expires_at: number;
};
type Spent = Pick<Row, 'app_id' | 'role' | 'languages'> & { email_key: string };

export function invitationStore(connections: Connections): InvitationStore {
  return {
    async create({ invitationId, linkHash, appId, email, emailKey, role, languages, ...rest }) {
      const { invitedBy, createdAt, expiresAt, inviterId } = rest;
      const limited = languages && JSON.stringify(languages);
      const what = [email, emailKey, role, invitedBy, createdAt, expiresAt, inviterId, limited];
      try {
        const values = [invitationId, toBytes(linkHash), appId, ...what];
        const [row] = await connections.write<{ made: boolean; may: boolean }>(CREATE, values);
        if (row?.made) return 'created';
        return row?.may ? 'member' : 'not-owner';
      } catch (error) {
        if (violation(error)?.constraint === 'invitations_application') return 'application-gone';
        if (violation(error)?.constraint === 'invitations_inviter') return 'not-owner';
        throw error;
      }
    },
    async list(appId, now) {
      return (await connections.read<Row>(LIST, [appId, now])).map(toInvitation);
    },
    async revoke(appId, invitationId) {
      return (await connections.write(REVOKE, [appId, invitationId])).length > 0 ? 'revoked' : 'unknown';
    },
    async isInvited(emailKey, now) {
      return (await connections.read(IS_INVITED, [emailKey, now])).length > 0;
    },
    async findByLink(linkHash, now) {
      const [row] = await connections.read<Row & { has_account: boolean }>(FIND, [toBytes(linkHash), now]);
      return row && { invitation: toInvitation(row), hasAccount: row.has_account };
    },
    async accept(linkHash, now, account, session) {
      try {
        return await connections.transaction(async (query) => {
          const there = await query('select 1 from accounts where email_key = $1', [account.emailKey]);
          const spent = there.length === 0 ? await spend(query, linkHash, now, account.emailKey) : undefined;
          if (!spent) return there.length > 0 ? 'account-there' : 'spent';
          await insertAccount(query, account);
          await admit(query, spent, account.accountId, now);
          await insertSession(query, account.accountId, session);
          return 'opened';
        });
      } catch (error) {
        // Somebody made this account at the same moment.
        if (violation(error)?.constraint === 'accounts_email') return 'account-there';
        if (violation(error)?.constraint === 'memberships_application') return 'spent';
        throw error;
      }
    },
    join(linkHash, now, accountId) {
      return connections.transaction(async (query) => {
        const good = await query<{ own: boolean }>(
          `select i.email_key = a.email_key as own from invitations i, accounts a
           where i.link_hash = $1 and i.expires_at > $2 and a.account_id = $3`,
          [toBytes(linkHash), now, accountId],
        );
        if (good[0]?.own === false) return 'other-address';
        const spent = await spend(query, linkHash, now);
        return spent ? admit(query, spent, accountId, now) : 'spent';
      });
    },
  };
}

/** One conditional delete decides who uses it. */
async function spend(query: Query, linkHash: string, now: number, emailKey?: string): Promise<Spent | undefined> {
  const [row] = await query<Spent>(
    `delete from invitations where link_hash = $1 and expires_at > $2 and ($3::text is null or email_key = $3)
     returning app_id, email_key, role, languages`,
    [toBytes(linkHash), now, emailKey ?? null],
  );
  return row;
}

/** A role that is there already stays. */
async function admit(query: Query, spent: Spent, accountId: string, now: number): Promise<Membership> {
  const { app_id, role, languages } = spent;
  const [row] = await query<Pick<Row, 'role' | 'languages'>>(
    `insert into memberships as m (app_id, account_id, role, created_at, languages) values ($1, $2, $3, $4, $5)
     on conflict (app_id, account_id) do update set role = m.role returning role, languages`,
    [app_id, accountId, role, now, languages],
  );
  const kept = row ?? spent;
  return { appId: Number(app_id), role: kept.role, languages: toLanguages(kept.languages) };
}

function toInvitation(row: Row): InvitationRecord {
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
