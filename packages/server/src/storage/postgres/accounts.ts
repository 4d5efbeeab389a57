import type { AccountRecord, AccountStore, Credentials, NewAccount } from '../port.ts';
import { type Connections, statement } from './connections.ts';
import { toBytes } from './encoding.ts';
import { violation } from './errors.ts';
import type { Query } from './transactions.ts';

export const ACCOUNT_COLUMNS = `a.account_id, a.email, a.role, a.created_at as account_created_at,
  a.password_hash is not null as has_password, a.sealed_totp is not null as has_totp, a.preferences`;
const CREDENTIALS = 'a.password_hash, a.sealed_totp, a.pending_totp';

const LIST = statement(`select ${ACCOUNT_COLUMNS} from accounts a order by a.created_at, a.account_id`);
const FIND_BY_EMAIL = statement(`select ${ACCOUNT_COLUMNS}, ${CREDENTIALS} from accounts a where a.email_key = $1`);
const FIND_BY_LINK = statement(`
  select ${ACCOUNT_COLUMNS}, ${CREDENTIALS} from sign_in_links l join accounts a on a.account_id = l.account_id
  where l.link_hash = $1 and l.expires_at > $2
`);
const CAN_SET_UP = statement(`
  select 1 as one from sign_in_links where link_hash = $1 and expires_at > $2 and account_id is null
  and not exists (select 1 from accounts)
`);
const FIND_CREDENTIALS = statement(`select ${CREDENTIALS} from accounts a where a.account_id = $1`);

const INSERT = `insert into accounts (account_id, email, email_key, role, created_at, password_hash)
  values ($1, $2, $3, $4, $5, $6)`;

// The update changes nothing: it makes a conflict answer with the account that is there.
const CREATE_WITH_LINK = statement(`
  with a as (
    ${INSERT}
    on conflict (email_key) do update set email_key = accounts.email_key
    returning account_id, email, role, created_at, password_hash, sealed_totp, preferences
  ), ended as (
    delete from sign_in_links l using a where l.account_id = a.account_id or l.account_id is null
  ), link as (
    insert into sign_in_links (link_hash, account_id, expires_at) select $7::bytea, account_id, $8::bigint from a
  )
  select ${ACCOUNT_COLUMNS} from a
`);

const ADD_LINK = statement(`
  insert into sign_in_links (link_hash, account_id, expires_at)
  select $1::bytea, account_id, $2::bigint from accounts where account_id = $3
  returning expires_at
`);
const ADD_SET_UP_LINK = statement(`
  insert into sign_in_links (link_hash, account_id, expires_at)
  select $1::bytea, null, $2::bigint where not exists (select 1 from accounts)
  returning expires_at
`);

const SET_PASSWORD = statement(`
  with changed as (
    update accounts set password_hash = $2 where account_id = $1 returning account_id
  ), sessions_ended as (
    delete from sessions s using changed c where s.account_id = c.account_id and s.session_id <> $3
  ), links_ended as (
    delete from sign_in_links l using changed c where l.account_id = c.account_id
  )
  select account_id from changed
`);
const SET_PREFERENCES = statement('update accounts set preferences = $2 where account_id = $1 returning account_id');

const RESET = statement(`
  with changed as (
    update accounts set
      password_hash = case when $2 then null else password_hash end,
      sealed_totp = case when $3 then null else sealed_totp end,
      pending_totp = case when $3 then null else pending_totp end
    where email_key = $1 returning account_id
  ), codes_gone as (
    delete from recovery_codes r using changed c where r.account_id = c.account_id and $3
  ), sessions_ended as (
    delete from sessions s using changed c where s.account_id = c.account_id
  ), tokens_revoked as (
    delete from manage_tokens t using changed c where t.account_id = c.account_id and $2
  ), invitations_ended as (
    delete from invitations i using changed c where i.inviter_id = c.account_id and $2
  )
  select account_id from changed
`);

const DELETE = statement('delete from accounts where email_key = $1 returning account_id');

export type AccountRow = {
  account_id: string;
  email: string;
  role: AccountRecord['role'];
  account_created_at: number;
  has_password: boolean;
  has_totp: boolean;
  preferences: string;
};
type CredentialsRow = { password_hash: string | null; sealed_totp: string | null; pending_totp: string | null };

export function accountStore(connections: Connections): AccountStore {
  return {
    async createWithLink(account, { linkHash, expiresAt }) {
      const values = [...valuesOf(account), toBytes(linkHash), expiresAt];
      const [row] = await connections.write<AccountRow>(CREATE_WITH_LINK, values);
      if (!row) throw new Error('An account was neither made nor found.');
      return { outcome: row.account_id === account.accountId ? 'created' : 'there', account: toAccount(row) };
    },
    async identify({ subject, emailKey }, account) {
      try {
        return await connections.transaction(async (query) => {
          const by = (column: string, value: string) =>
            query<AccountRow & { oidc_subject: string | null }>(
              `select ${ACCOUNT_COLUMNS}, a.oidc_subject from accounts a where a.${column} = $1 for no key update`,
              [value],
            );
          const link = (accountId: string) =>
            query('update accounts set oidc_subject = $1 where account_id = $2', [subject, accountId]);
          const [known] = await by('oidc_subject', subject);
          if (known) return { outcome: 'found', account: toAccount(known) };
          const [there] = emailKey === null ? [] : await by('email_key', emailKey);
          if (there) {
            if (there.oidc_subject !== null) return 'other-identity';
            await link(there.account_id);
            return { outcome: 'linked', account: toAccount(there) };
          }
          if (account === null) return 'unknown';
          await insertAccount(query, account);
          await link(account.accountId);
          const [made] = await by('oidc_subject', subject);
          return { outcome: 'created', account: toAccount(made as AccountRow) };
        });
      } catch (error) {
        // Somebody else signed in with it, or made the account, at this moment.
        const { constraint } = violation(error) ?? {};
        if (constraint === 'accounts_email' || constraint === 'accounts_by_oidc_subject') return 'other-identity';
        throw error;
      }
    },
    setRole: (accountId, role) =>
      connections.transaction(async (query) => {
        // All administrators: two who lose the role at once come one after the other.
        const administrators = await query<{ account_id: string }>(
          "select account_id from accounts where role = 'administrator' order by account_id for no key update",
        );
        const [held] = await query<{ role: string }>('select role from accounts where account_id = $1', [accountId]);
        if (!held) return 'unknown';
        if (held.role === role) return 'same';
        const others = administrators.filter((each) => each.account_id !== accountId);
        if (role !== 'administrator' && others.length === 0) return 'last-administrator';
        await query('update accounts set role = $1 where account_id = $2', [role, accountId]);
        return 'changed';
      }),
    async addLink(accountId, { linkHash, expiresAt }) {
      const rows = await connections.write(ADD_LINK, [toBytes(linkHash), expiresAt, accountId]);
      return rows.length > 0 ? 'added' : 'unknown';
    },
    async addSetUpLink({ linkHash, expiresAt }) {
      const rows = await connections.write(ADD_SET_UP_LINK, [toBytes(linkHash), expiresAt]);
      return rows.length > 0 ? 'added' : 'account-there';
    },
    async list() {
      return (await connections.read<AccountRow>(LIST)).map(toAccount);
    },
    async findByEmail(emailKey) {
      const [row] = await connections.read<AccountRow & CredentialsRow>(FIND_BY_EMAIL, [emailKey]);
      return row && { account: toAccount(row), credentials: toCredentials(row) };
    },
    async findByLink(linkHash, now) {
      const [row] = await connections.read<AccountRow & CredentialsRow>(FIND_BY_LINK, [toBytes(linkHash), now]);
      return row && { account: toAccount(row), credentials: toCredentials(row) };
    },
    async canSetUp(linkHash, now) {
      return (await connections.read(CAN_SET_UP, [toBytes(linkHash), now])).length > 0;
    },
    async credentials(accountId) {
      const [row] = await connections.read<CredentialsRow>(FIND_CREDENTIALS, [accountId]);
      return row && toCredentials(row);
    },
    async setPassword(accountId, passwordHash, keepSessionId) {
      const rows = await connections.write(SET_PASSWORD, [accountId, passwordHash, keepSessionId]);
      return rows.length > 0 ? 'set' : 'unknown';
    },
    async setPreferences(accountId, preferences) {
      return (await connections.write(SET_PREFERENCES, [accountId, preferences])).length > 0 ? 'set' : 'unknown';
    },
    async reset(emailKey, { password, totp }) {
      return (await connections.write(RESET, [emailKey, password, totp])).length > 0 ? 'reset' : 'unknown';
    },
    async delete(emailKey) {
      return (await connections.write(DELETE, [emailKey])).length > 0 ? 'deleted' : 'unknown';
    },
  };
}

export async function insertAccount(query: Query, account: NewAccount): Promise<void> {
  await query(INSERT, valuesOf(account));
}

function valuesOf({ accountId, email, emailKey, role, createdAt, passwordHash }: NewAccount): unknown[] {
  return [accountId, email, emailKey, role, createdAt, passwordHash];
}

export function toAccount(row: AccountRow): AccountRecord {
  return {
    accountId: row.account_id,
    email: row.email,
    role: row.role,
    createdAt: row.account_created_at,
    hasPassword: row.has_password,
    hasTotp: row.has_totp,
    preferences: row.preferences,
  };
}

function toCredentials(row: CredentialsRow): Credentials {
  return { passwordHash: row.password_hash, sealedTotp: row.sealed_totp, pendingTotp: row.pending_totp };
}
