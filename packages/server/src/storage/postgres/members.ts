import type { MemberStore, Role } from '../port.ts';
import { type Connections, statement } from './connections.ts';
import type { Query } from './transactions.ts';

/** Of the account `a`, as JSON. */
export const MEMBERSHIPS = `(
  select coalesce(json_agg(json_build_object('appId', m.app_id, 'role', m.role, 'languages', m.languages::json) order by m.app_id), '[]')
  from memberships m where m.account_id = a.account_id
) as memberships`;

const LIST = statement(`
  select m.account_id, a.email, m.role, m.languages, m.created_at from memberships m join accounts a on a.account_id = m.account_id
  where m.app_id = $1 order by a.email_key collate "C"
`);

type Row = { account_id: string; email: string; role: Role; languages: string | null; created_at: number };

const GRANT = statement(`
  with granted as (
    insert into memberships (app_id, account_id, role, created_at)
    select p.app_id, a.account_id, $3::text, $4::bigint from applications p, accounts a
    where p.app_id = $1 and a.account_id = $2
    on conflict do nothing returning app_id
  )
  select exists (select 1 from granted) as granted,
    exists (select 1 from memberships where app_id = $1 and account_id = $2) as there
`);

export function memberStore(connections: Connections): MemberStore {
  return {
    async list(appId) {
      return (await connections.read<Row>(LIST, [appId])).map((row) => ({
        accountId: row.account_id,
        email: row.email,
        role: row.role,
        languages: toLanguages(row.languages),
        createdAt: row.created_at,
      }));
    },
    changeRole(appId, accountId, role, languages) {
      return connections.transaction(async (query) => {
        const owners = await lockOwners(query, appId);
        if (role !== 'owner' && (await wouldLeaveNobody(query, owners, accountId))) return 'last-owner';
        const rows = await query(
          'update memberships set role = $3, languages = $4 where app_id = $1 and account_id = $2 returning role',
          [appId, accountId, role, languages && JSON.stringify(languages)],
        );
        if (role !== 'owner') await endInvitations(query, appId, accountId);
        return rows.length > 0 ? 'changed' : 'unknown';
      });
    },
    async grant(appId, accountId, role, at) {
      const [row] = await connections.write<{ granted: boolean; there: boolean }>(GRANT, [appId, accountId, role, at]);
      if (row?.granted) return 'granted';
      return row?.there ? 'there' : 'unknown';
    },
    remove(appId, accountId) {
      return connections.transaction(async (query) => {
        const owners = await lockOwners(query, appId);
        if (await wouldLeaveNobody(query, owners, accountId)) return 'last-owner';
        const rows = await query('delete from memberships where app_id = $1 and account_id = $2 returning role', [
          appId,
          accountId,
        ]);
        await endInvitations(query, appId, accountId);
        return rows.length > 0 ? 'removed' : 'unknown';
      });
    },
  };
}

export function toLanguages(stored: string | null): string[] | null {
  return stored === null ? null : (JSON.parse(stored) as string[]);
}

/** Two owners who remove each other come one after the other. */
async function lockOwners(query: Query, appId: number): Promise<string[]> {
  await query('select app_id from applications where app_id = $1 for no key update', [appId]);
  const rows = await query<{ account_id: string }>(
    "select account_id from memberships where app_id = $1 and role = 'owner'",
    [appId],
  );
  return rows.map(({ account_id }) => account_id);
}

/** What they invited to goes with the right to; an administrator keeps it. */
async function endInvitations(query: Query, appId: number, accountId: string): Promise<void> {
  await query(
    `delete from invitations i using accounts a
     where i.app_id = $1 and i.inviter_id = $2 and a.account_id = i.inviter_id and a.role <> 'administrator'`,
    [appId, accountId],
  );
}

async function wouldLeaveNobody(query: Query, owners: string[], accountId: string): Promise<boolean> {
  if (owners.length !== 1 || owners[0] !== accountId) return false;
  return (await query("select 1 from accounts where role = 'administrator' limit 1")).length === 0;
}
