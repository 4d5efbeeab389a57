import type { AccountRecord, AccountStore } from '../port.ts';
import { type Connections, statement } from './connections.ts';
import { toBytes } from './encoding.ts';

export const ACCOUNT_COLUMNS = 'a.account_id, a.email, a.role, a.created_at as account_created_at';

const LIST = statement(`select ${ACCOUNT_COLUMNS} from accounts a order by a.created_at, a.account_id`);

// The update changes nothing: it makes a conflict answer with the account that is there.
const CREATE_WITH_LINK = statement(`
  with a as (
    insert into accounts (account_id, email, email_key, role, created_at) values ($1, $2, $3, $4, $5)
    on conflict (email_key) do update set email_key = accounts.email_key
    returning account_id, email, role, created_at
  ), ended as (
    delete from sign_in_links l using a where l.account_id = a.account_id or l.account_id is null
  ), link as (
    insert into sign_in_links (link_hash, account_id, expires_at) select $6::bytea, account_id, $7::bigint from a
  )
  select ${ACCOUNT_COLUMNS} from a
`);

const ADD_SET_UP_LINK = statement(`
  insert into sign_in_links (link_hash, account_id, expires_at)
  select $1::bytea, null, $2::bigint where not exists (select 1 from accounts)
  returning expires_at
`);

const DELETE = statement('delete from accounts where email_key = $1 returning account_id');

export type AccountRow = {
  account_id: string;
  email: string;
  role: AccountRecord['role'];
  account_created_at: number;
};

export function accountStore(connections: Connections): AccountStore {
  return {
    async createWithLink({ accountId, email, emailKey, role, createdAt }, { linkHash, expiresAt }) {
      const values = [accountId, email, emailKey, role, createdAt, toBytes(linkHash), expiresAt];
      const [row] = await connections.write<AccountRow>(CREATE_WITH_LINK, values);
      if (!row) throw new Error('An account was neither made nor found.');
      return { outcome: row.account_id === accountId ? 'created' : 'there', account: toAccount(row) };
    },
    async addSetUpLink({ linkHash, expiresAt }) {
      const rows = await connections.write(ADD_SET_UP_LINK, [toBytes(linkHash), expiresAt]);
      return rows.length > 0 ? 'added' : 'account-there';
    },
    async list() {
      return (await connections.read<AccountRow>(LIST)).map(toAccount);
    },
    async delete(emailKey) {
      return (await connections.write(DELETE, [emailKey])).length > 0 ? 'deleted' : 'unknown';
    },
  };
}

export function toAccount(row: AccountRow): AccountRecord {
  return { accountId: row.account_id, email: row.email, role: row.role, createdAt: row.account_created_at };
}
