import { homeOfUuid } from '../../../home.ts';
import type { AccessTokenRecord, TokenStore } from '../../port.ts';
import { statement } from '../connections.ts';
import { tokenIdToBytes } from '../encoding.ts';
import type { Cluster } from './cluster.ts';
import { homeByName } from './users.ts';

const LOCK_TOKEN = statement('select pg_advisory_xact_lock(hashtextextended($1, 0))::text as held');
const FIND_TOKEN = statement('select 1 as one from access_tokens where token_id = $1');

/** The home that an access token's id names; undefined for the hash of a remote service's token. */
export function homeOfToken({ homes }: Cluster, tokenId: string): number | undefined {
  return /^[\da-f]{8}-[\da-f-]{27}$/.test(tokenId) ? homes.ofNumber(homeOfUuid(tokenId)) : undefined;
}

export function distributedTokens(cluster: Cluster): TokenStore {
  const { homes } = cluster;
  const homeOf = (home: number | undefined): number | undefined =>
    home === undefined ? undefined : homes.ofNumber(home);

  const findSpecialToken: TokenStore['findSpecialToken'] = (tokenHash, now, home) =>
    cluster.find(homeOf(home), ({ tokens }) => tokens.findSpecialToken(tokenHash, now));

  return {
    findSpecialToken,
    async replaceSpecialToken(appId, clientUserId, token) {
      const home = homes.ofName(appId, clientUserId);
      const issued = await cluster.at(home).tokens.replaceSpecialToken(appId, clientUserId, token);
      if (issued.outcome === 'issued') return issued;
      const other = await homeByName(cluster, appId, clientUserId);
      if (other === undefined || other === home) return issued;
      return cluster.at(other).tokens.replaceSpecialToken(appId, clientUserId, token);
    },
    async exchange(tokenHash, now, accessToken, home) {
      const expected = homeOf(home);
      if (expected !== undefined && homeOfToken(cluster, accessToken.tokenId) === expected) {
        const outcome = await cluster.at(expected).tokens.exchange(tokenHash, now, accessToken);
        if (outcome !== 'spent') return outcome;
      }
      return exchangeFar(cluster, { tokenHash, now, accessToken, home });
    },
    findOwner: (tokenId, now) =>
      cluster.find(homeOfToken(cluster, tokenId), ({ tokens }) => tokens.findOwner(tokenId, now)),
    list: (userId, now) => cluster.ofUser(userId).tokens.list(userId, now),
    async revoke(appId, tokenId) {
      await cluster.everywhere(({ tokens }) => tokens.revoke(appId, tokenId));
    },
    revokeAll: (appId, userId) => cluster.ofUser(userId).tokens.revokeAll(appId, userId),
  };
}

type Exchange = { tokenHash: string; now: number; accessToken: AccessTokenRecord; home: number | undefined };

/**
 * For an access token whose id does not contain its user's home: no other home may have it, and of two concurrent
 * exchanges one waits.
 */
function exchangeFar(
  cluster: Cluster,
  { tokenHash, now, accessToken, home }: Exchange,
): ReturnType<TokenStore['exchange']> {
  return cluster.together(async (inner) => {
    const owner = await distributedTokens(inner).findSpecialToken(tokenHash, now, home);
    if (!owner) return 'spent';
    await inner.connections.write(LOCK_TOKEN, [accessToken.tokenId]);
    const id = tokenIdToBytes(accessToken.tokenId);
    const found = await inner.everywhere(({ connections }) => connections.read(FIND_TOKEN, [id]));
    if (found.some((rows) => rows.length > 0)) return 'token-taken';
    return inner.ofUser(owner.userId).tokens.exchange(tokenHash, now, accessToken);
  });
}
