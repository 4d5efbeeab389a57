import { setTimeout as sleep } from 'node:timers/promises';
import { residentMegabytes } from '../../bench/service.ts';
import { type ServeOptions, serve } from '../../packages/server/test/operations/serve-process.ts';
import type { Campaign, Ground } from '../campaign.ts';
import { sqliteIn } from '../databases.ts';
import { openPlace } from '../guest.ts';
import { checkAll, startLoad } from '../load.ts';
import { end } from '../race-field.ts';
import { SETTINGS, setStage } from '../stage.ts';

const CLIENTS = 4;
/** Of the time, for caches and compilers to come to rest. */
const WARM_UP = 0.3;
/** In the long form a tenth of a per cent can be told from noise; in a minute only a leak that runs away. */
const MOST_AN_HOUR = 0.01;
const MOST_OF_A_SHORT_ONE = 0.3;
/** Of the users, one in so many is looked at in the end. */
const SAMPLE = 50;

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
  title: 'mixed load for an hour, SQLite; the short form is a minute long and finds only a leak that runs away',
  promise:
    'after warm-up, memory grows by less than 1 % an hour (short form: the second half of the rest has no more than 30 % above the first), nothing is written to standard error, nothing is lost',
  unit: 'minutes',
  times: { short: 1, full: 60 },
  run: (ground) => run(ground, {}, ground.times * 60_000),
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
  const load = startLoad(await openPlace(server.url, application), { clients: CLIENTS });
  ground.defer(() => load.close());
  load.resume();
  const began = performance.now();
  const samples: { hours: number; megabytes: number }[] = [];
  const sampleUntil = async (until: number): Promise<void> => {
    while (performance.now() - began < until) {
      await sleep(Math.min(1_000, ms / 40));
      const hours = (performance.now() - began) / 3_600_000;
      samples.push({ hours, megabytes: await residentMegabytes(server) });
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
  const anHour = slopeOf(rest) / first;
  ground.tell(`${load.counts().acknowledged} acts acknowledged`);
  ground.tell(`${first.toFixed(0)} MB, then ${second.toFixed(0)} MB`);
  if (ms >= 3_600_000) {
    ground.tell(`slope ${(anHour * 100).toFixed(2)} % an hour`);
    if (anHour > MOST_AN_HOUR) ground.lose(`memory grows by ${(anHour * 100).toFixed(2)} % an hour`);
  } else if (second > first * (1 + MOST_OF_A_SHORT_ONE)) {
    ground.lose(`memory grew from ${first.toFixed(0)} to ${second.toFixed(0)} MB`);
  }
}

function meanOf(samples: { megabytes: number }[]): number {
  return samples.reduce((sum, { megabytes }) => sum + megabytes, 0) / samples.length;
}

/** By least squares, in megabytes an hour. */
function slopeOf(samples: { hours: number; megabytes: number }[]): number {
  const hours = samples.reduce((sum, each) => sum + each.hours, 0) / samples.length;
  const megabytes = meanOf(samples);
  const above = samples.reduce((sum, each) => sum + (each.hours - hours) * (each.megabytes - megabytes), 0);
  const below = samples.reduce((sum, each) => sum + (each.hours - hours) ** 2, 0);
  return above / below;
}
