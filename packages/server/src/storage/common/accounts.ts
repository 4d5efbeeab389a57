import type { AccountRecord, AccountStore, Credentials, NewAccount, NewLink } from '../port.ts';
import { type CommonStore, keepCredential, type Query, toBytes } from './store.ts';

export const ACCOUNT_COLUMNS = `a.account_id, a.email, a.role, a.created_at as account_created_at,
  a.password_hash is not null as has_password, a.sealed_totp is not null as has_totp, a.preferences`;
const CREDENTIALS = 'a.password_hash, a.sealed_totp, a.pending_totp';

export type AccountRow = Pick<AccountRecord, 'email' | 'role' | 'preferences'> &
  Record<'has_password' | 'has_totp', boolean | number> & { account_id: string; account_created_at: number };
type CredentialsRow = Record<'password_hash' | 'sealed_totp' | 'pending_totp', string | null>;

type Read = 'list' | 'findByEmail' | 'findByLink' | 'canSetUp' | 'credentials';

export const accounts: CommonStore<AccountStore, Read> = {
  reads: {
    async list(query) {
      const text = `select ${ACCOUNT_COLUMNS} from accounts a order by a.created_at, a.account_id`;
      return (await query<AccountRow>(text)).map(toAccount);
    },
    async findByEmail(query, emailKey) {
      const [row] = await query<AccountRow & CredentialsRow>(
        `select ${ACCOUNT_COLUMNS}, ${CREDENTIALS} from accounts a where a.email_key = $1`,
        [emailKey],
      );
      return row && { account: toAccount(row), credentials: toCredentials(row) };
    },
    async findByLink(query, linkHash, now) {
      const [row] = await query<AccountRow & CredentialsRow>(
        `select ${ACCOUNT_COLUMNS}, ${CREDENTIALS} from sign_in_links l join accounts a on a.account_id = l.account_id
         where l.link_hash = $1 and l.expires_at > $2`,
        [toBytes(linkHash), now],
      );
      return row && { account: toAccount(row), credentials: toCredentials(row) };
    },
    async canSetUp(query, linkHash, now) {
      const rows = await query(
        `select expires_at from sign_in_links where link_hash = $1 and expires_at > $2 and account_id is null
         and not exists (select 1 from accounts)`,
        [toBytes(linkHash), now],
      );
      return rows.length > 0;
    },
    async credentials(query, accountId) {
      const text = `select ${CREDENTIALS} from accounts a where a.account_id = $1::uuid`;
      const [row] = await query<CredentialsRow>(text, [accountId]);
      return row && toCredentials(row);
    },
  },
  acts: {
    async createWithLink({ query }, account, link) {
      // Lock before the insert: a set-up link in use creates its account first, or can no longer create one.
      await lockSetUpLinks(query);
      // The update changes nothing; it locks an existing account.
      await query(`${INSERT} on conflict (email_key) do update set email_key = accounts.email_key`, valuesOf(account));
      const [row] = await query<AccountRow>(`select ${ACCOUNT_COLUMNS} from accounts a where a.email_key = $1`, [
        account.emailKey,
      ]);
      const { accountId } = toAccount(row as AccountRow);
      await query('delete from sign_in_links where account_id = $1::uuid or account_id is null', [accountId]);
      await insertLink(query, accountId, link);
      return {
        outcome: accountId === account.accountId ? 'created' : 'there',
        account: toAccount(row as AccountRow),
      };
    },
    async identify({ query }, { subject, emailKey }, account) {
      const by = async (column: 'oidc_subject' | 'email_key', value: string) => {
        type Row = AccountRow & { oidc_subject: string | null };
        const [row] = await query<Row>(
          `select ${ACCOUNT_COLUMNS}, a.oidc_subject from accounts a where a.${column} = $1 for no key update`,
          [value],
        );
        return row;
      };
      const link = (accountId: string) =>
        query('update accounts set oidc_subject = $1 where account_id = $2::uuid', [subject, accountId]);
      const known = await by('oidc_subject', subject);
      if (known) return { outcome: 'found', account: toAccount(known) };
      const there = emailKey === null ? undefined : await by('email_key', emailKey);
      if (there) {
        // It was linked in the meantime.
        if (there.oidc_subject === subject) return { outcome: 'found', account: toAccount(there) };
        if (there.oidc_subject !== null) return 'other-identity';
        await link(there.account_id);
        return { outcome: 'linked', account: toAccount(there) };
      }
      if (account === null) return 'unknown';
      if (!(await insertAccount(query, account))) {
        // Created concurrently: by the same person in another window, or by someone else.
        const made = await by('oidc_subject', subject);
        return made ? { outcome: 'found', account: toAccount(made) } : 'other-identity';
      }
      await link(account.accountId);
      return { outcome: 'created', account: toAccount((await by('oidc_subject', subject)) as AccountRow) };
    },
    async setRole({ query }, accountId, role) {
      // Locks all administrators, so that concurrent role changes run one after the other.
      const administrators = await query<{ account_id: string }>(
        "select account_id from accounts where role = 'administrator' order by account_id for no key update",
      );
      const [held] = await query<{ role: string }>('select role from accounts where account_id = $1::uuid', [
        accountId,
      ]);
      if (!held) return 'unknown';
      if (held.role === role) return 'same';
      const others = administrators.filter((each) => each.account_id !== accountId);
      if (role !== 'administrator' && others.length === 0) return 'last-administrator';
      await query('update accounts set role = $1 where account_id = $2::uuid', [role, accountId]);
      if (role !== 'administrator') {
        await query(
          `delete from invitations where inviter_id = $1::uuid and not exists (
             select 1 from memberships m where m.app_id = invitations.app_id and m.account_id = $1::uuid and m.role = 'owner')`,
          [accountId],
        );
      }
      return 'changed';
    },
    async addLink({ query }, accountId, { linkHash, expiresAt }) {
      const added = await query(
        `insert into sign_in_links (link_hash, account_id, expires_at)
         select $1::bytea, account_id, $2::bigint from accounts where account_id = $3::uuid returning expires_at`,
        [toBytes(linkHash), expiresAt, accountId],
      );
      return added.length > 0 ? 'added' : 'unknown';
    },
    async addSetUpLink({ query }, { linkHash, expiresAt }) {
      const added = await query(
        `insert into sign_in_links (link_hash, account_id, expires_at)
         select $1::bytea, null, $2::bigint where not exists (select 1 from accounts) returning expires_at`,
        [toBytes(linkHash), expiresAt],
      );
      return added.length > 0 ? 'added' : 'account-there';
    },
    // Lock links before sessions, here and in a reset: a link in use has then already opened its session.
    async setPassword({ query }, accountId, passwordHash, sessionId) {
      await query('select link_hash from sign_in_links where account_id = $1::uuid order by link_hash for update', [
        accountId,
      ]);
      await query('select role from accounts where account_id = $1::uuid for no key update', [accountId]);
      // Another new password or a reset may have ended it.
      if (!(await keepCredential(query, accountId, { sessionId }))) return 'unknown';
      await query('delete from sign_in_links where account_id = $1::uuid', [accountId]);
      await query('update accounts set password_hash = $2 where account_id = $1::uuid', [accountId, passwordHash]);
      await query('delete from sessions where account_id = $1::uuid and session_id <> $2::uuid', [
        ...[accountId, sessionId],
      ]);
      return 'set';
    },
    async setPreferences({ query }, accountId, preferences) {
      const text = 'update accounts set preferences = $2 where account_id = $1::uuid returning account_id';
      return (await query(text, [accountId, preferences])).length > 0 ? 'set' : 'unknown';
    },
    async reset({ query }, emailKey, { password, totp }) {
      await query(
        'delete from sign_in_links where account_id = (select account_id from accounts where email_key = $1)',
        [emailKey],
      );
      const [row] = await query<{ account_id: string }>(
        'select account_id from accounts where email_key = $1 for no key update',
        [emailKey],
      );
      if (!row) return 'unknown';
      const id = [row.account_id];
      if (password) {
        await query('update accounts set password_hash = null where account_id = $1::uuid', id);
        await query('delete from manage_tokens where account_id = $1::uuid', id);
        await query('delete from invitations where inviter_id = $1::uuid', id);
      }
      if (totp) {
        await query('update accounts set sealed_totp = null, pending_totp = null where account_id = $1::uuid', id);
        await query('delete from recovery_codes where account_id = $1::uuid', id);
      }
      await query('delete from sessions where account_id = $1::uuid', id);
      return 'reset';
    },
    async delete({ query }, emailKey) {
      const deleted = await query('delete from accounts where email_key = $1 returning account_id', [emailKey]);
      return deleted.length > 0 ? 'deleted' : 'unknown';
    },
  },
};

/** If two set-up links are used at the same time, the first one wins. */
export async function lockSetUpLinks(query: Query): Promise<void> {
  await query('select link_hash from sign_in_links where account_id is null order by link_hash for update');
}

const INSERT = `insert into accounts (account_id, email, email_key, role, created_at, password_hash)
  values ($1::uuid, $2, $3, $4, $5, $6)`;

function valuesOf({ accountId, email, emailKey, role, createdAt, passwordHash }: NewAccount): unknown[] {
  return [accountId, email, emailKey, role, createdAt, passwordHash];
}

/** False if the address already has an account. */
export async function insertAccount(query: Query, account: NewAccount): Promise<boolean> {
  const text = `${INSERT} on conflict (email_key) do nothing returning account_id`;
  return (await query(text, valuesOf(account))).length > 0;
}

async function insertLink(query: Query, accountId: string, { linkHash, expiresAt }: NewLink): Promise<void> {
  await query('insert into sign_in_links (link_hash, account_id, expires_at) values ($1, $2::uuid, $3)', [
    ...[toBytes(linkHash), accountId, expiresAt],
  ]);
}

export function toAccount(row: AccountRow): AccountRecord {
  return {
    accountId: row.account_id,
    email: row.email,
    role: row.role,
    createdAt: row.account_created_at,
    hasPassword: Boolean(row.has_password),
    hasTotp: Boolean(row.has_totp),
    preferences: row.preferences,
  };
}

function toCredentials(row: CredentialsRow): Credentials {
  return { passwordHash: row.password_hash, sealedTotp: row.sealed_totp, pendingTotp: row.pending_totp };
}
