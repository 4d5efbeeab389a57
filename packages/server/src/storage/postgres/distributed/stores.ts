import type { Stores } from '../../port.ts';
import type { Connections } from '../connections.ts';
import { purgeShared, purgeUsers, removeOlder } from '../purge.ts';
import { Cluster } from './cluster.ts';
import { distributedEvents } from './events.ts';
import { type Homes, sum } from './homes.ts';
import { distributedSelections } from './selections.ts';
import {
  distributedActivity,
  distributedApplications,
  distributedAudit,
  distributedCatalogs,
  distributedDeliveries,
  distributedRequestLog,
  distributedTrials,
  endTrials,
} from './shared.ts';
import { distributedTransfer } from './transfer.ts';
import { distributedTokens, distributedUsers } from './users.ts';

/** Replaces the ordinary stores if users are distributed. */
export function distributedStores(homes: Homes, connections: Connections, isTransaction: boolean): Partial<Stores> {
  const cluster = new Cluster(homes, connections, isTransaction);
  return {
    applications: distributedApplications(cluster),
    users: distributedUsers(cluster),
    tokens: distributedTokens(cluster),
    selections: distributedSelections(cluster),
    transfer: distributedTransfer(cluster),
    catalogs: distributedCatalogs(cluster),
    events: distributedEvents(cluster),
    activity: distributedActivity(cluster),
    audit: distributedAudit(cluster),
    requestLog: distributedRequestLog(cluster),
    deliveries: distributedDeliveries(cluster),
    trials: distributedTrials(cluster),
  };
}

const OLD_KEYS = removeOlder('key_claims', 'app_id, key_hash', 'expires_at');

export async function purgeDistributed(homes: Homes, connections: Connections, now: number): Promise<number> {
  const cluster = new Cluster(homes, connections);
  const trials = await endTrials(cluster, now);
  const removed = await cluster.everywhere(async (home) => {
    await home.connections.write(OLD_KEYS, [now]);
    return purgeUsers(home.connections, now);
  });
  return trials + sum(removed) + (await purgeShared(connections, now));
}
