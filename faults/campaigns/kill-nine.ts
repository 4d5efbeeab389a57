import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { processorTime } from '../../bench/service.ts';
import { type ServeOptions, type ServeProcess, serve } from '../../packages/server/test/operations/serve-process.ts';
import type { Campaign, CampaignContext } from '../campaign.ts';
import { openPlace } from '../client.ts';
import { ANSWERS_BEFORE_COMMIT } from '../controls/answers-before-commit.ts';
import { sqliteIn } from '../databases.ts';
import { inspectFile } from '../inspect-file.ts';
import { checkAll, type LoadOptions, startLoad } from '../load.ts';
import { SETTINGS, setStage } from '../stage.ts';
import { worst } from '../worst.ts';

const CLIENTS = 16;
const READY_MS = 2_000;
/** How many users of earlier rounds each client checks again in every round; all of them at the end. */
const SAMPLE = 3;

export const killNine: Campaign = {
  name: 'kill-9',
  title: 'kill -9 under mixed load, SQLite',
  promise: 'no user is incomplete, the integrity check is clean, and the service is ready within 2 s of processor time',
  operatorSees: 'the restart',
  unit: 'kills',
  times: { short: 15, full: 500 },
  run: (context) => run(context, {}, { clients: CLIENTS }),
  control: {
    what: 'a writer that responds before it commits',
    times: 2,
    run: (context) => run(context, { nodeArgs: ANSWERS_BEFORE_COMMIT }, { clients: CLIENTS, onlyCreates: true }),
  },
};

async function run(context: CampaignContext, how: ServeOptions, loadOptions: LoadOptions): Promise<void> {
  const databaseUrl = sqliteIn(context.folder);
  const application = await setStage(databaseUrl);
  const readyMs: number[] = [];
  const start = async (): Promise<ServeProcess> => {
    const before = performance.now();
    const server = await serve({ ...how, settings: { ...SETTINGS, databaseUrl } });
    const took = performance.now() - before;
    // If other work takes the processors, the process's own processor time tells how long a start takes.
    readyMs.push(isBusy() ? Math.min(took, await processorTime(server)) : took);
    return server;
  };
  let server = await start();
  context.defer(() => server.signal('SIGKILL'));
  const place = await openPlace(server.url, application);
  const load = startLoad(place, loadOptions);
  context.defer(() => load.close());
  for (let round = 1; round <= context.times; round++) {
    await context.attempt(async (lose) => {
      const begun = load.clients.map((client) => client.users.length);
      load.resume();
      await sleep(50 + Math.random() * 300);
      server.signal('SIGKILL');
      await server.exited;
      await load.pause();
      server = await start();
      place.url = server.url;
      const took = readyMs.at(-1) ?? 0;
      if (took > READY_MS) lose(`ready after ${Math.round(took)} ms`);
      for (const problem of inspectFile(databaseUrl.slice('sqlite:'.length))) lose(problem);
      const recent = await checkAll(load, (client) => {
        const from = begun[load.clients.indexOf(client)] ?? 0;
        return [...client.users.slice(0, Math.min(from, SAMPLE)), ...client.users.slice(from)];
      });
      for (const loss of [...recent, ...load.unexpected.splice(0)]) lose(loss);
      if (round < context.times) return;
      for (const loss of await checkAll(load)) lose(`at the end, ${loss}`);
    });
  }
  const { acknowledged, unknown } = load.counts();
  if (unknown < context.times) throw new Error('Hardly anything was in flight when the process was killed.');
  context.report(`${acknowledged} acts acknowledged, ${unknown} unknown`);
  const measure = isBusy() ? ' of processor time (a busy machine)' : '';
  context.report(`ready in ${worst(readyMs.slice(1))} ms${measure}`);
}

function isBusy(): boolean {
  return (loadavg()[0] ?? 0) > availableParallelism();
}
