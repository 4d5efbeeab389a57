import type { MemberStore, Membership, Role } from '../port.ts';
import type { Connection } from './connection.ts';
import { toBytes, toUuid } from './encoding.ts';

export type MembershipRow = { app_id: number; role: Role; languages: string | null };

export function memberReads({ statement }: Connection): Pick<MemberStore, 'list'> {
  return {
    async list(appId) {
      return statement<Omit<MembershipRow, 'app_id'> & { account_id: Uint8Array; email: string; created_at: number }>(
        `select m.account_id, a.email, m.role, m.languages, m.created_at from memberships m
         join accounts a on a.account_id = m.account_id where m.app_id = ? order by a.email_key`,
      )
        .all(appId)
        .map(({ account_id, email, role, languages, created_at: createdAt }) => {
          return { accountId: toUuid(account_id), email, role, languages: toLanguages(languages), createdAt };
        });
    },
  };
}

export function memberActs(connection: Connection) {
  const { statement, value } = connection;
  const roleOf = (appId: number, id: Buffer): Role | undefined =>
    value('select role from memberships where app_id = ? and account_id = ?', appId, id);
  const wouldLeaveNobody = (appId: number, id: Buffer): boolean =>
    !statement("select 1 from memberships where app_id = ? and role = 'owner' and account_id <> ?").get(appId, id) &&
    !statement("select 1 from accounts where role = 'administrator'").get();
  /** What they invited to goes with the right to. */
  const endInvitations = (appId: number, id: Buffer): void => {
    if (isOwner(connection, appId, id)) return;
    statement('delete from invitations where app_id = ? and inviter_id = ?').run(appId, id);
  };

  return {
    changeMemberRole(
      appId: number,
      accountId: string,
      role: Role,
      languages: string[] | null,
    ): 'changed' | 'unknown' | 'last-owner' {
      const id = toBytes(accountId);
      const held = roleOf(appId, id);
      if (held === undefined) return 'unknown';
      if (held === 'owner' && role !== 'owner' && wouldLeaveNobody(appId, id)) return 'last-owner';
      statement('update memberships set role = ?, languages = ? where app_id = ? and account_id = ?').run(
        role,
        languages && JSON.stringify(languages),
        appId,
        id,
      );
      endInvitations(appId, id);
      return 'changed';
    },
    grantMembership(appId: number, accountId: string, role: Role, at: number): 'granted' | 'there' | 'unknown' {
      const id = toBytes(accountId);
      if (roleOf(appId, id) !== undefined) return 'there';
      const { changes } = statement(
        `insert into memberships (app_id, account_id, role, created_at)
         select p.app_id, a.account_id, ?, ? from applications p, accounts a where p.app_id = ? and a.account_id = ?`,
      ).run(role, at, appId, id);
      return changes === 0 ? 'unknown' : 'granted';
    },
    removeMember(appId: number, accountId: string): 'removed' | 'unknown' | 'last-owner' {
      const id = toBytes(accountId);
      const held = roleOf(appId, id);
      if (held === undefined) return 'unknown';
      if (held === 'owner' && wouldLeaveNobody(appId, id)) return 'last-owner';
      statement('delete from memberships where app_id = ? and account_id = ?').run(appId, id);
      endInvitations(appId, id);
      return 'removed';
    },
  };
}

/** By a membership, or as an administrator. */
export function isOwner({ statement }: Connection, appId: number, accountId: Uint8Array): boolean {
  const owns = statement(
    `select 1 from accounts a where a.account_id = ? and (a.role = 'administrator' or exists
      (select 1 from memberships m where m.account_id = a.account_id and m.app_id = ? and m.role = 'owner'))`,
  ).get(accountId, appId);
  return owns !== undefined;
}

export function membershipsOf({ statement }: Connection, accountId: Uint8Array): Membership[] {
  return statement<MembershipRow>(
    'select app_id, role, languages from memberships where account_id = ? order by app_id',
  )
    .all(accountId)
    .map(toMembership);
}

export function toMembership(row: MembershipRow): Membership {
  return { appId: row.app_id, role: row.role, languages: toLanguages(row.languages) };
}

export function toLanguages(stored: string | null): string[] | null {
  return stored === null ? null : JSON.parse(stored);
}
