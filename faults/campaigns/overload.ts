import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from '../../packages/server/test/operations/serve-process.ts';
import { type Arrivals, type Ended, openArrivals } from '../arrivals.ts';
import type { Campaign, CampaignContext } from '../campaign.ts';
import { Client, isDone, openPlace, type Place } from '../client.ts';
import { startNaiveServer } from '../controls/naive-server.ts';
import { sqliteIn } from '../databases.ts';
import { end } from '../race-field.ts';
import { SETTINGS, setStage } from '../stage.ts';
import { watchLiveness } from '../watch-liveness.ts';
import { worst } from '../worst.ts';

/**
 * Enough connections to keep the service busy, each sending the next request after its response: the result is its
 * capacity.
 */
const CLIENTS = 64;
const TIMES_AS_MUCH = 10;
/**
 * For clients that do not wait for others, and give up after a while: more than can be answered while they wait for
 * their turn.
 */
const CONNECTIONS = 6_000;
const TIMEOUT_MS = 5_000;
const SPELL_MS = 10_000;
const RECOVERY_MS = 10_000;
/** Paused connections of refused clients are resumed by then. */
const SETTLE_MS = 4_000;
const LEAST = 0.8;
const LIVE_MS = 2_000;
/** Users who save and read. */
const USERS = 50;
type Flood = { ms: number; connections: number };
const FLOOD: Flood = { ms: SPELL_MS, connections: CONNECTIONS };
/** In the control, a second with a few hundred shows it. */
const CONTROL: Flood = { ms: 3_000, connections: 500 };

export const overload: Campaign = {
  name: 'overload',
  title: `clients try ten times what the service can handle (creates, saves, reads) on only ${CONNECTIONS} connections, so slightly more than its capacity arrives; they give up after ${TIMEOUT_MS / 1000} s and ignore Retry-After. On SQLite`,
  promise:
    'goodput is at least 80 % of capacity (with 64 busy connections), all other requests get 429 or 503 with Retry-After in time, `/livez` responds within 2 s, capacity recovers within 10 s',
  operatorSees: '503 (9503), a high `innkeeper_waiting_acts`; `/livez` stays 200',
  unit: 'spells of 10 s',
  times: { short: 1, full: 12 },
  async run(context) {
    const databaseUrl = sqliteIn(context.folder);
    const application = await setStage(databaseUrl);
    const server = await serve({ settings: { ...SETTINGS, logLevel: 'fatal', databaseUrl } });
    context.defer(() => end(server));
    await run(context, await openPlace(server.url, application), FLOOD);
  },
  control: {
    what: 'a server that slows down as its queue grows',
    times: 1,
    async run(context) {
      const naive = await startNaiveServer({ slowsDown: true });
      context.defer(() => naive.close());
      await run(context, naive.place, CONTROL);
    },
  },
};

async function run(context: CampaignContext, place: Place, { ms, connections }: Flood): Promise<void> {
  const caller = new Client(place);
  context.defer(() => caller.close());
  const users = await Promise.all(Array.from({ length: USERS }, () => signedIn(caller)));
  const open = async (count: number): Promise<Arrivals> => {
    const arrivals = await openArrivals({ place, users, connections: count, timeoutMs: TIMEOUT_MS });
    context.defer(() => arrivals.close());
    return arrivals;
  };
  const few = await open(CLIENTS);
  const capacity = async (): Promise<number> => (await few.spell({ ms: ms / 2 })).acknowledged / (ms / 2000);
  await capacity();
  const before = await capacity();
  const capacities = [before];
  const endWatch = watchLiveness(place.url);
  const many = await open(connections);
  const spells: Ended[] = [];
  const shares: number[] = [];
  for (let spell = 0; spell < context.times; spell++) {
    await context.attempt(async (lose) => {
      const ended = await many.spell({ ms, rate: before * TIMES_AS_MUCH });
      spells.push(ended);
      // Other work on the machine changes what it can do within a minute: compared with just before and just after.
      await sleep(SETTLE_MS);
      capacities.push(await capacity());
      const share = ended.acknowledged / (ms / 1000) / meanOf(capacities.slice(-2));
      shares.push(share);
      if (share < LEAST) lose(`goodput is ${Math.round(share * 100)} %`);
      if (ended.unanswered > 0) lose(`${ended.unanswered} of ${ended.sent} requests were not answered in time`);
      for (const [status, count] of Object.entries(ended.others)) lose(`${count} × ${status}`);
    });
  }
  const liveMs = await endWatch();
  await many.close();
  const over = performance.now();
  let after = await capacity();
  while (after < LEAST * before && performance.now() - over < RECOVERY_MS) after = await capacity();
  const slowest = Math.max(...liveMs);
  if (slowest > LIVE_MS) context.lose(`/livez took ${Math.round(slowest)} ms`);
  if (after < LEAST * before) context.lose(`afterwards capacity is ${Math.round((after / before) * 100)} %`);
  for (const name of spells.flatMap(({ users }) => users)) {
    const outcome = await caller.ask({ name, exists: 'yes', selections: new Map() });
    if (!isDone(outcome)) context.lose(`an acknowledged user is gone: ${name}`);
  }
  const sum = (count: (ended: Ended) => number): number => spells.reduce((total, ended) => total + count(ended), 0);
  const sent = sum((ended) => ended.sent);
  const perSecond = Math.round(sent / ((ms / 1000) * spells.length));
  const [least, most] = [Math.min(...capacities), Math.max(...capacities)].map(Math.round);
  context.report(`capacity ${least} to ${most} requests a second; ${perSecond} a second arrived`);
  context.report(`goodput ${worst(shares.map((share) => -share * 100)).replaceAll('-', '')} % of capacity`);
  context.report(`${sum((ended) => ended.turnedAway)} refused, ${sum((ended) => ended.unanswered)} unanswered`);
  context.report(`${sum((ended) => ended.unsent)} had to wait for a connection`);
  context.report(`/livez in ${worst(liveMs)} ms; ${Math.round((after / before) * 100)} % of capacity afterwards`);
}

function meanOf(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

async function signedIn(client: Client): Promise<{ code: string; accessToken: string }> {
  const user = await client.create();
  await client.exchange(user);
  if (user.code === undefined || user.accessToken === undefined) throw new Error('Nobody could sign in.');
  return { code: user.code, accessToken: user.accessToken };
}
