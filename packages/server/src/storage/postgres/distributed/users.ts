import { homeOfUuid } from '../../../uuid.ts';
import { toBytes } from '../../common/store.ts';
import {
  type AccessTokenRecord,
  type CreateUserOutcome,
  type NewUser,
  StorageUnavailable,
  type TokenStore,
  type UpdateUserOutcome,
  type UserRecord,
  type UserStore,
  type WalkedUser,
} from '../../port.ts';
import { statement } from '../connections.ts';
import { violation } from '../errors.ts';
import { tokenIdToBytes } from '../rows.ts';
import { lockTimeout } from '../statement-batcher.ts';
import type { Cluster, HomeStores } from './cluster.ts';
import { byBytes, mergePages, sum } from './homes.ts';

// A user is stored in the home of its code, with its profile. If the name belongs to another home (imports with
// existing codes, renamed users, users from before distribution), that home also has a profile, which refers to the
// user: it keeps the name unique, and a search by name continues from there.
const FIND_PROFILE = statement('select user_id from profiles where app_id = $1 and client_user_id = $2');
const ADD_PROFILE = statement(`
  insert into profiles (app_id, client_user_id, user_id, client_user_name) values ($1, $2, $3, $4)
  on conflict (app_id, client_user_id) do nothing returning user_id
`);
export const REMOVE_PROFILE = statement(
  'delete from profiles where app_id = $1 and client_user_id = $2 and user_id = $3 returning user_id',
);
const NAMES = statement(`
  select client_user_id as "clientUserId", client_user_name as "clientUserName", user_id as "userId" from profiles
  where app_id = $1 and client_user_id > $2 order by client_user_id limit $3
`);
const FIND_KEY = statement(`
  select encode(body_hash, 'hex') as "bodyHash", user_id as "userId" from key_claims
  where app_id = $1 and key_hash = $2 and expires_at > $3 for update
`);
const PUT_KEY = statement(`
  insert into key_claims (app_id, key_hash, body_hash, user_id, expires_at) values ($1, $2, $3, $4, $5)
  on conflict (app_id, key_hash) do update set body_hash = excluded.body_hash, user_id = excluded.user_id,
    expires_at = excluded.expires_at where key_claims.expires_at <= $6 or key_claims.user_id = $7
  returning user_id
`);
export const LOCK_USER = statement('select user_id from users where user_id = $1 for key share');
// Before the user is read in a transaction: what is read afterwards stays.
const LOCK_FOR_CHANGE = statement(`
  with ${lockTimeout('$3')}
  select u.user_id from lock_wait, users u where u.user_id = $1 and u.app_id = $2 for no key update of u
`);
const FORGET_IN_AUDIT = statement('update audit_log set user_id = null where user_id = $1');
const FORGET_RESPONSES = statement('delete from webhook_responses where user_id = $1');

/** The home of a user by its name, if there is a profile. */
async function homeByName(cluster: Cluster, appId: number, clientUserId: string): Promise<number | undefined> {
  const home = cluster.homes.ofName(appId, clientUserId);
  const [row] = await cluster.at(home).connections.read<{ user_id: string }>(FIND_PROFILE, [appId, clientUserId]);
  return row && cluster.homes.ofUser(row.user_id);
}

/** Adds the profile in the name's home for a user of another home. Returns whether the name was free. */
export async function addNameEntry(
  cluster: Cluster,
  { appId, clientUserId, userId, clientUserName }: NameEntry,
): Promise<boolean> {
  const { connections } = cluster.at(cluster.homes.ofName(appId, clientUserId));
  return (await connections.write(ADD_PROFILE, [appId, clientUserId, userId, clientUserName])).length > 0;
}

type NameEntry = Pick<UserRecord, 'appId' | 'clientUserId' | 'userId' | 'clientUserName'>;

async function removeNameEntry(
  cluster: Cluster,
  { appId, clientUserId, userId }: Omit<NameEntry, 'clientUserName'>,
): Promise<void> {
  const home = cluster.homes.ofName(appId, clientUserId);
  if (home === cluster.homes.ofUser(userId)) return;
  await cluster.at(home).connections.write(REMOVE_PROFILE, [appId, clientUserId, userId]);
}

export function distributedUsers(cluster: Cluster): UserStore {
  const { homes } = cluster;

  const findByClientUserId: UserStore['findByClientUserId'] = async (appId, clientUserId) => {
    const home = homes.ofName(appId, clientUserId);
    const user = await cluster.at(home).users.findByClientUserId(appId, clientUserId);
    if (user) return user;
    const other = await homeByName(cluster, appId, clientUserId);
    return other === undefined || other === home
      ? undefined
      : cluster.at(other).users.findByClientUserId(appId, clientUserId);
  };

  /** A profile exists: of a user, perhaps in another home, or an orphaned one. */
  const inTheWay = async (appId: number, clientUserId: string): Promise<'duplicate' | 'profile-exists'> =>
    (await findByClientUserId(appId, clientUserId)) ? 'duplicate' : 'profile-exists';

  return {
    async createWithToken(user) {
      const { appId, clientUserId, userId } = user;
      const isOneHome = homes.ofName(appId, clientUserId) === homes.ofUser(userId);
      const outcome =
        isOneHome && !user.idempotency
          ? await cluster.ofUser(userId).users.createWithToken(user)
          : await createAcrossHomes(cluster, user).catch((error: unknown): CreateUserOutcome => {
              if (violation(error)?.constraint.endsWith('_application')) return 'application-gone';
              throw error;
            });
      return outcome === 'profile-exists' ? inTheWay(appId, clientUserId) : outcome;
    },

    find: (appId, userId) => cluster.ofUser(userId).users.find(appId, userId),
    findByClientUserId,

    async update(appId, userId, change, at) {
      const { clientUserId } = change;
      if (clientUserId === undefined) return cluster.ofUser(userId).users.update(appId, userId, change, at);
      const outcome = await cluster.together<UpdateUserOutcome>(async (inner, undo) => {
        await inner.ofUser(userId).connections.writeInTurn(LOCK_FOR_CHANGE, [userId, appId], [userId]);
        const before = await inner.ofUser(userId).users.find(appId, userId);
        if (!before || before.clientUserId === clientUserId)
          return inner.ofUser(userId).users.update(appId, userId, change, at);
        if (homes.ofName(appId, clientUserId) !== homes.ofUser(userId)) {
          if (!(await addNameEntry(inner, { ...before, ...change, clientUserId }))) undo({ outcome: 'profile-exists' });
        }
        const updated = await inner.ofUser(userId).users.update(appId, userId, change, at);
        if (updated.outcome !== 'updated') undo(updated);
        await removeNameEntry(inner, before);
        return updated;
      });
      return outcome.outcome === 'profile-exists' ? { outcome: await inTheWay(appId, clientUserId) } : outcome;
    },

    async delete(appId, userId) {
      return cluster.together(async (inner) => {
        await inner.ofUser(userId).connections.writeInTurn(LOCK_FOR_CHANGE, [userId, appId], [userId]);
        const user = await inner.ofUser(userId).users.find(appId, userId);
        const outcome = await inner.ofUser(userId).users.delete(appId, userId);
        if (outcome !== 'deleted') return outcome;
        if (user) await removeNameEntry(inner, user);
        await inner.connections.write(FORGET_IN_AUDIT, [userId]);
        await inner.connections.write(FORGET_RESPONSES, [userId]);
        return outcome;
      });
    },

    linkGeneration: (appId, userId) => cluster.ofUser(userId).users.linkGeneration(appId, userId),
    withdrawLinks: (appId, userId) => cluster.ofUser(userId).users.withdrawLinks(appId, userId),
    findDeleted: (appId, userId) => cluster.ofUser(userId).users.findDeleted(appId, userId),

    async page(appId, page) {
      const pages = await cluster.everywhere(({ users }) => users.page(appId, page));
      return mergePages(pages, page.limit, (a, b) => byBytes(a.clientUserId, b.clientUserId));
    },

    async walk(appId, walk, page) {
      const walkHome = ({ users }: HomeStores) => users.walk(appId, walk, page);
      if (walk.by === 'one') return walkHome(cluster.ofUser(walk.userId));
      const parts = await cluster.everywhere(walkHome);
      type Place = WalkedUser['place'];
      const ascending = (a: Place, b: Place): number =>
        byBytes(a.value ?? '', b.value ?? '') || byBytes(a.userId, b.userId);
      const order = walk.by === 'created' && walk.newest ? (a: Place, b: Place) => ascending(b, a) : ascending;
      // Rows beyond the end of any home's page are not known yet.
      const end = parts.flatMap(({ next }) => next ?? []).sort(order)[0];
      const known = parts
        .flatMap(({ users }) => users)
        .filter(({ place }) => !end || order(place, end) <= 0)
        .sort((a, b) => order(a.place, b.place));
      const users = known.slice(0, page.limit);
      return { users, next: known.length > page.limit ? (users.at(-1)?.place ?? null) : (end ?? null) };
    },
    async countWalk(appId, walk, atMost) {
      if (walk.by === 'one') return cluster.ofUser(walk.userId).users.countWalk(appId, walk, atMost);
      const count = sum(await cluster.everywhere(({ users }) => users.countWalk(appId, walk, atMost)));
      return atMost === undefined ? count : Math.min(count, atMost);
    },
    async listValues(appId, keyNo, atMost) {
      const lists = await cluster.everywhere(({ users }) => users.listValues(appId, keyNo, atMost));
      if (lists.some((list) => list === undefined)) return undefined;
      const values = [...new Set(lists.flatMap((list) => list ?? []))].sort(byBytes);
      return values.length > atMost ? undefined : values;
    },
    async names(appId, { after, limit }) {
      type Row = { clientUserId: string; clientUserName: string; userId: string };
      const pages = await cluster.everywhere(async ({ connections }, home) =>
        (await connections.read<Row>(NAMES, [appId, after ?? '', limit])).map((row) => ({
          ...row,
          isElsewhere: homes.ofUser(row.userId) !== home,
        })),
      );
      const named = new Map<string, string>();
      for (const { clientUserId, clientUserName, isElsewhere } of pages.flat()) {
        if (!isElsewhere || !named.has(clientUserId)) named.set(clientUserId, clientUserName);
      }
      return [...named].sort(([a], [b]) => byBytes(a, b)).slice(0, limit);
    },
  };
}

/** For a request with an Idempotency-Key, which has its own home, or with a code from another home than the name's. */
async function createAcrossHomes(cluster: Cluster, user: NewUser): Promise<CreateUserOutcome> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const outcome = await tryCreateAcrossHomes(cluster, user);
    if (outcome) return outcome;
  }
  throw new StorageUnavailable('Others keep using the same Idempotency-Key.');
}

const MAX_ROUNDS = 20;

/** null: another request is using the key; the next attempt sees its result. */
function tryCreateAcrossHomes(cluster: Cluster, user: NewUser): Promise<CreateUserOutcome | null> {
  const { appId, clientUserId, userId, createdAt, idempotency } = user;
  return cluster.together<CreateUserOutcome | null>(async (inner, undo) => {
    if (idempotency) {
      const { keyHash, bodyHash, expiresAt } = idempotency;
      const { connections } = inner.at(inner.homes.ofNumber(Number.parseInt(keyHash.slice(0, 3), 16)));
      type Row = { bodyHash: string; userId: string };
      const [prior] = await connections.write<Row>(FIND_KEY, [appId, toBytes(keyHash), createdAt]);
      // Prevents the user from being deleted until we are done.
      const known = prior ? await inner.ofUser(prior.userId).connections.write(LOCK_USER, [prior.userId]) : [];
      if (prior && known.length > 0) {
        if (prior.bodyHash !== bodyHash) return 'idempotency-mismatch';
        return inner.ofUser(prior.userId).users.createWithToken(user);
      }
      const values = [appId, toBytes(keyHash), toBytes(bodyHash), userId, expiresAt, createdAt, prior?.userId ?? null];
      const claimed = await connections.write(PUT_KEY, values);
      if (claimed.length === 0) return undo(null);
    }
    if (inner.homes.ofName(appId, clientUserId) !== inner.homes.ofUser(userId)) {
      if (!(await addNameEntry(inner, user))) return undo('profile-exists');
    }
    const outcome = await inner.ofUser(userId).users.createWithToken(user);
    return outcome === 'created' || outcome === 'replayed' ? outcome : undo(outcome);
  });
}

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
      return exchangeAcrossHomes(cluster, { tokenHash, now, accessToken, home });
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
function exchangeAcrossHomes(
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
