import { setTimeout as sleep } from 'node:timers/promises';
import type { PostgresServer } from '../../packages/server/test/postgres-server.ts';
import type { Campaign, CampaignContext } from '../campaign.ts';
import { isCode } from '../check-user.ts';
import { clusterFor, oneUserOfEach, serveOn } from '../citus.ts';
import { type Client, describe, isDone, type TestUser } from '../client.ts';
import { checkAll } from '../load.ts';
import { worst } from '../worst.ts';

const CLIENTS = 16;
const BACK_MS = 5_000;
const AWAY_MS = 1_500;
/** Limit for an action of a user whose worker is up, while the other is down. */
const OTHERS_MS = 1_000;

export const citusWorkerKilled: Campaign = {
  name: 'citus-worker-killed',
  title: 'each of two Citus workers in turn is killed under mixed load and started again',
  promise: 'users of the other worker save and read within a second; its own save again within 5 s of its start',
  operatorSees: '503 (9503) for users of that worker only, one error line a second; `/readyz` stays 200',
  unit: 'kills',
  times: { short: 2, full: 20 },
  run: (context) => run(context, []),
  control: {
    what: 'workers that commit in memory (synchronous_commit=off)',
    times: 2,
    run: (context) => run(context, ['synchronous_commit=off', 'wal_writer_delay=10s']),
  },
};

async function run(context: CampaignContext, workerSettings: string[]): Promise<void> {
  const cluster = await clusterFor(context, workerSettings);
  const { workers } = cluster;
  const { server, load, client } = await serveOn(cluster, context, CLIENTS);
  const users = await oneUserOfEach(client, cluster, workers);
  const [backMs, othersMs]: [number[], number[]] = [[], []];
  for (let round = 0; round < context.times; round++) {
    const killed = round % workers.length;
    const [own, other] = [users[killed], users[1 - killed]] as [TestUser, TestUser];
    await context.attempt(async (lose) => {
      const begun = new Map(load.clients.map((each) => [each, each.users.length]));
      load.resume();
      await sleep(500 + Math.random() * 500);
      const worker = workers[killed] as PostgresServer;
      await worker.pause('crash');
      for (const until = performance.now() + AWAY_MS; performance.now() < until; ) {
        const before = performance.now();
        for (const outcome of [await client.save(other, round % 20), await client.read(other)]) {
          if (!isDone(outcome)) lose(`a user of the other worker: ${describe(outcome)}`);
        }
        othersMs.push((performance.now() - before) / 2);
      }
      const refused = await client.save(own, 0);
      if (!isCode(refused, '9503')) lose(`a user of the worker that is away: ${describe(refused)}`);
      const ready = await fetch(`${server.url}/readyz`);
      if (ready.status !== 200) lose(`/readyz is ${ready.status}`);
      await worker.resume();
      const took = await untilSaved(client, own);
      backMs.push(took);
      if (took > BACK_MS) lose(`saved again after ${Math.round(took)} ms`);
      await load.pause();
      const isLast = round === context.times - 1;
      const losses = await checkAll(load, (each) => each.users.slice(isLast ? 0 : begun.get(each)));
      for (const loss of [...losses, ...load.unexpected.splice(0)]) lose(loss);
    });
  }
  const slow = othersMs.filter((ms) => ms > OTHERS_MS).length;
  if (slow > 0) context.lose(`${slow} acts of users of the other worker took longer than ${OTHERS_MS} ms`);
  const { acknowledged, unknown } = load.counts();
  context.report(`${acknowledged} acts acknowledged, ${unknown} unknown`);
  context.report(`saved again ${worst(backMs)} ms after its start`);
  context.report(`users of the other worker meanwhile: ${othersMs.length * 2} acts, ${worst(othersMs)} ms each`);
}

async function untilSaved(client: Client, user: TestUser): Promise<number> {
  for (const before = performance.now(); ; await sleep(20)) {
    const outcome = await client.save(user, 0);
    const took = performance.now() - before;
    if (isDone(outcome) || took > 20 * BACK_MS) return took;
  }
}
