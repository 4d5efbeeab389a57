import { lockApplication } from '../../common/store.ts';
import { commonStore } from '../../common/stores.ts';
import type {
  ActivityStore,
  ApplicationStore,
  AuditStore,
  CatalogStore,
  DeliveryStore,
  NewAuditEntry,
  NewLoggedRequest,
  RequestLogStore,
  Total,
  TrialStore,
} from '../../port.ts';
import { activityStore, auditStore } from '../activity-and-audit.ts';
import { catalogStore, PUBLISH_MS } from '../catalogs.ts';
import { logChange } from '../changes.ts';
import { bindingOf, DELETE_MS } from '../common.ts';
import { statement } from '../connections.ts';
import { deliveryStore } from '../deliveries.ts';
import type { Cluster } from './cluster.ts';
import { byBytes, mergePages, sum } from './homes.ts';
import { distributedUsers, LOCK_USER } from './users.ts';

const READ_APPLICATION = statement(
  'select app_id, client_id, name, settings, created_at from applications where app_id = $1',
);
const COPY_APPLICATION = statement(`
  insert into applications (app_id, client_id, name, settings, created_at) values ($1, $2, $3, $4, $5)
  on conflict (app_id) do update set name = excluded.name, settings = excluded.settings
`);
const FIND_USER = statement('select user_id from users where user_id = $1');
const USERS_OF_DELIVERIES = statement(`
  select delivery_id as "deliveryId", user_id as "userId" from webhook_deliveries where webhook_id = $1
    and delivery_id = any (array(select json_array_elements_text($2::json)::uuid)) and user_id is not null
`);
const TRIM = statement('delete from request_log where app_id = $1 and request_uid < $2');
const REMOVE_OF_APPLICATION = [
  'delete from users where app_id = $1',
  'delete from profiles where app_id = $1',
  'delete from deleted_users where app_id = $1',
  'delete from applications where app_id = $1',
  'delete from events where app_id = $1',
].map(statement);

/** Applications are stored on the coordinator; each home has a copy of what its statements read. */
export function distributedApplications(cluster: Cluster): ApplicationStore {
  const copy = async (inner: Cluster, appId: number): Promise<void> => {
    type Row = { app_id: number; client_id: string; name: string; settings: string; created_at: number };
    const [row] = await inner.connections.read<Row>(READ_APPLICATION, [appId]);
    if (!row) return;
    const values = [row.app_id, row.client_id, row.name, row.settings, row.created_at];
    await inner.everywhere(({ connections }) => connections.write(COPY_APPLICATION, values));
  };
  const stored = ({ connections }: Cluster) => commonStore('applications', bindingOf(connections));
  return {
    ...stored(cluster),
    create: (application) =>
      cluster.together(async (inner) => {
        const outcome = await stored(inner).create(application);
        if (outcome === 'created') await copy(inner, application.appId);
        return outcome;
      }),
    update: (appId, change) =>
      cluster.together(async (inner) => {
        const outcome = await stored(inner).update(appId, change);
        if (outcome === 'updated') await copy(inner, appId);
        return outcome;
      }),
    delete: (appId) =>
      cluster.together(async (inner) => {
        const { connections } = inner;
        if (!(await connections.transaction((query) => lockApplication(query, appId)))) return 'unknown';
        for (const removal of REMOVE_OF_APPLICATION) {
          await inner.everywhere((home) => home.connections.write(removal, [appId]));
        }
        await connections.write(statement('delete from applications where app_id = $1'), [appId]);
        await connections.write(statement('delete from events where app_id = $1'), [appId]);
        await connections.transaction((query) => logChange(query, 'application', appId));
        return 'deleted';
      }, DELETE_MS),
    async countUsers(appId) {
      return sum(await cluster.everywhere(({ users }) => users.countWalk(appId, { by: 'user' })));
    },
  };
}

// Visible only to the transaction that writes it.
const TAKE_EVENT = statement('delete from events where app_id = $1 returning type, at, revision, data');
const ADD_EVENT = statement('insert into events (app_id, type, at, revision, data) values ($1, $2, $3, $4, $5)');

/** Catalogs are stored on the coordinator. */
export function distributedCatalogs(cluster: Cluster): CatalogStore {
  return {
    ...catalogStore(cluster.connections),
    publish: (publication) =>
      cluster.together(async (inner) => {
        const { appId } = publication;
        const outcome = await catalogStore(inner.connections).publish(publication);
        type Row = { type: number; at: number; revision: number; data: string };
        for (const { type, at, revision, data } of await inner.connections.write<Row>(TAKE_EVENT, [appId])) {
          const { connections } = inner.at(inner.homes.ofNumber(appId));
          await connections.write(ADD_EVENT, [appId, type, at, revision, data]);
        }
        return outcome;
      }, PUBLISH_MS),
  };
}

/** Counts from the coordinator, and of an application's data in all homes. */
export function distributedActivity(cluster: Cluster): ActivityStore {
  return {
    ...activityStore(cluster.connections),
    async totals(appId, now, limit) {
      const parts = await cluster.everywhere(({ activity }) => activity.totals(appId, now, limit));
      const total = (name: 'users' | 'selections' | 'liveTokens'): Total => {
        const count = sum(parts.map((part) => part[name].count));
        return { count: Math.min(count, limit), more: count >= limit || parts.some((part) => part[name].more) };
      };
      return { users: total('users'), selections: total('selections'), liveTokens: total('liveTokens') };
    },
  };
}

export function distributedAudit(cluster: Cluster): AuditStore {
  const store = auditStore(cluster.connections, '$3::uuid');
  const withUser = async (entry: NewAuditEntry): Promise<NewAuditEntry> => {
    if (entry.userId === null) return entry;
    const found = await cluster.ofUser(entry.userId).connections.read(FIND_USER, [entry.userId]);
    return found.length > 0 ? entry : { ...entry, userId: null };
  };
  return {
    add: async (entry) => store.add(await withUser(entry)),
    addCounts: async (entry) => store.addCounts(await withUser(entry)),
    list: store.list,
  };
}

const END_TRIAL = statement('delete from trial_users where app_id = $1 and client_user_id = $2 returning app_id');
const ENDED_TRIALS = statement(
  'select app_id as "appId", client_user_id as "clientUserId" from trial_users where ends_at <= $1 limit 100',
);

export function distributedTrials(cluster: Cluster): TrialStore {
  const { homes } = cluster;
  return {
    add: (appId, clientUserId, endsAt) =>
      cluster.at(homes.ofName(appId, clientUserId)).trials.add(appId, clientUserId, endsAt),
    end: (appId, clientUserId) =>
      cluster.together(async (inner) => {
        const { connections } = inner.at(homes.ofName(appId, clientUserId));
        if ((await connections.write(END_TRIAL, [appId, clientUserId])).length === 0) return;
        const users = distributedUsers(inner);
        const user = await users.findByClientUserId(appId, clientUserId);
        if (user) await users.delete(appId, user.userId);
      }),
  };
}

/** Deletes expired trials and returns how many. */
export async function endTrials(cluster: Cluster, now: number): Promise<number> {
  type Row = { appId: number; clientUserId: string };
  const ended = await cluster.everywhere(({ connections }) => connections.read<Row>(ENDED_TRIALS, [now]));
  const trials = distributedTrials(cluster);
  for (const { appId, clientUserId } of ended.flat()) await trials.end(appId, clientUserId);
  return ended.flat().length;
}

/** A request is stored with the user it names, and deleted with the user. */
export function distributedRequestLog(cluster: Cluster): RequestLogStore {
  const { homes } = cluster;
  const homeOf = ({ appId, userId, clientUserId }: NewLoggedRequest): number => {
    if (userId !== null) return homes.ofUser(userId);
    return clientUserId === null ? homes.ofNumber(appId) : homes.ofName(appId, clientUserId);
  };
  const list: RequestLogStore['list'] = async (appId, filter, page) => {
    const pages = await cluster.everywhere(({ requestLog }) => requestLog.list(appId, filter, page));
    return mergePages(pages, page.limit, (a, b) => byBytes(b.requestUid, a.requestUid));
  };
  return {
    list,
    async add(requests) {
      await Promise.all(
        [...Map.groupBy(requests, homeOf)].map(([home, some]) => cluster.at(home).requestLog.add(some)),
      );
    },
    async trim(appId, keep) {
      const oldest = (await list(appId, {}, { before: null, limit: keep }))[keep - 1];
      if (!oldest) return;
      await cluster.everywhere(({ connections }) => connections.write(TRIM, [appId, oldest.requestUid]));
    },
    find: (appId, requestUid) => cluster.find(undefined, ({ requestLog }) => requestLog.find(appId, requestUid)),
    async count(appId, span) {
      return sum(await cluster.everywhere(({ requestLog }) => requestLog.count(appId, span)));
    },
  };
}

/**
 * Deliveries are stored on the coordinator. A receiver's response is deleted with the user, who is locked in the same
 * transaction.
 */
export function distributedDeliveries(cluster: Cluster): DeliveryStore {
  const existingUsers = 'select user_id from noted';
  return {
    ...deliveryStore(cluster.connections, existingUsers),
    settle: (held, attempts, off) =>
      cluster.together(async (inner) => {
        const ids = JSON.stringify(attempts.map(({ deliveryId }) => deliveryId));
        type Row = { deliveryId: string; userId: string };
        const rows = await inner.connections.read<Row>(USERS_OF_DELIVERIES, [held.webhookId, ids]);
        const gone = new Set<string>();
        for (const { deliveryId, userId } of rows) {
          const found = await inner.ofUser(userId).connections.write(LOCK_USER, [userId]);
          if (found.length === 0) gone.add(deliveryId);
        }
        const settled = attempts.map((attempt) =>
          gone.has(attempt.deliveryId) ? { ...attempt, body: null } : attempt,
        );
        return deliveryStore(inner.connections, existingUsers).settle(held, settled, off);
      }),
  };
}
