import type { ManageTokenRecord, ManageTokenStore } from '../port.ts';
import { ACCOUNT_COLUMNS, type AccountRow, toAccount } from './accounts.ts';
import type { Connection } from './connection.ts';
import { toBytes, toHex, toUuid } from './encoding.ts';
import { membershipsOf } from './members.ts';

const COLUMNS = 'token_id, token_hash, account_id, name, all_apps, access, created_at, expires_at, last_used_at';
type TokenRow = Pick<ManageTokenRecord, 'name' | 'access'> &
  Record<'all_apps' | 'created_at' | 'expires_at', number> &
  Record<'token_id' | 'token_hash', Uint8Array> & { account_id: Uint8Array | null; last_used_at: number | null };

export function manageTokenReads(connection: Connection): Pick<ManageTokenStore, 'list' | 'findByHash'> {
  const { statement, snapshot } = connection;
  const complete = (row: TokenRow): ManageTokenRecord => ({
    tokenId: toUuid(row.token_id),
    tokenHash: toHex(row.token_hash),
    accountId: row.account_id === null ? null : toUuid(row.account_id),
    name: row.name,
    appIds: row.all_apps === 1 ? null : appIdsOf(row.token_id),
    access: row.access,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
  });
  const appIdsOf = (tokenId: Uint8Array): number[] =>
    statement<{ app_id: number }>('select app_id from manage_token_applications where token_id = ? order by app_id')
      .all(tokenId)
      .map((row) => row.app_id);

  return {
    async list(accountId) {
      return snapshot(() => {
        const all = `select ${COLUMNS} from manage_tokens`;
        const rows =
          accountId === undefined
            ? statement<TokenRow>(`${all} order by created_at, token_id`).all()
            : statement<TokenRow>(`${all} where account_id = ? order by created_at, token_id`).all(toBytes(accountId));
        return rows.map(complete);
      });
    },
    async findByHash(tokenHash, now) {
      return snapshot(() => {
        const row = statement<TokenRow>(
          `select ${COLUMNS} from manage_tokens where token_hash = ? and expires_at > ?`,
        ).get(toBytes(tokenHash), now);
        if (!row) return undefined;
        const id = row.account_id;
        const account =
          id && statement<AccountRow>(`select ${ACCOUNT_COLUMNS} from accounts a where a.account_id = ?`).get(id);
        const owner = account ? { account: toAccount(account), memberships: membershipsOf(connection, id) } : null;
        return { token: complete(row), owner };
      });
    },
  };
}

export function manageTokenActs({ statement }: Connection) {
  return {
    createManageToken(token: ManageTokenRecord): 'created' | 'application-gone' | 'account-gone' {
      const { tokenId, tokenHash, accountId, name, appIds, access, createdAt, expiresAt, lastUsedAt } = token;
      const exists = statement('select 1 from applications where app_id = ?');
      if (appIds?.some((appId) => !exists.get(appId))) return 'application-gone';
      const owner = accountId === null ? null : toBytes(accountId);
      if (owner && !statement('select 1 from accounts where account_id = ?').get(owner)) return 'account-gone';
      const id = toBytes(tokenId);
      statement(`insert into manage_tokens (${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(
        id,
        toBytes(tokenHash),
        owner,
        name,
        appIds === null ? 1 : 0,
        access,
        createdAt,
        expiresAt,
        lastUsedAt,
      );
      for (const appId of new Set(appIds)) {
        statement('insert into manage_token_applications (token_id, app_id) values (?, ?)').run(id, appId);
      }
      return 'created';
    },
    revokeManageToken(tokenId: string, accountId?: string): 'revoked' | 'unknown' {
      const { changes } =
        accountId === undefined
          ? statement('delete from manage_tokens where token_id = ?').run(toBytes(tokenId))
          : statement('delete from manage_tokens where token_id = ? and account_id = ?').run(
              toBytes(tokenId),
              toBytes(accountId),
            );
      return changes === 0 ? 'unknown' : 'revoked';
    },
    touchManageToken(tokenId: string, at: number, unlessSince: number): void {
      statement(
        'update manage_tokens set last_used_at = ? where token_id = ? and (last_used_at is null or last_used_at <= ?)',
      ).run(at, toBytes(tokenId), unlessSince);
    },
  };
}
