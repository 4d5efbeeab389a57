import { setTimeout as sleep } from 'node:timers/promises';
import { residentMegabytes } from '../../bench/service.ts';
import { type ServeOptions, serve } from '../../packages/server/test/operations/serve-process.ts';
import type { Campaign, Ground } from '../campaign.ts';
import { sqliteIn } from '../databases.ts';
import { openPlace } from '../guest.ts';
import { checkAll, startLoad } from '../load.ts';
import { end } from '../race-field.ts';
import { SETTINGS, setStage } from '../stage.ts';

/** Some 200 acts a second: a steady load that leaves a machine of two cores to others, too. */
const CLIENTS = 16;
const STAY_MS = 560;
/** The data stays of one size, so that what grows is not what is mapped or cached of it. */
const KEEPS = 200;
/** Of the time, for caches and compilers to come to rest. */
const WARM_UP = 0.3;
/** In the long form a tenth of a per cent can be told from noise; in a minute only a leak that runs away. */
const MOST_AN_HOUR = 0.01;
const MOST_OF_A_SHORT_ONE = 0.3;
/** Of the users, one in so many is looked at in the end. */
const SAMPLE = 50;
const MINUTE_MS = 60_000;

/** For the runtime: all garbage is collected twice a minute, in every thread, so that what is left is what is kept. */
const COLLECTS = [
  '--expose-gc',
  '--import',
  `data:text/javascript,${encodeURIComponent('setInterval(() => globalThis.gc(), 30_000).unref();')}`,
];

/** For the runtime: keeps some of every request for ever. */
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
    'mixed load of some 200 acts a second for an hour, on data of one size, SQLite; the short form is a minute long and finds only a leak that runs away',
  promise:
    'after warm-up, the resident memory grows by less than 1 % an hour (least of each minute, with a full garbage collection twice a minute; short form: the second half of the rest has no more than 30 % above the first), nothing is written to standard error, nothing is lost',
  unit: 'minutes',
  times: { short: 1, full: 60 },
  run: (ground) => run(ground, { nodeArgs: COLLECTS }, ground.times * MINUTE_MS),
  control: {
    what: 'a service that keeps 200 kB of every request, for 20 s',
    times: 1,
    run: (ground) => run(ground, { nodeArgs: ['--import', LEAKS] }, 20_000),
  },
};

async function run(ground: Ground, how: ServeOptions, ms: number): Promise<void> {
  const databaseUrl = sqliteIn(ground.folder);
  const application = await setStage(databaseUrl);
  const server = await serve({ ...how, settings: { ...SETTINGS, databaseUrl } });
  ground.defer(() => end(server));
  const load = startLoad(await openPlace(server.url, application), { clients: CLIENTS, stayMs: STAY_MS, keeps: KEEPS });
  ground.defer(() => load.close());
  load.resume();
  const began = performance.now();
  const samples: Sample[] = [];
  const sampleUntil = async (until: number): Promise<void> => {
    while (performance.now() - began < until) {
      await sleep(Math.min(1_000, ms / 40));
      samples.push({ ms: performance.now() - began, megabytes: await residentMegabytes(server) });
    }
  };
  for (let minute = 1; minute <= ground.times; minute++) {
    await ground.attempt(async (lose) => {
      await sampleUntil((ms / ground.times) * minute);
      for (const surprise of load.surprises.splice(0)) lose(surprise);
      if (server.stderr() !== '') lose(server.stderr().slice(0, 500));
    });
  }
  await load.pause();
  const losses = await checkAll(load, ({ guests }) => guests.filter((_, index) => index % SAMPLE === 0));
  for (const loss of losses) ground.lose(loss);
  const rest = samples.slice(Math.floor(samples.length * WARM_UP));
  const [first, second] = [rest.slice(0, rest.length / 2), rest.slice(rest.length / 2)].map(meanOf) as [number, number];
  ground.tell(`${load.counts().acknowledged} acts acknowledged`);
  ground.tell(`${first.toFixed(0)} MB, then ${second.toFixed(0)} MB`);
  if (ms >= 60 * MINUTE_MS) {
    const [least, all] = [growthOf(leastOfMinutes(rest)), growthOf(rest)];
    ground.tell(`slope ${percent(least)} an hour (all that was seen in between: ${percent(all)})`);
    if (least > MOST_AN_HOUR) ground.lose(`memory grows by ${percent(least)} an hour`);
  } else if (second > first * (1 + MOST_OF_A_SHORT_ONE)) {
    ground.lose(`memory grew from ${first.toFixed(0)} to ${second.toFixed(0)} MB`);
  }
}

type Sample = { ms: number; megabytes: number };

function meanOf(samples: Sample[]): number {
  return samples.reduce((sum, { megabytes }) => sum + megabytes, 0) / samples.length;
}

function leastOfMinutes(samples: Sample[]): Sample[] {
  const minutes = Map.groupBy(samples, ({ ms }) => Math.floor(ms / MINUTE_MS));
  return [...minutes.values()].map((minute) =>
    minute.reduce((least, each) => (each.megabytes < least.megabytes ? each : least)),
  );
}

/** By least squares: the share of the mean by which it grows in an hour. */
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
