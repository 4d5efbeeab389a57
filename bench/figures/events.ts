import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runLoad } from '../load.ts';
import type { Operation } from '../operation.ts';
import { createUser } from '../operations/create-user.ts';
import { saveReplace } from '../operations/save.ts';
import { request } from '../request.ts';
import type { Figure } from '../results.ts';
import { sendOk } from '../send.ts';
import { innkeeper, residentMegabytes } from '../service.ts';
import { credentials, type Stage, setStage } from '../stage.ts';

type Conditions = { rounds: number; seconds: number; folder: string };

const USERS = 2_000;
const CONNECTIONS = 32;
const STREAMS = 5_000;
const CREATES = 30_000;
/** Until a service knows of a change made by a command. */
const NOTICED_MS = 1_500;

/**
 * What events cost: saves and creates with and without them in turns, the memory of idle streams, and how soon a webhook
 * and a stream get an event at about a thousand saves a second.
 */
export async function measureEvents(
  kind: string,
  newDatabase: (name: string) => Promise<string>,
  conditions: Conditions,
): Promise<Figure[]> {
  const start = async (name: string): Promise<Stage> => {
    const env = { INNKEEPER_WEBHOOKS_ALLOW: '127.0.0.1' };
    return setStage({ databaseUrl: await newDatabase(name), folder: conditions.folder, users: USERS, env });
  };
  const [on, off] = [await start(`events-on-${kind}`), await start(`events-off-${kind}`)];
  try {
    await innkeeper(['app', 'set', off.clientId, 'eventsKept=0'], off.settings);
    await sleep(NOTICED_MS);
    const figures: Figure[] = [];
    for (const operation of [saveReplace, createUser])
      figures.push({
        name: `events-${operation.name}-${kind}`,
        title: `${kind}, ${operation.title}, with events / without`,
        unit: '×',
        values: await compare(operation, [on, off], conditions),
      });
    figures.push({
      name: `stream-memory-${kind}`,
      title: `${kind}, memory of an idle stream among ${STREAMS.toLocaleString('en')}`,
      unit: 'kB',
      values: [await memoryOfStreams(on)],
    });
    return [...figures, ...(await measureArrival(kind, on, conditions))];
  } finally {
    await on.stop();
    await off.stop();
  }
}

/** In turns, so that other work on the machine affects both the same way. */
async function compare(
  operation: Operation,
  [on, off]: [Stage, Stage],
  { rounds, seconds, folder }: Conditions,
): Promise<number[]> {
  const rate = async (stage: Stage): Promise<number> => {
    const requests = await operation.prepare(stage, CREATES);
    const load = { port: stage.service.port, requests, once: operation.once, seconds, connections: CONNECTIONS };
    return (await runLoad(load, join(folder, 'requests'))).rate;
  };
  const ratios: number[] = [];
  for (let round = 0; round <= rounds; round++) ratios.push((await rate(on)) / (await rate(off)));
  // The first round is a warm-up.
  return ratios.slice(1);
}

async function memoryOfStreams(stage: Stage): Promise<number> {
  const before = await residentMegabytes(stage.service.child);
  const sockets: Socket[] = [];
  for (let index = 0; index < STREAMS; index++) sockets.push(await openStream(stage));
  await sleep(2_000);
  const used = (await residentMegabytes(stage.service.child)) - before;
  for (const socket of sockets) socket.destroy();
  await sleep(1_000);
  return (used * 1024) / STREAMS;
}

async function openStream(stage: Stage): Promise<Socket> {
  const path = `/api/v2/app/${stage.clientId}/events?after=latest`;
  const socket = connect(stage.service.port, '127.0.0.1');
  await new Promise<void>((resolve, reject) => {
    socket.once('data', () => resolve()).once('error', reject);
    socket.write(request('GET', path, { ...credentials(stage), Accept: 'text/event-stream' }));
  });
  return socket;
}

/** From the commit (the event's own time) to the arrival at a stream and of the first delivery attempt. */
async function measureArrival(kind: string, stage: Stage, { folder }: Conditions): Promise<Figure[]> {
  const delays: { webhook: number[]; stream: number[] } = { webhook: [], stream: [] };
  const since = (timestamp: string): number => Date.now() - Date.parse(timestamp);
  const receiver = createServer((incoming, response) => {
    let body = '';
    incoming.on('data', (part) => (body += part));
    incoming.on('end', () => {
      delays.webhook.push(since((JSON.parse(body) as { timestamp: string }).timestamp));
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  await innkeeper(['webhook', 'create', url, '--app', stage.clientId, '--json'], stage.settings);
  await sleep(NOTICED_MS);
  const requests = await saveReplace.prepare(stage, 1);
  // Each user has the second value, so that every save below changes something.
  await sendOk(stage.service.port, requests.slice(USERS));
  await allDelivered();
  delays.webhook = [];
  const stream = await openStream(stage);
  let rest = '';
  stream.on('data', (part) => {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const timestamp = /"timestamp":"([^"]+)"/.exec(line)?.[1];
      if (timestamp !== undefined) delays.stream.push(since(timestamp));
    }
  });
  // More than a thousand a second, given the pauses between requests.
  const load = { port: stage.service.port, requests, once: false, seconds: 5, connections: 75, pauseMs: 50 };
  const { rate, answered } = await runLoad(load, join(folder, 'requests'));
  await allDelivered();
  stream.destroy();
  receiver.closeAllConnections();
  receiver.close();
  for (const [what, arrived] of Object.entries(delays))
    if (arrived.length < answered) throw new Error(`${kind}: ${arrived.length} of ${answered} events, ${what}`);
  return (['webhook', 'stream'] as const).flatMap((what) =>
    [0.5, 0.99].map((part) => ({
      name: `${what}-p${part * 100}-${kind}`,
      title: `${kind}, commit to ${what} at ${rate.toFixed(0)} saves a second, p${part * 100}`,
      unit: 'ms',
      values: [delays[what].toSorted((a, b) => a - b)[Math.floor(delays[what].length * part)] as number],
    })),
  );

  async function allDelivered(): Promise<void> {
    for (let seen = -1; seen !== delays.webhook.length; await sleep(2_000)) seen = delays.webhook.length;
  }
}
