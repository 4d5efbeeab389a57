import {
  type ImportEntry,
  type ImportOutcome,
  StorageUnavailable,
  type StoredUser,
  type TransferStore,
} from '../../port.ts';
import { isRestored } from '../../user-rules.ts';
import { statement } from '../connections.ts';
import { violation } from '../errors.ts';
import { IMPORT_MS } from '../transfer.ts';
import { codeHash } from '../users.ts';
import type { Cluster } from './cluster.ts';
import { byBytes } from './homes.ts';
import { addNameEntry, REMOVE_PROFILE } from './users.ts';

const PROFILES = statement(`
  select client_user_id as "clientUserId", user_id as "userId" from profiles
  where app_id = $1 and client_user_id = any (array(select json_array_elements_text($2::json)))
`);
const USERS = statement(`
  select client_user_id as "clientUserId", user_id as "userId" from users
  where app_id = $1 and user_id = any (array(select json_array_elements_text($2::json)::uuid))
`);
const FIND_DELETED = statement(
  `select 1 as one from deleted_users where app_id = $1 and code_hash = ${codeHash('$2::text')}`,
);
const FORGET_DELETED = statement(`delete from deleted_users where app_id = $1 and code_hash = ${codeHash('$2::text')}`);
const FIND_ANY = statement('select 1 as one from users where user_id = $1');

const MAX_ROUNDS = 20;
/** Users read from each home beyond its share of a page. */
const MORE_OF_EACH = 8;
/** Another request created the same user meanwhile: the next attempt sees it. */
class Overtaken extends Error {}

type Placed = {
  entry: ImportEntry;
  index: number;
  home: number;
  /** The name belongs to another home, which gets a profile that refers to this one. */
  leads: boolean;
  /** The user code that the existing orphaned profile now names. */
  adopts: string | null;
  /** What existed under the name when its home was chosen. */
  expects: 'user' | 'profile' | 'nothing';
  refused?: 'deleted-since' | 'user-id-taken';
};

export function distributedTransfer(cluster: Cluster): TransferStore {
  const { homes } = cluster;
  return {
    async exportUsers(appId, page) {
      // Its share of the page from each home, and some more, as homes differ. If one runs out, the page is shorter.
      const limit = Math.min(page.limit, Math.ceil(page.limit / homes.count) + MORE_OF_EACH);
      const pages = await cluster.everywhere(({ transfer }) => transfer.exportUsers(appId, { ...page, limit }));
      const users = new Map<string, StoredUser>();
      // If a name has two profiles, use the one with the user.
      for (const user of pages.flatMap((each) => each.users)) {
        if (user.createdAt !== null || !users.has(user.clientUserId)) users.set(user.clientUserId, user);
      }
      // What a home has after its page may come before what another has in its own: that is left for the next page.
      const end = pages.flatMap((each) => each.next ?? []).sort(byBytes)[0];
      const inOrder = [...users.values()]
        .filter(({ clientUserId }) => end === undefined || byBytes(clientUserId, end) <= 0)
        .sort((a, b) => byBytes(a.clientUserId, b.clientUserId));
      const found = inOrder.slice(0, page.limit);
      const isCut = end !== undefined || found.length < inOrder.length;
      return { users: found, next: isCut ? (found.at(-1)?.clientUserId ?? null) : null };
    },

    async find(appId, clientUserId) {
      const home = homes.ofName(appId, clientUserId);
      const found = await cluster.at(home).transfer.find(appId, clientUserId);
      if (!found || found.createdAt !== null || homes.ofUser(found.userId) === home) return found;
      return (await cluster.ofUser(found.userId).transfer.find(appId, clientUserId)) ?? found;
    },

    async importUsers(appId, entries, change) {
      for (let round = 0; round < MAX_ROUNDS; round++) {
        try {
          const outcomes = await cluster.together<ImportOutcome[] | 'application-gone'>(async (inner, undo) => {
            const outcomes: ImportOutcome[] = [];
            const placed = await place(inner, appId, entries, change.restoreDeleted === true);
            for (const { index, refused } of placed) if (refused) outcomes[index] = refused;
            const wanted = placed.filter(({ refused }) => !refused);
            // Homes are always processed in the same order.
            const byHome = [...Map.groupBy(wanted, ({ home }) => home)].sort(([a], [b]) => a - b);
            for (const [home, here] of byHome) {
              const some = here.map(({ entry }) => entry);
              const imported = await inner.at(home).transfer.importUsers(appId, some, change);
              if ('outcome' in imported) return undo('application-gone');
              for (const [place, { index, adopts, expects }] of here.entries()) {
                const outcome = imported.outcomes[place] as ImportOutcome;
                // The state has changed since the home was chosen: the user was deleted, or the name refers to another
                // home now.
                if (expects === 'user' && (outcome === 'created' || outcome === 'profile-created'))
                  throw new Overtaken();
                if (expects !== 'profile' && outcome === 'adopted') throw new Overtaken();
                outcomes[index] = adopts !== null && outcome === 'created' ? 'adopted' : outcome;
              }
            }
            for (const { entry, index, home, leads, adopts } of placed) {
              const { clientUserId } = entry;
              if (change.restoreDeleted && isRestored(entry, outcomes[index] as ImportOutcome)) {
                const ofCode = homes.ofUser(entry.userId);
                // Its own home has forgotten the deletion already.
                if (ofCode !== home) await inner.at(ofCode).connections.write(FORGET_DELETED, [appId, entry.userId]);
              }
              if (!leads || (outcomes[index] !== 'created' && outcomes[index] !== 'adopted')) continue;
              const { connections } = inner.at(homes.ofName(appId, clientUserId));
              if (adopts !== null) {
                const removed = await connections.write(REMOVE_PROFILE, [appId, clientUserId, adopts]);
                if (removed.length === 0) throw new Overtaken();
              }
              const userId = entry.userId ?? entry.newUserId;
              if (!(await addNameEntry(inner, { ...entry, appId, userId }))) throw new Overtaken();
            }
            return outcomes;
          }, IMPORT_MS);
          return outcomes === 'application-gone' ? { outcome: outcomes } : { outcomes };
        } catch (error) {
          if (violation(error)?.constraint.endsWith('_application')) return { outcome: 'application-gone' };
          if (!(error instanceof Overtaken)) throw error;
        }
      }
      throw new StorageUnavailable('Others keep creating and deleting the same users.');
    },
  };
}

async function isTaken(cluster: Cluster, userId: string): Promise<boolean> {
  return (await cluster.ofUser(userId).connections.read(FIND_ANY, [userId])).length > 0;
}

/**
 * Whether a user has or had this code. A delete may be visible in the code's home before it is in the name's home,
 * whose profile then looks orphaned.
 */
async function isUsed(cluster: Cluster, appId: number, userId: string): Promise<boolean> {
  if (await isTaken(cluster, userId)) return true;
  return (await cluster.ofUser(userId).connections.read(FIND_DELETED, [appId, userId])).length > 0;
}

/** The home of each entry: that of its profile's user, otherwise that of the code it wants. */
async function place(
  cluster: Cluster,
  appId: number,
  entries: readonly ImportEntry[],
  restoreDeleted: boolean,
): Promise<Placed[]> {
  const { homes } = cluster;
  const named = await namedUsers(cluster, appId, entries);
  const placed: Placed[] = [];
  for (const [index, entry] of entries.entries()) {
    const { clientUserId, userId, createdAt } = entry;
    const nameHome = homes.ofName(appId, clientUserId);
    const found = named.get(clientUserId);
    const put = (home: number, wanted = entry, adopts: string | null = null): void => {
      const leads = createdAt !== null && !found?.hasUser && home !== nameHome;
      const expects = !found ? 'nothing' : found.hasUser ? 'user' : 'profile';
      placed.push({ entry: wanted, index, home, leads, adopts: leads ? adopts : null, expects });
    };
    if (found?.hasUser) put(homes.ofUser(found.userId));
    else if (createdAt === null) put(nameHome);
    else if (!found) put(homes.ofUser(userId ?? entry.newUserId));
    else {
      const adopted = userId ?? ((await isUsed(cluster, appId, found.userId)) ? entry.newUserId : found.userId);
      put(homes.ofUser(adopted), { ...entry, userId: adopted }, found.userId);
    }
    // What only the home of the code knows.
    const last = placed.at(-1) as Placed;
    if (userId === null || homes.ofUser(userId) === last.home) continue;
    const { connections } = cluster.ofUser(userId);
    const isDeleted = !restoreDeleted && (await connections.read(FIND_DELETED, [appId, userId])).length > 0;
    if (isDeleted) last.refused = 'deleted-since';
    else if (!found && (await isTaken(cluster, userId))) last.refused = 'user-id-taken';
  }
  return placed;
}

type NamedUser = { userId: string; hasUser: boolean };

/** By clientUserId: the user that the name's profile refers to. */
async function namedUsers(
  cluster: Cluster,
  appId: number,
  entries: readonly ImportEntry[],
): Promise<Map<string, NamedUser>> {
  const { homes } = cluster;
  type Row = { clientUserId: string; userId: string };
  const names = entries.map(({ clientUserId }) => clientUserId);
  const rows: Row[] = [];
  for (const [home, some] of Map.groupBy(names, (name) => homes.ofName(appId, name))) {
    rows.push(...(await cluster.at(home).connections.read<Row>(PROFILES, [appId, JSON.stringify(some)])));
  }
  const named = new Map<string, NamedUser>(
    rows.map(({ clientUserId, userId }) => [clientUserId, { userId, hasUser: false }]),
  );
  for (const [home, some] of Map.groupBy(rows, ({ userId }) => homes.ofUser(userId))) {
    const ids = JSON.stringify(some.map(({ userId }) => userId));
    for (const { clientUserId, userId } of await cluster.at(home).connections.read<Row>(USERS, [appId, ids])) {
      const found = named.get(clientUserId);
      if (found?.userId === userId) found.hasUser = true;
    }
  }
  return named;
}
