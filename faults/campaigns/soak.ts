import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { residentMegabytes } from '../../bench/service.ts';
import { serve } from '../../packages/server/test/operations/serve-process.ts';
import type { Campaign, CampaignContext } from '../campaign.ts';
import { openPlace } from '../client.ts';
import { sqliteIn } from '../databases.ts';
import { checkAll, startLoad } from '../load.ts';
import { end } from '../race-field.ts';
import { SETTINGS, setStage } from '../stage.ts';

/** About 200 requests a second: a steady load that leaves room on a machine of two cores. */
const CLIENTS = 16;
const STAY_MS = 560;
/** The data stays the same size, so that growth is not just mapped or cached data. */
const KEEPS = 200;
/** The share of the time for caches and compilers to settle. */
const WARM_UP = 0.3;
/** Long enough to tell retained memory from noise; a minute only shows a severe leak. */
const LONG_MS = 20 * 60_000;
const MAX_PER_HOUR = 0.01;
/** SQLite's cache fills and is released, in cycles of about twenty minutes: resident memory goes up and down with it. */
const MAX_RESIDENT = 0.05;
const MAX_GROWTH_OF_SHORT_RUN = 0.3;
/** At the end, one in this many users is checked. */
const SAMPLE = 50;
const MINUTE_MS = 60_000;
const COLLECT_MS = 30_000;

/** Loaded into the runtime: twice a minute, each thread runs a full garbage collection and reports what is left. */
const collects = (file: string): string[] => [
  '--expose-gc',
  '--import',
  `data:text/javascript,${encodeURIComponent(`
    import { appendFileSync } from 'node:fs';
    import { threadId } from 'node:worker_threads';
    setInterval(() => {
      globalThis.gc();
      const { heapUsed, external } = process.memoryUsage();
      appendFileSync(${JSON.stringify(file)}, [threadId, heapUsed + external].join(' ') + '\\n');
    }, ${COLLECT_MS}).unref();
  `)}`,
];

/** Loaded into the runtime: keeps a part of every request forever. */
const LEAKS = `data:text/javascript,${encodeURIComponent(`
  import { createServer, Server } from 'node:http';
  const kept = [];
  const { emit } = Server.prototype;
  Server.prototype.emit = function (event, ...rest) {
    if (event === 'request') kept.push(Buffer.alloc(200_000, 1));
    return emit.call(this, event, ...rest);
  };
`)}`;

export const soak: Campaign = {
  name: 'soak',
  title:
    'mixed load of about 200 acts a second for an hour on SQLite, with data of constant size; the short form takes a minute and finds only fast leaks',
  promise:
    'after warm-up, memory after a full collection grows by less than 1 % an hour, and peak resident memory of the second half is at most 5 % above the first (short form: the mean, 30 %); standard error stays empty',
  operatorSees: 'flat `process_resident_memory_bytes` and `nodejs_heap_size_used_bytes`',
  unit: 'minutes',
  times: { short: 1, full: 60 },
  run: (context) => run(context, [], context.times * MINUTE_MS),
  control: {
    what: 'a service that keeps 200 kB of every request',
    times: 1,
    run: (context) => run(context, ['--import', LEAKS], 20_000),
  },
};

async function run(context: CampaignContext, nodeArgs: string[], ms: number): Promise<void> {
  const databaseUrl = sqliteIn(context.folder);
  const application = await setStage(databaseUrl);
  const kept = join(context.folder, 'kept');
  const server = await serve({ nodeArgs: [...collects(kept), ...nodeArgs], settings: { ...SETTINGS, databaseUrl } });
  context.defer(() => end(server));
  const load = startLoad(await openPlace(server.url, application), { clients: CLIENTS, stayMs: STAY_MS, keeps: KEEPS });
  context.defer(() => load.close());
  load.resume();
  const began = performance.now();
  const samples: Sample[] = [];
  const sampleUntil = async (until: number): Promise<void> => {
    while (performance.now() - began < until) {
      await sleep(Math.min(1_000, ms / 40));
      samples.push({ ms: performance.now() - began, megabytes: await residentMegabytes(server) });
    }
  };
  for (let minute = 1; minute <= context.times; minute++) {
    await context.attempt(async (lose) => {
      await sampleUntil((ms / context.times) * minute);
      for (const finding of load.unexpected.splice(0)) lose(finding);
      if (server.stderr() !== '') lose(server.stderr().slice(0, 500));
    });
  }
  await load.pause();
  const losses = await checkAll(load, ({ users }) => users.filter((_, index) => index % SAMPLE === 0));
  for (const loss of losses) context.lose(loss);
  const rest = afterWarmUp(samples);
  const halves = [rest.slice(0, rest.length / 2), rest.slice(rest.length / 2)] as const;
  const [first, second] = halves.map((half) => meanOf(half)) as [number, number];
  context.report(`${load.counts().acknowledged} acts acknowledged`);
  context.report(`resident ${first.toFixed(0)} MB, then ${second.toFixed(0)} MB`);
  if (ms < LONG_MS) {
    if (second > first * (1 + MAX_GROWTH_OF_SHORT_RUN)) {
      context.lose(`memory grew from ${first.toFixed(0)} to ${second.toFixed(0)} MB`);
    }
    return;
  }
  const [before, after] = halves.map((half) => Math.max(...half.map(({ megabytes }) => megabytes))) as [number, number];
  context.report(`at most ${before.toFixed(0)} MB, then ${after.toFixed(0)} MB`);
  if (after > before * (1 + MAX_RESIDENT)) context.lose(`at most ${before} MB are resident at first, then ${after} MB`);
  const left = afterWarmUp(await readKept(kept));
  const growth = growthOf(left);
  context.report(`${meanOf(left).toFixed(1)} MB kept after collections, slope ${percent(growth)} an hour`);
  if (growth > MAX_PER_HOUR) context.lose(`what is kept grows by ${percent(growth)} an hour`);
}

type Sample = { ms: number; megabytes: number };

/** What all threads retained together, each time. */
async function readKept(file: string): Promise<Sample[]> {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  const threads = [...Map.groupBy(lines, (line) => line.split(' ')[0]).values()];
  return Array.from({ length: Math.min(...threads.map(({ length }) => length)) }, (_, index) => {
    const bytes = threads.reduce((sum, ofThread) => sum + Number(ofThread[index]?.split(' ')[1]), 0);
    return { ms: index * COLLECT_MS, megabytes: bytes / 1024 ** 2 };
  });
}

function afterWarmUp(samples: Sample[]): Sample[] {
  return samples.slice(Math.floor(samples.length * WARM_UP));
}

function meanOf(samples: Sample[]): number {
  return samples.reduce((sum, { megabytes }) => sum + megabytes, 0) / samples.length;
}

/** By least squares: the hourly growth as a share of the mean. */
function growthOf(samples: Sample[]): number {
  const ms = samples.reduce((sum, each) => sum + each.ms, 0) / samples.length;
  const megabytes = meanOf(samples);
  const above = samples.reduce((sum, each) => sum + (each.ms - ms) * (each.megabytes - megabytes), 0);
  const below = samples.reduce((sum, each) => sum + (each.ms - ms) ** 2, 0);
  return ((above / below) * 60 * MINUTE_MS) / megabytes;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)} %`;
}
