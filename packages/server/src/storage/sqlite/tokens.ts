import { toHex } from '../common/store.ts';
import type { AccessTokenRecord, NewSpecialToken, TokenStore, UserRecord } from '../port.ts';
import type { Connection } from './connection.ts';
import { PROFILE_OF_USER, toBytes, toUser, toUuid, USER_COLUMNS, USER_OF_PROFILE, type UserRow } from './rows.ts';

const OWNER = `join users u on u.user_id = t.user_id join ${PROFILE_OF_USER}`;
const OF_SPECIAL_TOKEN = `select ${USER_COLUMNS} from special_tokens t ${OWNER} where t.token_hash = ? and t.expires_at > ?`;
const OF_ACCESS_TOKEN = `select ${USER_COLUMNS} from access_tokens t ${OWNER} where t.token_id = ? and t.expires_at > ?`;

/** `now`: the time at which the token must be valid. */
export function findOwner(connection: Connection, tokenId: string, now: number): UserRecord | undefined {
  const row = connection.rows<UserRow>(OF_ACCESS_TOKEN).get(toBytes(tokenId), now);
  return row && toUser(row);
}

export function tokenReads(connection: Connection): Pick<TokenStore, 'findSpecialToken' | 'findOwner' | 'list'> {
  return {
    async findSpecialToken(tokenHash, now) {
      const row = connection.rows<UserRow>(OF_SPECIAL_TOKEN).get(toBytes(tokenHash), now);
      return row && toUser(row);
    },
    async findOwner(tokenId, now) {
      return findOwner(connection, tokenId, now);
    },
    async list(userId, now) {
      return connection
        .statement<{ token_id: Uint8Array; issued_at: number; expires_at: number }>(
          `select token_id, issued_at, expires_at from access_tokens where user_id = ? and expires_at > ?
           order by issued_at desc, token_id`,
        )
        .all(toBytes(userId), now)
        .map(({ token_id: id, issued_at: issuedAt, expires_at: expiresAt }) => ({
          tokenId: id.length === 16 ? toUuid(id) : toHex(id),
          issuedAt,
          expiresAt,
        }));
    },
  };
}

export function addSpecialToken({ statement }: Connection, userId: Uint8Array, token: NewSpecialToken): void {
  statement('insert into special_tokens (token_hash, user_id, expires_at) values (?, ?, ?)').run(
    toBytes(token.tokenHash),
    userId,
    token.expiresAt,
  );
}

/** At most one per user: earlier ones stop working. */
export function setSpecialToken(connection: Connection, userId: Uint8Array, token: NewSpecialToken): void {
  connection.statement('delete from special_tokens where user_id = ?').run(userId);
  addSpecialToken(connection, userId, token);
}

export function tokenActs(connection: Connection) {
  return {
    replaceSpecialToken(
      appId: number,
      clientUserId: string,
      token: NewSpecialToken,
    ): { outcome: 'issued'; clientUserName: string } | { outcome: 'unknown-user' } {
      const row = connection
        .statement<{ user_id: Uint8Array; client_user_name: string }>(
          `select u.user_id, p.client_user_name from profiles p join ${USER_OF_PROFILE}
           where p.app_id = ? and p.client_user_id = ?`,
        )
        .get(appId, clientUserId);
      if (!row) return { outcome: 'unknown-user' };
      setSpecialToken(connection, row.user_id, token);
      return { outcome: 'issued', clientUserName: row.client_user_name };
    },
    exchangeSpecialToken(
      tokenHash: string,
      now: number,
      token: AccessTokenRecord,
    ): UserRecord | 'spent' | 'suspended' | 'token-taken' {
      const [special, tokenId] = [toBytes(tokenHash), toBytes(token.tokenId)];
      const owner = connection.rows<UserRow>(OF_SPECIAL_TOKEN).get(special, now);
      if (!owner) return 'spent';
      const user = toUser(owner);
      if (user.status === 'suspended') return 'suspended';
      // One conditional delete decides which request spends it.
      const spent = connection
        .rows<[userId: Uint8Array]>(
          `delete from special_tokens where token_hash = ?1 and expires_at > ?2
           and not exists (select 1 from access_tokens where token_id = ?3) returning user_id`,
        )
        .get(special, now, tokenId);
      if (!spent) return 'token-taken';
      connection
        .statement('insert into access_tokens (token_id, user_id, issued_at, expires_at) values (?, ?, ?, ?)')
        .run(tokenId, spent[0], token.issuedAt, token.expiresAt);
      return user;
    },
    revokeAccessToken(appId: number, tokenId: string): void {
      connection
        .statement(
          `delete from access_tokens where token_id = ?
           and exists (select 1 from users u where u.user_id = access_tokens.user_id and u.app_id = ?)`,
        )
        .run(toBytes(tokenId), appId);
    },
    revokeAllTokens(appId: number, userId: string): void {
      const user = toBytes(userId);
      const owner = connection.statement('select 1 from users where user_id = ? and app_id = ?').get(user, appId);
      if (!owner) return;
      connection.statement('delete from access_tokens where user_id = ?').run(user);
      connection.statement('delete from special_tokens where user_id = ?').run(user);
    },
  };
}
