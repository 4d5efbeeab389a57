import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NewApplication } from '../../packages/server/src/domain/applications/application.ts';
import { commandLine } from '../../packages/server/test/cli/run-innkeeper.ts';
import { freePort } from '../../packages/server/test/free-port.ts';
import { type ServeProcess, serve } from '../../packages/server/test/operations/serve-process.ts';
import type { PostgresServer } from '../../packages/server/test/postgres-server.ts';
import { askPostgres } from '../ask-postgres.ts';
import type { Campaign, CampaignContext } from '../campaign.ts';
import { openPlace } from '../client.ts';
import { postgresFor } from '../databases.ts';
import { type EarlierVersion, unpackEarlierVersion } from '../earlier-version.ts';
import { checkAll, type Load, startLoad } from '../load.ts';
import { inTurn } from '../rotation.ts';
import { SETTINGS } from '../stage.ts';
import { startReplica } from '../start-replica.ts';
import { worst } from '../worst.ts';

const REPLICAS = 2;
const CLIENTS = 8;
const TEMPLATE = 'earlier';
/** Share of all requests: without a response, with 5xx, or, if a replica is always up, refused. */
const MAX_ERRORS = 0.0001;

/** A table that the old version still uses. */
const TAKES_AWAY = 'alter table profiles rename to profiles_of_old';

export const upgrade: Campaign = {
  name: 'upgrade',
  title: `an earlier version is replaced by this one under mixed load: on PostgreSQL ${REPLICAS} replicas, one by one after the migration; on SQLite by a restart on the same file`,
  promise:
    'at most 0.01 % of requests fail (on SQLite the port closes for a moment), and the earlier version refuses to start afterwards',
  operatorSees: '`migrate --check` lists what is pending; an older version refuses to start',
  unit: 'upgrades',
  times: { short: 2, full: 20 },
  run: (context) => run(context, ['postgres', 'sqlite']),
  control: {
    what: 'a migration that drops a table the earlier version needs',
    times: 1,
    run: (context) => run(context, ['postgres'], TAKES_AWAY),
  },
};

type Stage = { earlier: EarlierVersion; postgres: PostgresServer; sqlite: string; applications: NewApplication[] };
type Upgraded = { load: Load; ms: number; databaseUrl: string };

async function run(context: CampaignContext, kinds: ('postgres' | 'sqlite')[], after?: string): Promise<void> {
  const earlier = await unpackEarlierVersion(context.folder);
  const postgres = await postgresFor(context);
  const sqlite = join(context.folder, 'earlier.db');
  const applications = [
    await earlier.setStage(await postgres.createDatabase(TEMPLATE)),
    await earlier.setStage(`sqlite:${sqlite}`),
  ];
  const stage = { earlier, postgres, sqlite, applications };
  const tookMs: number[] = [];
  let [acknowledged, failed] = [0, 0];
  for (let round = 0; round < context.times; round++) {
    const kind = kinds[round % kinds.length] as 'postgres' | 'sqlite';
    await context.attempt(async (lose) => {
      const undos: (() => unknown)[] = [];
      try {
        const upgrading =
          kind === 'postgres' ? upgradePostgres(stage, undos, after) : upgradeSqlite(stage, undos, round);
        const { load, ms, databaseUrl } = await upgrading;
        tookMs.push(ms);
        const counts = load.counts();
        acknowledged += counts.acknowledged;
        failed += counts.unknown + (kind === 'postgres' ? counts.refused : 0);
        for (const loss of [...load.unexpected, ...(await checkAll(load))]) lose(`${kind}: ${loss}`);
        const late = await serve({ script: earlier.bin, settings: { ...SETTINGS, databaseUrl }, failing: true });
        const { code } = await late.exited;
        if (code === 0 || !late.stderr().includes('newer Innkeeper')) lose(`${kind}: the earlier version starts again`);
      } finally {
        for (const undo of undos.toReversed()) await undo();
      }
    });
  }
  // With this few requests, one failure is allowed.
  if (failed > Math.ceil(acknowledged * MAX_ERRORS))
    context.lose(`${failed} of ${acknowledged + failed} requests failed`);
  context.report(`from ${earlier.title}`);
  context.report(`${acknowledged} acts acknowledged, ${failed} failed; an upgrade took ${worst(tookMs)} ms`);
}

async function upgradePostgres(stage: Stage, undos: (() => unknown)[], after?: string): Promise<Upgraded> {
  const { earlier, postgres } = stage;
  const name = `upgrade_${Math.random().toString(36).slice(2)}`;
  await askPostgres(postgres.url('postgres'), `create database ${name} template ${TEMPLATE}`);
  const databaseUrl = postgres.url(name);
  const start = async (script?: string): Promise<ServeProcess> => {
    const port = String(await freePort());
    const server = await startReplica({ ...(script && { script }), settings: { ...SETTINGS, databaseUrl, port } });
    undos.push(() => endNow(server));
    return server;
  };
  const replicas: ServeProcess[] = [];
  while (replicas.length < REPLICAS) replicas.push(await start(earlier.bin));
  const rotation = new Set(replicas.map(({ url }) => url));
  const place = await openPlace((replicas[0] as ServeProcess).url, stage.applications[0] as NewApplication);
  const load = startLoad(inTurn(place, rotation), { clients: CLIENTS });
  undos.push(() => load.close());
  load.resume();
  await sleep(300);
  const began = performance.now();
  await commandLine(databaseUrl).json('migrate');
  if (after !== undefined) await askPostgres(databaseUrl, after);
  for (const old of replicas) {
    rotation.add((await start()).url);
    rotation.delete(old.url);
    await sleep(100);
    old.signal('SIGTERM');
    await old.exited;
  }
  const ms = performance.now() - began;
  await sleep(300);
  await load.pause();
  return { load, ms, databaseUrl };
}

async function upgradeSqlite(stage: Stage, undos: (() => unknown)[], round: number): Promise<Upgraded> {
  const file = `${stage.sqlite}.${round}`;
  await copyFile(stage.sqlite, file);
  const databaseUrl = `sqlite:${file}`;
  const settings = { ...SETTINGS, databaseUrl, port: String(await freePort()) };
  const old = await serve({ script: stage.earlier.bin, settings });
  undos.push(() => endNow(old));
  const load = startLoad(await openPlace(old.url, stage.applications[1] as NewApplication), { clients: CLIENTS });
  undos.push(() => load.close());
  load.resume();
  await sleep(300);
  const began = performance.now();
  old.signal('SIGTERM');
  await old.exited;
  const server = await serve({ settings });
  undos.push(() => endNow(server));
  const ms = performance.now() - began;
  await sleep(300);
  await load.pause();
  return { load, ms, databaseUrl };
}

async function endNow(server: ServeProcess): Promise<void> {
  server.signal('SIGKILL');
  await server.exited;
}
