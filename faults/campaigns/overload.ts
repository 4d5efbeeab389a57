import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from '../../packages/server/test/operations/serve-process.ts';
import type { Campaign, Ground } from '../campaign.ts';
import { startNaiveServer } from '../controls/naive-server.ts';
import { sqliteIn } from '../databases.ts';
import { openPlace, type Place } from '../guest.ts';
import { checkAll, type Load, startLoad } from '../load.ts';
import { end } from '../race-field.ts';
import { SETTINGS, setStage } from '../stage.ts';
import { watchLiveness } from '../watch-liveness.ts';
import { worst } from '../worst.ts';

/** As many as keep the service busy, and ten times as many, who do not wait between requests. */
const CLIENTS = 64;
const TIMES_AS_MANY = 10;
const PATIENCE_MS = 5_000;
const SPELL_MS = 10_000;
const LEAST = 0.8;
const LIVE_MS = 2_000;
/** Of the users made meanwhile, one in so many is looked at. */
const SAMPLE = 20;

export const overload: Campaign = {
  name: 'overload',
  title: `${CLIENTS * TIMES_AS_MANY} clients with mixed load, none of whom waits, where ${CLIENTS} keep the service busy; clients wait 5 s for an answer. SQLite`,
  promise:
    'goodput is at least 80 % of that with a tenth of the clients, who is turned away gets 429 or 503 with Retry-After, /livez answers in 2 s, and 10 s later all is as before',
  unit: 'spells of 10 s',
  times: { short: 1, full: 12 },
  async run(ground) {
    const databaseUrl = sqliteIn(ground.folder);
    const application = await setStage(databaseUrl);
    const server = await serve({ settings: { ...SETTINGS, logLevel: 'fatal', databaseUrl } });
    ground.defer(() => end(server));
    await run(ground, await openPlace(server.url, application));
  },
  control: {
    what: 'a server that takes the longer, the more wait',
    times: 1,
    async run(ground) {
      const naive = await startNaiveServer({ slowsDown: true });
      ground.defer(() => naive.close());
      await run(ground, naive.place);
    },
  },
};

async function run(ground: Ground, place: Place): Promise<void> {
  const [few, many] = [CLIENTS, CLIENTS * TIMES_AS_MANY].map((clients) => {
    const load = startLoad(place, { clients, patienceMs: PATIENCE_MS });
    ground.defer(() => load.close());
    return load;
  }) as [Load, Load];
  const capacity = async (): Promise<number> => {
    few.resume();
    await sleep(1_000);
    const rate = await goodput(few, SPELL_MS / 2);
    await few.pause();
    return rate;
  };
  const before = await capacity();
  const endWatch = watchLiveness(place.url);
  many.resume();
  await sleep(1_000);
  const shares: number[] = [];
  for (let spell = 0; spell < ground.times; spell++) {
    await ground.attempt(async (lose) => {
      const share = (await goodput(many, SPELL_MS)) / before;
      shares.push(share);
      if (share < LEAST) lose(`goodput is ${Math.round(share * 100)} %`);
    });
  }
  const liveMs = await endWatch();
  await many.pause();
  const after = await capacity();
  const slowest = Math.max(...liveMs);
  if (slowest > LIVE_MS) ground.lose(`/livez took ${Math.round(slowest)} ms`);
  if (after < LEAST * before) ground.lose(`afterwards goodput is ${Math.round((after / before) * 100)} %`);
  for (const client of many.clients) if (client.withoutRetryAfter > 0) ground.lose('no Retry-After');
  for (const loss of [
    ...(await checkAll(many, ({ guests }) => guests.filter((_, index) => index % SAMPLE === 0))),
    ...many.surprises,
  ]) {
    ground.lose(loss);
  }
  const { refused, unknown } = many.counts();
  ground.tell(`${Math.round(before)} acts a second with ${CLIENTS} clients`);
  ground.tell(`${worst(shares.map((share) => -share * 100)).replaceAll('-', '')} % of that under overload`);
  ground.tell(`${refused + unknown} turned away or unanswered, ${Math.round((after / before) * 100)} % afterwards`);
  ground.tell(`/livez in ${worst(liveMs)} ms`);
}

async function goodput(load: Load, ms: number): Promise<number> {
  const [before, began] = [load.counts().acknowledged, performance.now()];
  await sleep(ms);
  return ((load.counts().acknowledged - before) / (performance.now() - began)) * 1000;
}
