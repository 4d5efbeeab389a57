import { performAudited } from '../audited-storage.ts';
import { lockApplication } from '../common/store.ts';
import { commonStores } from '../common/stores.ts';
import type { ImportEntry, Storage, StorageDriver, Stores } from '../port.ts';
import { activityStore, auditStore, requestLogStore } from './activity-and-audit.ts';
import { catalogStore } from './catalogs.ts';
import { changeStore } from './changes.ts';
import { clockStore } from './clock.ts';
import { bindingOf } from './common.ts';
import { ConnectionPool } from './connection-pool.ts';
import type { Connections } from './connections.ts';
import { inTransaction } from './connections.ts';
import { deliveryStore } from './deliveries.ts';
import { ENTER_GATE } from './distributed/consistent-snapshot.ts';
import { findHomes, type Homes, schemaOf } from './distributed/homes.ts';
import { distributedStores, purgeDistributed } from './distributed/stores.ts';
import { postgresDump } from './dump.ts';
import { eventStore } from './events.ts';
import { migrate, migrationState } from './migrations.ts';
import { purgeExpired } from './purge.ts';
import { selectionStore } from './selections.ts';
import { Servers } from './servers.ts';
import { attemptStore, rateLimitStore } from './throttles.ts';
import { tokenStore } from './tokens.ts';
import { transferStore } from './transfer.ts';
import { userSearch, userWalk } from './user-walk.ts';
import { trialStore, userStore } from './users.ts';

/** `actMs`: maximum duration of an act, including waiting for locks. */
export function postgresDriver(url: string, actMs?: number): StorageDriver {
  return {
    migrationState: () => migrationState(new Servers(url)),
    migrate: () => migrate(new Servers(url)),
    distribute: async (onProgress) => (await import('./distributed/distribute.ts')).distribute(url, onProgress),
    async open() {
      await migrate(new Servers(url));
      const connections = new ConnectionPool(url, actMs);
      try {
        await connections.lookAround();
        return openPostgres(connections, await connections.transaction(findHomes));
      } catch (error) {
        await connections.close();
        throw error;
      }
    },
    dump: postgresDump(url),
  };
}

/** Audited acts with a statement timeout of their own. */
const LONG_ACTS = new Set(['applications.delete', 'catalogs.publish', 'drafts.save', 'transfer.importUsers']);

function openPostgres(connections: ConnectionPool, homes: Homes | undefined): Storage {
  const stores = postgresStores(connections, homes, false);
  const refreshStatistics = afterImports(connections, homes);
  return {
    ...stores,
    transfer: {
      ...stores.transfer,
      async importUsers(appId, entries, change) {
        const result = await stores.transfer.importUsers(appId, entries, change);
        await refreshStatistics(entries);
        return result;
      },
    },
    kind: 'postgres',
    async audited(by, call) {
      const outcome = await connections.inOneTransaction(
        async (query, queryFor) => {
          if (homes) await query(ENTER_GATE);
          const inner = postgresStores(inTransaction(query, queryFor), homes, true);
          return performAudited(inner, by, call, (appId) => lockApplication(query, appId));
        },
        LONG_ACTS.has(`${call.store}.${call.act}`),
      );
      if (call.act === 'importUsers') await refreshStatistics(call.args[1] as readonly ImportEntry[]);
      return outcome;
    },
    ping: () => connections.ping(),
    problems: () => connections.problems(),
    purgeExpired: (now) => (homes ? purgeDistributed(homes, connections, now) : purgeExpired(connections, now)),
    waitingActs: () => connections.inFlight,
    figures: () => connections.figures(),
    close: () => connections.close(),
  };
}

/** `homes`: where users are, if they are distributed. */
function postgresStores(connections: Connections, homes: Homes | undefined, isTransaction: boolean): Stores {
  const common = commonStores(bindingOf(connections));
  const walk = userWalk(connections);
  return {
    ...common,
    applications: { ...common.applications, countUsers: (appId) => walk.countWalk(appId, { by: 'user' }) },
    users: { ...userStore(connections), ...userSearch(connections), ...walk },
    tokens: tokenStore(connections),
    attempts: attemptStore(connections),
    rateLimits: rateLimitStore(connections),
    catalogs: catalogStore(connections),
    selections: selectionStore(connections),
    trials: trialStore(connections),
    changes: changeStore(connections),
    events: eventStore(connections),
    clock: clockStore(connections),
    activity: activityStore(connections),
    requestLog: requestLogStore(connections),
    audit: auditStore(connections),
    deliveries: deliveryStore(connections),
    transfer: transferStore(connections),
    ...(homes && distributedStores(homes, connections, isTransaction)),
  };
}

/** Statistics are refreshed after this many imported users, then after eight times as many. */
const FIRST = 10_000;
const AGAIN = 8;
/** An import that pauses for this long has ended. */
const NEW_IMPORT_MS = 60_000;
const ANALYZE_MS = 60_000;

/**
 * Autovacuum notices a grown table only after a minute or so. Until then the planner assumes that it is nearly empty,
 * and sorts all users of an application for every page.
 */
function afterImports(connections: Connections, homes?: Homes): (entries: readonly ImportEntry[]) => Promise<void> {
  const places = homes ? homes.all.map((home) => `${schemaOf(home)}.`) : [''];
  const tables = places.flatMap((place) => ['users', 'profiles', 'selections'].map((table) => `${place}${table}`));
  let imported = 0;
  let next = FIRST;
  let lastAt = Number.NEGATIVE_INFINITY;
  return async ({ length }) => {
    if (performance.now() - lastAt > NEW_IMPORT_MS) [imported, next] = [0, FIRST];
    lastAt = performance.now();
    imported += length;
    if (imported < next) return;
    next *= AGAIN;
    // If this fails, reads are slower for a while; the import itself succeeded.
    await connections.transaction((query) => query(`analyze ${tables.join(', ')}`, []), ANALYZE_MS).catch(() => {});
  };
}
