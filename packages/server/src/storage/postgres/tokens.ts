import { checkedHex, toBytes, toHex } from '../common/store.ts';
import { StorageUnavailable, type TokenStore } from '../port.ts';
import { type Connections, type SharedRow, type SharedStatement, statement } from './connections.ts';
import { violation } from './errors.ts';
import {
  PROFILE_OF_USER,
  tokenIdOf,
  tokenIdToBytes,
  toUser,
  USER_COLUMNS,
  USER_OF_PROFILE,
  type UserRow,
} from './rows.ts';
import { actsOf, lockTimeout } from './statement-batcher.ts';

const OWNER = `join users u on u.user_id = t.user_id join ${PROFILE_OF_USER}`;
const SPENT_COLUMNS = USER_COLUMNS.replaceAll(/\b[up]\./g, '');
/** A valid access token: `$1` is its id, `$2` the time. */
export const OF_ACCESS_TOKEN = `access_tokens t ${OWNER} where t.token_id = $1 and t.expires_at > $2`;

const FIND_SPECIAL_TOKEN = statement(`
  select ${USER_COLUMNS} from special_tokens t ${OWNER} where t.token_hash = $1 and t.expires_at > $2
`);

const FIND_OWNER = statement(`select ${USER_COLUMNS} from ${OF_ACCESS_TOKEN}`);

const REPLACE = statement(`
  with ${lockTimeout('$5')}, receiver as (
    select u.user_id, p.client_user_name from lock_wait, profiles p join ${USER_OF_PROFILE}
    where p.app_id = $1 and p.client_user_id = $2
  ), token as (
    insert into special_tokens (token_hash, user_id, expires_at)
    select $3::bytea, user_id, $4::bigint from receiver
    on conflict (user_id) do update set token_hash = excluded.token_hash, expires_at = excluded.expires_at
  )
  select client_user_name from receiver
`);

// Locking the token spends it; in a fixed order, so that two such statements cannot deadlock. The user is locked first,
// as in a delete. If the user is locked already, it may be about to be deleted: `together` reports that and lets the
// others pass, `alone` waits.
const exchange = (skip: '' | 'skip locked'): string => `
  with ${actsOf({ tokenHash: 'text', now: 'bigint', tokenId: 'text', issuedAt: 'bigint', expiresAt: 'bigint' })}, spent as materialized (
    select a.no, a."tokenId", a."issuedAt", a."expiresAt", held.* from (select * from acts order by "tokenHash") a, lateral (
      select t.token_hash, ${USER_COLUMNS} from special_tokens t ${OWNER}
      where t.token_hash = decode(a."tokenHash", 'hex') and t.expires_at > a.now and u.status = 'active'
      for key share of u ${skip} for update of t
    ) held
  ), gone as (
    delete from special_tokens where token_hash = any (array(select token_hash from spent))
  ), added as (
    insert into access_tokens (token_id, user_id, issued_at, expires_at)
    select decode("tokenId", 'hex'), user_id, "issuedAt", "expiresAt" from spent
  )
  select no, false as locked, ${SPENT_COLUMNS} from spent
`;
const LOCKED = `
  select a.no, true, ${SPENT_COLUMNS.replaceAll(/\w+/g, 'null')} from acts a left join spent s using (no), lateral (
    select from special_tokens t join users u on u.user_id = t.user_id
    where t.token_hash = decode(a."tokenHash", 'hex') and t.expires_at > a.now and u.status = 'active' limit 1
  ) held where s.no is null
`;
const EXCHANGE: SharedStatement = {
  together: statement(`${exchange('skip locked')} union all ${LOCKED}`),
  alone: statement(exchange('')),
};

const LIST = statement(`
  select encode(token_id, 'hex') as token_id, issued_at, expires_at from access_tokens where user_id = $1 and expires_at > $2
  order by issued_at desc, access_tokens.token_id
`);

const REVOKE = statement(`
  with ${lockTimeout('$3')}
  delete from access_tokens t using lock_wait, users u where t.token_id = $1 and u.user_id = t.user_id and u.app_id = $2
`);

// The user is locked first, as in all statements on a user's tokens. A special token that is exchanged meanwhile is seen
// but not deleted, and its access token was not there when the statement began: the statement is sent again.
const REVOKE_ALL = statement(`
  with ${lockTimeout('$3')}, owner as (
    select u.user_id from lock_wait, users u where u.user_id = $1 and u.app_id = $2 for key share of u
  ), seen as materialized (
    select t.token_hash from special_tokens t join owner o on o.user_id = t.user_id
  ), special as (
    delete from special_tokens t using owner o where t.user_id = o.user_id returning t.user_id
  ), access as (
    delete from access_tokens t using owner o where t.user_id = o.user_id
  )
  select (select count(*) from special) = (select count(*) from seen) as done
`);

const MAX_ROUNDS = 20;

export function tokenStore(connections: Connections): TokenStore {
  return {
    async replaceSpecialToken(appId, clientUserId, token) {
      try {
        const [row] = await connections.writeInTurn<{ client_user_name: string }>(
          REPLACE,
          [appId, clientUserId, toBytes(token.tokenHash), token.expiresAt],
          [`${appId} ${clientUserId}`],
        );
        return row ? { outcome: 'issued', clientUserName: row.client_user_name } : { outcome: 'unknown-user' };
      } catch (error) {
        // The user was deleted meanwhile.
        if (violation(error)?.kind === 'foreign-key') return { outcome: 'unknown-user' };
        throw error;
      }
    },
    async findSpecialToken(tokenHash, now) {
      const [row] = await connections.read<UserRow>(FIND_SPECIAL_TOKEN, [toBytes(tokenHash), now]);
      return row && toUser(row);
    },
    async exchange(tokenHash, now, accessToken) {
      const { issuedAt, expiresAt } = accessToken;
      const [token, tokenId] = [checkedHex(tokenHash), toHex(tokenIdToBytes(accessToken.tokenId))];
      const act = { tokenHash: token, now, tokenId, issuedAt, expiresAt };
      try {
        // Twice, in case the user was suspended and is active again.
        for (let tries = 0; tries < 2; tries++) {
          const [row] = await connections.writeWithOthers<UserRow & SharedRow>(EXCHANGE, act, [token, tokenId]);
          if (row) return toUser(row);
          const [held] = await connections.read<UserRow>(FIND_SPECIAL_TOKEN, [toBytes(tokenHash), now]);
          if (held?.status === 'suspended') return 'suspended';
          if (!held) return 'spent';
        }
        return 'spent';
      } catch (error) {
        // The statement was rolled back: the special token can still be used.
        if (violation(error)?.constraint === 'access_tokens_key') return 'token-taken';
        throw error;
      }
    },
    async findOwner(tokenId, now) {
      const [row] = await connections.read<UserRow>(FIND_OWNER, [tokenIdToBytes(tokenId), now]);
      return row && toUser(row);
    },
    async list(userId, now) {
      const rows = await connections.read<{ token_id: string; issued_at: number; expires_at: number }>(LIST, [
        userId,
        now,
      ]);
      return rows.map((row) => ({
        tokenId: tokenIdOf(row.token_id),
        issuedAt: row.issued_at,
        expiresAt: row.expires_at,
      }));
    },
    async revoke(appId, tokenId) {
      await connections.writeInTurn(REVOKE, [tokenIdToBytes(tokenId), appId], [tokenId]);
    },
    async revokeAll(appId, userId) {
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const [row] = await connections.writeInTurn<{ done: boolean }>(REVOKE_ALL, [userId, appId], [userId]);
        if (row?.done) return;
      }
      throw new StorageUnavailable('Others keep exchanging tokens of the same user.');
    },
  };
}
