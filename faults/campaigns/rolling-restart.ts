import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../packages/server/test/free-port.ts';
import { basic } from '../../packages/server/test/http/start.ts';
import { send } from '../../packages/server/test/operations/load.ts';
import type { ServeProcess } from '../../packages/server/test/operations/serve-process.ts';
import type { Campaign, CampaignContext } from '../campaign.ts';
import { Client, isDone, openPlace, type Place } from '../client.ts';
import { postgresFor } from '../databases.ts';
import { checkAll, startLoad } from '../load.ts';
import { inTurn } from '../rotation.ts';
import { publishText, SETTINGS, setStage } from '../stage.ts';
import { startReplica } from '../start-replica.ts';
import { worst } from '../worst.ts';

const REPLICAS = 3;
const CLIENTS = 12;
const KNOWN_MS = 1_000;
const GIVEN_UP_MS = 5_000;

export const rollingRestart: Campaign = {
  name: 'rolling-restart',
  title: `${REPLICAS} replicas on one PostgreSQL, each in turn taken out of rotation, stopped with SIGTERM and started again, under mixed load`,
  promise: 'every request gets a response, none a 5xx; every replica knows a new catalog or a revoked token within 1 s',
  operatorSees: '`/readyz` 503 at the stopping replica',
  unit: 'rounds of 3 restarts',
  times: { short: 2, full: 20 },
  run: (context) => run(context, 'SIGTERM'),
  control: {
    what: 'replicas killed while in rotation',
    times: 1,
    run: (context) => run(context, 'SIGKILL'),
  },
};

async function run(context: CampaignContext, how: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  const postgres = await postgresFor(context);
  const databaseUrl = await postgres.createDatabase();
  const application = await setStage(databaseUrl);
  let again = 0;
  const start = (port: number): Promise<ServeProcess> =>
    startReplica({ settings: { ...SETTINGS, databaseUrl, port: String(port) } }, () => again++);
  const replicas: ServeProcess[] = [];
  context.defer(() => replicas.map((replica) => replica.signal('SIGKILL')));
  while (replicas.length < REPLICAS) replicas.push(await start(await freePort()));
  const place = await openPlace((replicas[0] as ServeProcess).url, application);
  const rotation = new Set(replicas.map(({ url }) => url));
  const load = startLoad(inTurn(place, rotation), { clients: CLIENTS });
  context.defer(() => load.close());
  const knownMs: number[] = [];
  const revokedMs: number[] = [];

  for (let round = 1; round <= context.times; round++) {
    await context.attempt(async (lose) => {
      const { unknown, refused } = load.counts();
      load.resume();
      for (const [index, replica] of replicas.entries()) {
        if (how === 'SIGTERM') rotation.delete(replica.url);
        await sleep(200);
        replica.signal(how);
        const { code } = await replica.exited;
        if (how === 'SIGTERM' && code !== 0) lose(`a replica ended with ${code}: ${replica.stderr()}`);
        replicas[index] = await start(replica.port);
        rotation.add(replica.url);
      }
      const urls = replicas.map(({ url }) => url);
      knownMs.push(await untilKnown(databaseUrl, place, urls, `privacy, round ${round}`));
      revokedMs.push(await untilRevoked(place, urls));
      await load.pause();
      const late = [knownMs.at(-1) ?? 0, revokedMs.at(-1) ?? 0].filter((ms) => ms > KNOWN_MS);
      for (const ms of late) lose(`a change is known everywhere after ${Math.round(ms)} ms`);
      const now = load.counts();
      if (now.unknown > unknown) lose(`${now.unknown - unknown} requests without a response, or with 5xx`);
      if (now.refused > refused) lose(`${now.refused - refused} requests refused`);
      const losses = await checkAll(load, ({ users }) => (round === context.times ? users : users.slice(-20)));
      for (const loss of [...losses, ...load.unexpected.splice(0)]) lose(loss);
    });
  }
  context.report(`${load.counts().acknowledged} acts acknowledged`);
  if (again > 0) context.report(`${again} starts were tried again`);
  context.report(`a catalog known everywhere after ${worst(knownMs)} ms, a revoked token after ${worst(revokedMs)} ms`);
}

async function untilKnown(databaseUrl: string, place: Place, urls: string[], text: string): Promise<number> {
  await publishText(databaseUrl, place.application, text);
  return untilEverywhere(urls, async (url) => {
    const headers = { apiKey: place.application.clientId };
    const response = await fetch(`${url}/api/option_groups?language=en`, { headers });
    return (await response.text()).includes(text);
  });
}

async function untilRevoked(place: Place, urls: string[]): Promise<number> {
  const client = new Client({ ...place, url: urls[0] as string });
  const user = await client.create();
  await client.exchange(user);
  const [form, body] = ['application/x-www-form-urlencoded', `token=${user.accessToken}`];
  const headers = { ...basic(place.application), 'content-type': form };
  const revoked = await send('POST', `${urls[0]}/oauth/v2/revoke`, body, { headers });
  if (!isDone(revoked)) throw new Error('The token could not be revoked.');
  client.close();
  return untilEverywhere(urls, async (url) => {
    const found = await send('POST', `${url}/oauth/v2/introspect`, body, { headers });
    return isDone(found) && found.body.active === false;
  });
}

async function untilEverywhere(urls: string[], isKnown: (url: string) => Promise<boolean>): Promise<number> {
  const before = performance.now();
  await Promise.all(
    urls.map(async (url) => {
      while (!(await isKnown(url)) && performance.now() - before < GIVEN_UP_MS) await sleep(20);
    }),
  );
  return performance.now() - before;
}
