import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { serve } from '../../packages/server/test/operations/serve-process.ts';
import { flakyProxy } from '../../packages/server/test/postgres/flaky-proxy.ts';
import { type PostgresServer, startPostgres } from '../../packages/server/test/postgres-server.ts';
import type { Campaign, CampaignContext } from '../campaign.ts';
import { Client, openPlace } from '../client.ts';
import { checkAll, startLoad } from '../load.ts';
import { SETTINGS, setStage } from '../stage.ts';
import { untilServed } from '../until-served.ts';
import { worst } from '../worst.ts';

const CLIENTS = 16;
const BACK_MS = 10_000;
const PASSWORD = 'of both servers';
const DATABASE = 'innkeeper';
/** Between cutting the standby's connection and cutting all others. */
const CUT_MS = 300;

export const failover: Campaign = {
  name: 'failover',
  title:
    'a primary with a synchronous standby loses its network under mixed load, and the standby is promoted; the database URL lists both',
  promise: 'writes succeed again within 10 s of the promotion',
  operatorSees: '`/readyz` and requests 503 until the promotion',
  unit: 'failovers',
  times: { short: 2, full: 20 },
  run: (context) => run(context, 'standby'),
  control: {
    what: 'an asynchronous standby',
    times: 1,
    run: (context) => run(context, ''),
  },
};

async function run(context: CampaignContext, synchronousStandby: string): Promise<void> {
  const seed = await startPostgres({ durable: true, password: PASSWORD });
  context.defer(() => seed.stop());
  const application = await setStage(await seed.createDatabase(DATABASE));
  await seed.pause();
  const backMs: number[] = [];
  let acknowledged = 0;
  for (let round = 0; round < context.times; round++) {
    await context.attempt(async (lose) => {
      const undos: (() => unknown)[] = [];
      try {
        const copyOf = { data: seed.data, password: PASSWORD, standby: false };
        const primary = await startPostgres({ durable: true, copyOf });
        undos.push(() => primary.stop());
        const [toStandby, toService] = [
          await flakyProxy(primary.url(DATABASE)),
          await flakyProxy(primary.url(DATABASE)),
        ];
        undos.push(() => Promise.all([toStandby.close(), toService.close()]));
        const standby = await startStandby(seed, toStandby.url);
        undos.push(() => standby.stop());
        await waitForCommits(primary, synchronousStandby);

        const hosts = `${new URL(toService.url).host},127.0.0.1:${standby.port}`;
        const databaseUrl = `postgres://innkeeper:${encodeURIComponent(PASSWORD)}@${hosts}/${DATABASE}`;
        const server = await serve({ settings: { ...SETTINGS, logLevel: 'fatal', databaseUrl } });
        undos.push(async () => {
          server.signal('SIGKILL');
          await server.exited;
        });
        const place = await openPlace(server.url, application);
        const load = startLoad(place, { clients: CLIENTS });
        undos.push(() => load.close());
        load.resume();
        await sleep(500 + Math.random() * 500);
        toStandby.blackHole();
        await sleep(CUT_MS);
        toService.blackHole();
        await execute(standby, 'select pg_promote()');
        const took = await untilServed(new Client(place), 2 * BACK_MS);
        backMs.push(took);
        if (took > BACK_MS) lose(`writes are accepted again after ${Math.round(took)} ms`);
        await load.pause();
        acknowledged += load.counts().acknowledged;
        for (const loss of [...(await checkAll(load)), ...load.unexpected]) lose(loss);
      } finally {
        for (const undo of undos.toReversed()) await undo();
      }
    });
  }
  context.report(`${acknowledged} acts acknowledged`);
  context.report(`writes succeeded again ${worst(backMs)} ms after the promotion`);
}

async function startStandby(seed: PostgresServer, primaryUrl: string): Promise<PostgresServer> {
  const { port } = new URL(primaryUrl);
  const from = `host=127.0.0.1 port=${port} user=innkeeper password='${PASSWORD}' application_name=standby`;
  const settings = [`primary_conninfo=${from}`, 'wal_receiver_timeout=5s'];
  return startPostgres({ durable: true, settings, copyOf: { data: seed.data, password: PASSWORD, standby: true } });
}

/** From here on, a commit is acknowledged only once the standby has it too. */
async function waitForCommits(primary: PostgresServer, synchronousStandby: string): Promise<void> {
  while ((await execute(primary, 'select from pg_stat_replication where state = $$streaming$$')) === 0) await sleep(50);
  await execute(primary, `alter system set synchronous_standby_names = '${synchronousStandby}'`);
  await execute(primary, 'select pg_reload_conf()');
  if (synchronousStandby === '') return;
  while ((await execute(primary, 'select from pg_stat_replication where sync_state = $$sync$$')) === 0) await sleep(50);
}

async function execute(server: PostgresServer, sql: string): Promise<number> {
  const client = new pg.Client({ connectionString: server.url('postgres') });
  await client.connect();
  try {
    return (await client.query(sql)).rowCount ?? 0;
  } finally {
    await client.end();
  }
}
