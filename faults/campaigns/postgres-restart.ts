import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from '../../packages/server/test/operations/serve-process.ts';
import type { PostgresOptions } from '../../packages/server/test/postgres-server.ts';
import { askPostgres } from '../ask-postgres.ts';
import type { Campaign, CampaignContext } from '../campaign.ts';
import { checkEvents, countEvents, prepareEventCheck } from '../check-events.ts';
import { Client, openPlace } from '../client.ts';
import { postgresFor } from '../databases.ts';
import { checkAll, startLoad } from '../load.ts';
import { end } from '../race-field.ts';
import { SETTINGS, setStage } from '../stage.ts';
import { untilServed } from '../until-served.ts';
import { worst } from '../worst.ts';

const CLIENTS = 16;
const HEALTHY_MS = 5_000;
const AWAY_MS = 400;

export const postgresRestart: Campaign = {
  name: 'postgres-restart',
  title: 'PostgreSQL is stopped (immediate) under mixed load and started again',
  promise:
    'the process keeps running, returns 503, recovers within 5 s of the database, and every change has its event',
  operatorSees: '`/readyz` 503, requests 503 (9503), one error line a second',
  unit: 'restarts',
  times: { short: 6, full: 50 },
  run: (context) => run(context, {}),
  control: {
    what: 'a PostgreSQL with synchronous_commit=off',
    times: 2,
    run: (context) => run(context, { settings: ['synchronous_commit=off', 'wal_writer_delay=10s'] }),
  },
};

async function run(context: CampaignContext, options: PostgresOptions): Promise<void> {
  const postgres = await postgresFor(context, options);
  const databaseUrl = await postgres.createDatabase();
  const application = await setStage(databaseUrl);
  await prepareEventCheck(databaseUrl);
  // The control is to lose writes, not its tables.
  await askPostgres(databaseUrl, 'checkpoint');
  const server = await serve({ settings: { ...SETTINGS, logLevel: 'fatal', databaseUrl } });
  context.defer(() => end(server));
  let ended = false;
  void server.exited.then(() => (ended = true));
  const place = await openPlace(server.url, application);
  const load = startLoad(place, { clients: CLIENTS });
  const probe = new Client(place);
  context.defer(() => load.close());
  const healthyMs: number[] = [];
  for (let round = 1; round <= context.times; round++) {
    await context.attempt(async (lose) => {
      const begun = new Map(load.clients.map((client) => [client, client.users.length]));
      load.resume();
      await sleep(200 + Math.random() * 300);
      await postgres.pause('crash');
      await sleep(AWAY_MS);
      const ready = await fetch(`${server.url}/readyz`);
      if (ready.status !== 503) lose(`/readyz is ${ready.status} without a database`);
      const alive = await fetch(`${server.url}/livez`);
      if (alive.status !== 200) lose(`/livez is ${alive.status} without a database`);
      await postgres.resume();
      const took = await untilServed(probe, HEALTHY_MS * 2);
      healthyMs.push(took);
      if (took > HEALTHY_MS) lose(`healthy after ${Math.round(took)} ms`);
      await load.pause();
      if (ended) throw new Error(`The service ended: ${server.stderr()}`);
      const isLast = round === context.times;
      const losses = await checkAll(load, (client) => client.users.slice(isLast ? 0 : begun.get(client)));
      for (const loss of [...losses, ...load.unexpected.splice(0), ...(await checkEvents(databaseUrl))]) lose(loss);
    });
  }
  const { acknowledged, unknown } = load.counts();
  context.report(`${acknowledged} acts acknowledged, ${unknown} unknown, ${await countEvents(databaseUrl)} events`);
  context.report(`healthy ${worst(healthyMs)} ms after the database`);
}
