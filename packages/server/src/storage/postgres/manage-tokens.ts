import type { ManageTokenRecord, ManageTokenStore, Membership } from '../port.ts';
import { ACCOUNT_COLUMNS, type AccountRow, toAccount } from './accounts.ts';
import { type Connections, statement } from './connections.ts';
import { toBytes, toHex } from './encoding.ts';
import { violation } from './errors.ts';
import { MEMBERSHIPS } from './members.ts';

const COLUMNS = `
  t.token_id, t.token_hash, t.account_id, t.name, t.all_apps, t.access, t.created_at, t.expires_at, t.last_used_at,
  array(select app_id from manage_token_applications s where s.token_id = t.token_id order by app_id) as app_ids
`;
const LIST = statement(`
  select ${COLUMNS} from manage_tokens t where $1::uuid is null or t.account_id = $1 order by t.created_at, t.token_id
`);
const FIND = statement(`
  select ${COLUMNS}, ${ACCOUNT_COLUMNS}, ${MEMBERSHIPS} from manage_tokens t
  left join accounts a on a.account_id = t.account_id where t.token_hash = $1 and t.expires_at > $2
`);

const CREATE = statement(`
  with token as (
    insert into manage_tokens
      (token_id, token_hash, account_id, name, all_apps, access, created_at, expires_at, last_used_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning token_id
  ), scope as (
    insert into manage_token_applications (token_id, app_id)
    select token_id, app_id from token, unnest($10::bigint[]) app_id
  )
  select token_id from token
`);

const REVOKE = statement(`
  delete from manage_tokens where token_id = $1 and ($2::uuid is null or account_id = $2) returning token_id
`);

const TOUCH = statement(`
  update manage_tokens set last_used_at = $2
  where token_id = $1 and (last_used_at is null or last_used_at <= $3)
`);

type Row = {
  token_id: string;
  token_hash: Buffer;
  account_id: string | null;
  name: string;
  all_apps: boolean;
  access: ManageTokenRecord['access'];
  created_at: number;
  expires_at: number;
  last_used_at: number | null;
  app_ids: (number | string)[];
};

export function manageTokenStore(connections: Connections): ManageTokenStore {
  return {
    async create({ tokenId, tokenHash, accountId, name, appIds, access, createdAt, expiresAt, lastUsedAt }) {
      const what = [name, appIds === null, access, createdAt, expiresAt, lastUsedAt];
      const values = [tokenId, toBytes(tokenHash), accountId, ...what];
      try {
        await connections.write(CREATE, [...values, [...new Set(appIds)]]);
        return 'created';
      } catch (error) {
        const refused = violation(error);
        if (refused?.constraint === 'manage_tokens_account') return 'account-gone';
        if (refused?.kind === 'foreign-key') return 'application-gone';
        throw error;
      }
    },
    async list(accountId) {
      return (await connections.read<Row>(LIST, [accountId ?? null])).map(toToken);
    },
    async findByHash(tokenHash, now) {
      const [row] = await connections.read<Row & AccountRow & { memberships: Membership[] }>(FIND, [
        toBytes(tokenHash),
        now,
      ]);
      if (!row) return undefined;
      const owner = row.account_id === null ? null : { account: toAccount(row), memberships: row.memberships };
      return { token: toToken(row), owner };
    },
    async revoke(tokenId, accountId) {
      return (await connections.write(REVOKE, [tokenId, accountId ?? null])).length > 0 ? 'revoked' : 'unknown';
    },
    async touch(tokenId, at, unlessSince) {
      await connections.write(TOUCH, [tokenId, at, unlessSince]);
    },
  };
}

function toToken(row: Row): ManageTokenRecord {
  return {
    tokenId: row.token_id,
    tokenHash: toHex(row.token_hash),
    accountId: row.account_id,
    name: row.name,
    appIds: row.all_apps ? null : row.app_ids.map(Number),
    access: row.access,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
  };
}
