import type { MemberStore, Membership, Role } from '../port.ts';
import { type CommonStore, keepAccount, keepApplication, lockApplication, type Query } from './store.ts';

type MemberRow = { account_id: string; email: string; role: Role; languages: string | null; created_at: number };

export const members: CommonStore<MemberStore, 'list'> = {
  reads: {
    async list(query, appId) {
      const rows = await query<MemberRow>(
        `select m.account_id, a.email, m.role, m.languages, m.created_at from memberships m
         join accounts a on a.account_id = m.account_id where m.app_id = $1 order by a.email_key collate "C"`,
        [appId],
      );
      return rows.map(({ account_id: accountId, email, role, languages, created_at: createdAt }) => {
        return { accountId, email, role, languages: toLanguages(languages), createdAt };
      });
    },
  },
  acts: {
    async changeRole({ query }, appId, accountId, role, languages) {
      const held = await lockRole(query, appId, accountId);
      if (held === undefined) return 'unknown';
      if (held === 'owner' && role !== 'owner' && (await isLastOwner(query, appId, accountId))) return 'last-owner';
      await query('update memberships set role = $3, languages = $4 where app_id = $1 and account_id = $2::uuid', [
        ...[appId, accountId, role, languages && JSON.stringify(languages)],
      ]);
      if (role !== 'owner') await endInvitations(query, appId, accountId);
      return 'changed';
    },
    async grant({ query }, appId, accountId, role, at) {
      if (!(await keepApplication(query, appId)) || !(await keepAccount(query, accountId))) return 'unknown';
      const granted = await query(
        `insert into memberships (app_id, account_id, role, created_at) values ($1, $2::uuid, $3, $4)
         on conflict do nothing returning app_id`,
        [appId, accountId, role, at],
      );
      return granted.length > 0 ? 'granted' : 'there';
    },
    async remove({ query }, appId, accountId) {
      const held = await lockRole(query, appId, accountId);
      if (held === undefined) return 'unknown';
      if (held === 'owner' && (await isLastOwner(query, appId, accountId))) return 'last-owner';
      await query('delete from memberships where app_id = $1 and account_id = $2::uuid', [appId, accountId]);
      await endInvitations(query, appId, accountId);
      return 'removed';
    },
  },
};

/**
 * Locks, so that owners who remove each other run one after the other, and so do changes of the account's own role:
 * otherwise each act would keep the invitations, because it still sees the permission that the other one removes.
 */
async function lockRole(query: Query, appId: number, accountId: string): Promise<Role | undefined> {
  await lockApplication(query, appId);
  await query('select role from accounts where account_id = $1::uuid for share', [accountId]);
  const [row] = await query<{ role: Role }>(
    'select role from memberships where app_id = $1 and account_id = $2::uuid for no key update',
    [appId, accountId],
  );
  return row?.role;
}

/** True if no other owner and no administrator could manage the application. */
async function isLastOwner(query: Query, appId: number, accountId: string): Promise<boolean> {
  const others = await query(
    `select 1 as one where exists (select 1 from memberships where app_id = $1 and role = 'owner' and account_id <> $2::uuid)
       or exists (select 1 from accounts where role = 'administrator')`,
    [appId, accountId],
  );
  return others.length === 0;
}

/** Deletes the account's invitations, unless it is an administrator, who may still invite. */
async function endInvitations(query: Query, appId: number, accountId: string): Promise<void> {
  await query(
    `delete from invitations where app_id = $1 and inviter_id = $2::uuid
       and not exists (select 1 from accounts where account_id = $2::uuid and role = 'administrator')`,
    [appId, accountId],
  );
}

/** Memberships of the account `a`, one per row; an account without any has one row of nulls. */
export const MEMBERSHIP_COLUMNS = 'm.app_id as member_of, m.role as member_role, m.languages as member_languages';
export const JOIN_MEMBERSHIPS = 'left join memberships m on m.account_id = a.account_id';
export type JoinedMembership = { member_of: number | null; member_role: Role; member_languages: string | null };

export function toMemberships(rows: readonly JoinedMembership[]): Membership[] {
  return rows.flatMap(({ member_of: appId, member_role: role, member_languages: languages }) =>
    appId === null ? [] : [{ appId, role, languages: toLanguages(languages) }],
  );
}

export function toLanguages(stored: string | null): string[] | null {
  return stored === null ? null : (JSON.parse(stored) as string[]);
}
