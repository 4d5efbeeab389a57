import { setTimeout as sleep } from 'node:timers/promises';
import { readEventId } from '../../packages/server/src/domain/events/public-event.ts';
import { createKeyring } from '../../packages/server/src/domain/keyring.ts';
import { createWebhook } from '../../packages/server/src/domain/webhooks/manage-webhooks.ts';
import { storageDriver } from '../../packages/server/src/storage/open.ts';
import { type Responder, startReceiver } from '../../packages/server/test/events/receiver.ts';
import { freePort } from '../../packages/server/test/free-port.ts';
import { SECRET } from '../../packages/server/test/http/start.ts';
import type { ServeProcess } from '../../packages/server/test/operations/serve-process.ts';
import { askPostgres } from '../ask-postgres.ts';
import type { Campaign, CampaignContext } from '../campaign.ts';
import { openPlace } from '../client.ts';
import { postgresFor } from '../databases.ts';
import { startLoad } from '../load.ts';
import { inTurn } from '../rotation.ts';
import { SETTINGS, setStage } from '../stage.ts';
import { startReplica } from '../start-replica.ts';
import { worst } from '../worst.ts';

const CLIENTS = 6;
const STAY_MS = 100;
/** A killed replica holds its webhooks for 25 s; failed deliveries are retried after 5 s. */
const TIMEOUT_MS = 60_000;
/** Each webhook mishandles one in this many events. */
const EVERY = 10;
/** What a process may have sent without having recorded it. */
const IN_FLIGHT = 128;

export const webhooks: Campaign = {
  name: 'webhooks',
  title:
    'one of two replicas on PostgreSQL is killed during deliveries to five webhooks: steady, slow, failing, resetting, redirecting',
  promise:
    'every event reaches every webhook, those of a user in order while the webhook is healthy; only what was in flight comes twice',
  operatorSees: 'the restart; `innkeeper_webhook_lag_seconds` for at most 30 s',
  unit: 'kills',
  times: { short: 2, full: 20 },
  run: (context) => run(context, async () => {}),
  control: {
    what: 'deliveries that end with their process',
    times: 1,
    run: (context) =>
      run(context, async (databaseUrl) => {
        await askPostgres(databaseUrl, 'delete from webhook_deliveries where ended_at is null');
      }),
  },
};

/** How a webhook mishandles an event, the first time. */
const BEHAVIOURS: Record<string, Responder> = {
  steady: () => 204,
  slow: () => sleep(150, 204),
  failing: () => 500,
  resetting(_, response) {
    response.destroy();
    return undefined;
  },
  redirecting(_, response) {
    response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
    return undefined;
  },
};
const HEALTHY = ['steady', 'slow'];

type Endpoint = { behaviour: string; url: string; arrived: Set<number>; order: number[]; twice: number };

async function run(context: CampaignContext, afterKill: (databaseUrl: string) => Promise<void>): Promise<void> {
  const postgres = await postgresFor(context);
  const databaseUrl = await postgres.createDatabase();
  const application = await setStage(databaseUrl);
  const endpoints = await Promise.all(Object.keys(BEHAVIOURS).map((behaviour) => openEndpoint(context, behaviour)));
  await register(databaseUrl, Number(application.clientId.split('_')[0]), endpoints);
  const start = (port: number): Promise<ServeProcess> =>
    startReplica({ settings: { ...SETTINGS, databaseUrl, port: String(port), webhooksAllow: '127.0.0.1' } });
  const replicas = [await start(await freePort()), await start(await freePort())];
  context.defer(() => replicas.map((replica) => replica.signal('SIGKILL')));
  const rotation = new Set(replicas.map(({ url }) => url));
  const place = inTurn(await openPlace((replicas[0] as ServeProcess).url, application), rotation);
  const load = startLoad(place, { clients: CLIENTS, stayMs: STAY_MS });
  context.defer(() => load.close());
  const caughtUpMs: number[] = [];
  let events = new Map<number, string>();

  for (let round = 1; round <= context.times; round++) {
    await context.attempt(async (lose) => {
      load.resume();
      await sleep(500 + Math.random() * 1_000);
      const killed = replicas[round % replicas.length] as ServeProcess;
      rotation.delete(killed.url);
      killed.signal('SIGKILL');
      const killedAt = performance.now();
      await killed.exited;
      await afterKill(databaseUrl);
      await sleep(300);
      await load.pause();
      replicas[round % replicas.length] = await start(killed.port);
      rotation.add(killed.url);
      events = await eventsIn(databaseUrl);
      const missing = (): string[] =>
        endpoints.flatMap(({ behaviour, arrived }) => {
          const count = [...events.keys()].filter((no) => !arrived.has(no)).length;
          return count === 0 ? [] : [`${count} of ${events.size} events have not reached the ${behaviour} webhook`];
        });
      while (missing().length > 0 && performance.now() - killedAt < TIMEOUT_MS) await sleep(100);
      for (const what of missing()) lose(what);
      caughtUpMs.push(performance.now() - killedAt);
      for (const { behaviour, order } of endpoints) {
        if (HEALTHY.includes(behaviour) && !isInOrder(order, events))
          lose(`events of a user changed places: ${behaviour}`);
      }
    });
  }
  const twice = endpoints.map((endpoint) => endpoint.twice);
  if (Math.max(...twice) > IN_FLIGHT * context.times) context.lose(`${Math.max(...twice)} events came twice`);
  context.report(`${events.size} events to each of ${endpoints.length} webhooks`);
  context.report(`all there ${worst(caughtUpMs.map((ms) => ms / 1000))} s after the kill`);
  context.report(`${twice.reduce((sum, each) => sum + each, 0)} came twice`);
}

async function openEndpoint(context: CampaignContext, behaviour: string): Promise<Endpoint> {
  const endpoint: Endpoint = { behaviour, url: '', arrived: new Set(), order: [], twice: 0 };
  const tried = new Set<number>();
  const answer: Responder = async (received, response) => {
    const no = readEventId((JSON.parse(received.body) as { id: string }).id) ?? 0;
    const isBad = !HEALTHY.includes(behaviour) && no % EVERY === 0 && !tried.has(no);
    tried.add(no);
    if (isBad) return (BEHAVIOURS[behaviour] as Responder)(received, response);
    if (endpoint.arrived.has(no)) endpoint.twice++;
    else endpoint.order.push(no);
    endpoint.arrived.add(no);
    return HEALTHY.includes(behaviour) ? (BEHAVIOURS[behaviour] as Responder)(received, response) : 204;
  };
  const receiver = await startReceiver({ answer });
  context.defer(() => receiver.close());
  endpoint.url = receiver.url;
  return endpoint;
}

async function register(databaseUrl: string, appId: number, endpoints: Endpoint[]): Promise<void> {
  const storage = await (await storageDriver(databaseUrl)).open();
  try {
    const service = { storage, keyring: createKeyring(SECRET), now: Date.now };
    for (const { url, behaviour } of endpoints) {
      await createWebhook(service, { appId }, { url, types: [], description: behaviour, maxPerSecond: null });
    }
  } finally {
    await storage.close();
  }
}

/** The user of each event, by number. */
async function eventsIn(databaseUrl: string): Promise<Map<number, string>> {
  const rows = (await askPostgres(databaseUrl, 'select no, user_id from events where user_id is not null')) as {
    no: string;
    user_id: string;
  }[];
  return new Map(rows.map(({ no, user_id }) => [Number(no), user_id]));
}

function isInOrder(order: readonly number[], events: ReadonlyMap<number, string>): boolean {
  const last = new Map<string, number>();
  return order.every((no) => {
    const user = events.get(no);
    if (user === undefined) return true;
    const isLater = no > (last.get(user) ?? 0);
    last.set(user, no);
    return isLater;
  });
}
