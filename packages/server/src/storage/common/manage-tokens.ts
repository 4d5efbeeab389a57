import type { ManageTokenRecord, ManageTokenStore } from '../port.ts';
import { ACCOUNT_COLUMNS, type AccountRow, toAccount } from './accounts.ts';
import { JOIN_MEMBERSHIPS, type JoinedMembership, MEMBERSHIP_COLUMNS, toMemberships } from './members.ts';
import { type CommonStore, keepApplication, keepCredential, toBytes, toHex } from './store.ts';

const COLUMNS = `
  t.token_id, t.token_hash, t.account_id, t.name, t.all_apps, t.access, t.created_at, t.expires_at, t.last_used_at,
  (select string_agg(cast(s.app_id as text), ',' order by s.app_id) from manage_token_applications s
   where s.token_id = t.token_id) as app_ids
`;
type TokenRow = Pick<ManageTokenRecord, 'name' | 'access'> &
  Record<'created_at' | 'expires_at', number> &
  Record<'account_id' | 'app_ids', string | null> & {
    token_id: string;
    token_hash: Uint8Array;
    all_apps: boolean | number;
    last_used_at: number | null;
  };

export const manageTokens: CommonStore<ManageTokenStore, 'list' | 'findByHash'> = {
  reads: {
    async list(query, accountId) {
      const rows = await query<TokenRow>(
        `select ${COLUMNS} from manage_tokens t where $1::uuid is null or t.account_id = $1::uuid
         order by t.created_at, t.token_id`,
        [accountId ?? null],
      );
      return rows.map(toToken);
    },
    async findByHash(query, tokenHash, now) {
      const rows = await query<TokenRow & AccountRow & JoinedMembership>(
        `select ${COLUMNS}, ${ACCOUNT_COLUMNS}, ${MEMBERSHIP_COLUMNS} from manage_tokens t
         left join accounts a on a.account_id = t.account_id ${JOIN_MEMBERSHIPS}
         where t.token_hash = $1 and t.expires_at > $2 order by m.app_id`,
        [toBytes(tokenHash), now],
      );
      const [row] = rows;
      if (!row) return undefined;
      const owner = row.account_id === null ? null : { account: toAccount(row), memberships: toMemberships(rows) };
      return { token: toToken(row), owner };
    },
  },
  acts: {
    async create({ query }, token, atMost = Number.MAX_SAFE_INTEGER, credential) {
      const { tokenId, tokenHash, accountId, name, appIds, access, createdAt, expiresAt, lastUsedAt } = token;
      const scope = [...new Set(appIds)];
      for (const appId of scope) if (!(await keepApplication(query, appId))) return 'application-gone';
      if (accountId !== null && !(await keepCredential(query, accountId, credential))) return 'credential-gone';
      const [known] = await query<{ count: number }>(
        'select count(*) as count from manage_tokens where account_id is not distinct from $1::uuid',
        [accountId],
      );
      if ((known?.count ?? 0) >= atMost) return 'too-many';
      await query(
        `insert into manage_tokens (token_id, token_hash, account_id, name, all_apps, access, created_at, expires_at, last_used_at)
         values ($1::uuid, $2, $3::uuid, $4, $5, $6, $7, $8, $9)`,
        [tokenId, toBytes(tokenHash), accountId, name, appIds === null, access, createdAt, expiresAt, lastUsedAt],
      );
      for (const appId of scope) {
        await query('insert into manage_token_applications (token_id, app_id) values ($1::uuid, $2)', [tokenId, appId]);
      }
      return 'created';
    },
    async revoke({ query }, tokenId, accountId) {
      const revoked = await query(
        `delete from manage_tokens where token_id = $1::uuid and ($2::uuid is null or account_id = $2::uuid)
         returning token_id`,
        [tokenId, accountId ?? null],
      );
      return revoked.length > 0 ? 'revoked' : 'unknown';
    },
    async touch({ query }, tokenId, at, unlessSince) {
      await query(
        `update manage_tokens set last_used_at = $2
         where token_id = $1::uuid and (last_used_at is null or last_used_at <= $3)`,
        [tokenId, at, unlessSince],
      );
    },
  },
};

function toToken(row: TokenRow): ManageTokenRecord {
  return {
    tokenId: row.token_id,
    tokenHash: toHex(row.token_hash),
    accountId: row.account_id,
    name: row.name,
    appIds: row.all_apps ? null : (row.app_ids?.split(',').map(Number) ?? []),
    access: row.access,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
  };
}
