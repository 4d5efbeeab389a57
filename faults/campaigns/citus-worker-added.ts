import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { schemaOf } from '../../packages/server/src/storage/postgres/distributed/homes.ts';
import type { Campaign, CampaignContext } from '../campaign.ts';
import { type Cluster, clusterFor, serveOn } from '../citus.ts';
import { type Client, describe, isDone, type TestUser } from '../client.ts';
import { checkAll } from '../load.ts';
import { p99 } from '../percentile.ts';
import { worst } from '../worst.ts';

const CLIENTS = 8;
const WATCHED = 24;
const HOME = schemaOf(0);
const SAVED_MEANWHILE = 10;

export const citusWorkerAdded: Campaign = {
  name: 'citus-worker-added',
  title: 'a third worker is added to a Citus cluster under mixed load, then a rebalance',
  promise: 'homes move to it, and every request of the watching users is served',
  operatorSees: '`citus_rebalance_status()`; slower saves while a home is handed over',
  unit: 'workers added',
  times: { short: 1, full: 3 },
  run: (context) => run(context, rebalance),
  control: {
    what: 'a home copied, then replaced by the copy after ten more saves',
    times: 1,
    run: (context) => run(context, copyAndReplace),
  },
};

type Move = (cluster: Cluster) => Promise<{ moved: number; ms: number }>;

async function run(context: CampaignContext, move: Move): Promise<void> {
  const [movingMs, servedMs]: [number[], number[]] = [[], []];
  let [acknowledged, unknown, moved] = [0, 0, 0];
  for (let round = 0; round < context.times; round++) {
    await context.attempt(async (lose) => {
      const cluster = await clusterFor(context);
      const { load, client } = await serveOn(cluster, context, CLIENTS);
      const users: TestUser[] = [];
      for (let count = 0; count < WATCHED; count++) users.push(await client.create());
      for (const user of users) await client.exchange(user);
      load.resume();
      let isOver = false;
      const watching = watch(client, users, () => isOver, { lose, servedMs });
      await sleep(1_000);
      const done = await move(cluster);
      movingMs.push(done.ms);
      moved += done.moved;
      isOver = true;
      await watching;
      await load.pause();
      if (done.moved === 0) lose('no home has moved');
      const counts = load.counts();
      acknowledged += counts.acknowledged;
      unknown += counts.unknown;
      for (const loss of [...(await checkAll(load)), ...load.unexpected]) lose(loss);
    });
  }
  context.report(`${acknowledged} acts acknowledged, ${unknown} unknown`);
  context.report(`${moved} homes moved in ${worst(movingMs)} ms a time`);
  context.report(`a save meanwhile took ${worst(servedMs)} ms, p99 ${Math.round(p99(servedMs))} ms`);
}

/** Users of all homes who save one after another. */
async function watch(
  client: Client,
  users: TestUser[],
  isOver: () => boolean,
  { lose, servedMs }: { lose(what: string): void; servedMs: number[] },
): Promise<void> {
  for (let turn = 0; !isOver(); turn++) {
    const before = performance.now();
    const outcome = await client.save(users[turn % users.length] as TestUser, turn % 20);
    servedMs.push(performance.now() - before);
    if (!isDone(outcome)) lose(`a save while homes move: ${describe(outcome)}`);
  }
}

async function rebalance(cluster: Cluster): Promise<{ moved: number; ms: number }> {
  const worker = await cluster.addWorker();
  const before = performance.now();
  await onCoordinator(cluster, async (query) => {
    await query('select citus_rebalance_start()');
    await query('select citus_rebalance_wait()');
  });
  return { moved: (await cluster.homesOfWorkers()).get(worker.port) ?? 0, ms: performance.now() - before };
}

/** Anything saved between the copy and the switch is lost. */
async function copyAndReplace(cluster: Cluster): Promise<{ moved: number; ms: number }> {
  const before = performance.now();
  await onCoordinator(cluster, async (query) => {
    await query(`create table public.copy as select * from ${HOME}.selections`);
    const countSaves = async () =>
      (await query(`select count(*)::integer as n from ${HOME}.selection_events`)).rows[0].n;
    const savedBefore = await countSaves();
    // On a busy machine, half a second passes without a save in this home.
    do await sleep(500);
    while ((await countSaves()) < savedBefore + SAVED_MEANWHILE);
    await query('begin');
    await query(`delete from ${HOME}.selections`);
    await query(
      `insert into ${HOME}.selections select * from public.copy where user_id in (select user_id from ${HOME}.users)`,
    );
    await query('commit');
  });
  return { moved: 1, ms: performance.now() - before };
}

async function onCoordinator(
  { databaseUrl }: Cluster,
  work: (query: (sql: string) => Promise<pg.QueryResult>) => Promise<void>,
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await work((sql) => client.query(sql));
  } finally {
    await client.end();
  }
}
