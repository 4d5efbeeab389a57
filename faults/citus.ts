import { distribute } from '../packages/server/src/storage/postgres/distributed/distribute.ts';
import { schemaOf } from '../packages/server/src/storage/postgres/distributed/homes.ts';
import { homeOfUuid } from '../packages/server/src/uuid.ts';
import { createUndistributed, run, startNode } from '../packages/server/test/citus-cluster.ts';
import { serve } from '../packages/server/test/operations/serve-process.ts';
import type { PostgresServer } from '../packages/server/test/postgres-server.ts';
import { type CampaignContext, CannotRun } from './campaign.ts';
import { Client, openPlace, type TestUser } from './client.ts';
import { startLoad } from './load.ts';
import { end } from './race-field.ts';
import { SETTINGS, setStage } from './stage.ts';

const DATABASE = 'innkeeper';
/** Fewer than an operator has: each takes a second or two to create. */
const HOMES = 6;

export type Cluster = {
  /** The coordinator's. */
  databaseUrl: string;
  workers: PostgresServer[];
  /** The port of the worker that has the user. */
  portOf(userId: string): Promise<number>;
  /** How many homes each worker has, by port. */
  homesOfWorkers(): Promise<Map<number, number>>;
  /** Adds a worker without homes. */
  addWorker(): Promise<PostgresServer>;
};

/** A coordinator and two workers with users distributed over them. */
export async function clusterFor(context: CampaignContext, workerSettings: string[] = []): Promise<Cluster> {
  const bin = process.env.INNKEEPER_TEST_CITUS;
  if (bin === undefined) {
    throw new CannotRun(
      'needs a PostgreSQL with Citus: CONTRIBUTING.md says how to build one and to set INNKEEPER_TEST_CITUS',
    );
  }
  const start = async (settings: string[]): Promise<PostgresServer> => {
    // Homes move by logical replication, while others continue to write.
    const node = await startNode(bin, { durable: true, settings: ['wal_level=logical', ...settings] });
    context.defer(() => node.stop());
    return node;
  };
  const coordinator = await start([]);
  const workers = [await start(workerSettings), await start(workerSettings)];
  const urls = [coordinator, ...workers].map((node) => node.url('postgres'));
  const databaseUrl = await createUndistributed({ urls }, DATABASE);
  await distribute(databaseUrl, () => {}, HOMES);

  const placements = async (): Promise<{ home: string; port: number }[]> =>
    (
      await run(
        databaseUrl,
        `select schema_name::text as home, p.nodeport as port from citus_schemas s
           join pg_dist_partition t on t.colocationid = s.colocation_id join pg_dist_shard h on h.logicalrelid = t.logicalrelid
           join pg_dist_shard_placement p on p.shardid = h.shardid group by 1, 2`,
      )
    ).rows;
  return {
    databaseUrl,
    workers,
    async portOf(userId) {
      const home = schemaOf(homeOfUuid(userId) % HOMES);
      return (await placements()).find((placement) => placement.home === home)?.port ?? 0;
    },
    async homesOfWorkers() {
      const byPort = Map.groupBy(await placements(), ({ port }) => port);
      return new Map(Array.from(byPort, ([port, homes]) => [port, homes.length]));
    },
    async addWorker() {
      const worker = await start(workerSettings);
      const own = await worker.createDatabase(DATABASE);
      await run(own, 'create extension citus');
      await run(databaseUrl, `select citus_add_node('127.0.0.1', ${worker.port})`);
      workers.push(worker);
      return worker;
    },
  };
}

/** A service on the cluster, mixed load that has not begun, and a client next to it. */
export async function serveOn({ databaseUrl }: Cluster, context: CampaignContext, clients: number) {
  const application = await setStage(databaseUrl);
  const server = await serve({ settings: { ...SETTINGS, logLevel: 'fatal', databaseUrl } });
  context.defer(() => end(server));
  const place = await openPlace(server.url, application);
  const load = startLoad(place, { clients });
  context.defer(() => load.close());
  const client = new Client(place);
  context.defer(() => client.close());
  return { server, load, client };
}

/** A signed-in user on each of these workers. */
export async function oneUserOfEach(
  client: Client,
  { portOf }: Cluster,
  workers: PostgresServer[],
): Promise<TestUser[]> {
  const found = new Map<number, TestUser>();
  while (workers.some(({ port }) => !found.has(port))) {
    const user = await client.create();
    await client.exchange(user);
    found.set(await portOf(user.code ?? ''), user);
  }
  return workers.map(({ port }) => found.get(port) as TestUser);
}
