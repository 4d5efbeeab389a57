import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '../packages/server/test/postgres-server.ts';
import { runLoad } from './load.ts';
import { createUser } from './operations/create-user.ts';
import { saveReplace } from './operations/save.ts';
import { basic, request } from './request.ts';
import { sendOk } from './send.ts';
import { innkeeper, processorTime, residentMegabytes } from './service.ts';
import { showSpread, spreadOf } from './spread.ts';
import { type Stage, setStage } from './stage.ts';

/**
 * What events cost: saves and creates with and without them in the same run, idle streams, and how soon a webhook is
 * called. Run: npm run bench:events [rounds] [seconds] [sqlite|postgres]. With 0 rounds, only webhooks.
 */
const [ROUNDS, SECONDS] = [Number(process.argv[2] ?? 5), Number(process.argv[3] ?? 2)];
const DATABASES = ['sqlite', 'postgres'].filter((kind) => kind === (process.argv[4] ?? kind));
const USERS = 2_000;
const CONNECTIONS = 32;
const STREAMS = 5_000;
const CREATES = 30_000;

const folder = await mkdtemp(join(tmpdir(), 'innkeeper-bench-'));
const postgres = await startPostgres({ durable: true });
try {
  console.log('| what | with events / without |\n| --- | --- |');
  for (const kind of DATABASES) {
    const start = async (name: 'on' | 'off'): Promise<Stage> => {
      const url = kind === 'sqlite' ? `sqlite:${join(folder, `${name}.db`)}` : await postgres.createDatabase(name);
      return stageAt(url, name === 'on');
    };
    const on = await start('on');
    if (ROUNDS > 0) {
      const off = await start('off');
      for (const operation of [saveReplace, createUser]) await compare(kind, operation, [on, off]);
      await off.stop();
      await measureStreams(kind, on);
    }
    await measureWebhook(kind, on);
    await on.stop();
  }
} finally {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

async function stageAt(databaseUrl: string, isOn: boolean): Promise<Stage> {
  const env = { INNKEEPER_WEBHOOKS_ALLOW: '127.0.0.1' };
  const stage = await setStage({ databaseUrl, folder, users: USERS, env });
  if (!isOn) await innkeeper(['app', 'set', stage.clientId, 'eventsKept=0'], stage.settings);
  await sleep(1_500);
  return stage;
}

/** In turns, so that other work on the machine affects both the same way. */
async function compare(kind: string, operation: typeof saveReplace, [on, off]: [Stage, Stage]): Promise<void> {
  const ratios: { rate: number[]; work: number[] } = { rate: [], work: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    const [withEvents, without] = [await run(on), await run(off)];
    // The first round is a warm-up.
    if (round === 0) continue;
    ratios.rate.push(withEvents.rate / without.rate);
    ratios.work.push(withEvents.work / without.work);
  }
  const [rate, work] = [showSpread(spreadOf(ratios.rate)), showSpread(spreadOf(ratios.work))];
  console.log(
    `| ${kind}, ${operation.title}: rate | ${rate} |\n| ${kind}, ${operation.title}: processor time | ${work} |`,
  );

  async function run(stage: Stage): Promise<{ rate: number; work: number }> {
    const { port, child } = stage.service;
    const requests = await operation.prepare(stage, CREATES);
    const before = await processorTime(child);
    const load = { port, requests, once: operation.once, seconds: SECONDS, connections: CONNECTIONS };
    const { rate, answered } = await runLoad(load, join(folder, 'requests'));
    return { rate, work: ((await processorTime(child)) - before) / answered };
  }
}

async function measureStreams(kind: string, { service, clientId, clientSecret }: Stage): Promise<void> {
  const before = await residentMegabytes(service.child);
  const path = `/api/v2/app/${clientId}/events?after=latest`;
  const text = request('GET', path, { ...basic(clientId, clientSecret), Accept: 'text/event-stream' });
  const sockets: Socket[] = [];
  for (let index = 0; index < STREAMS; index++) {
    const socket = connect(service.port, '127.0.0.1');
    sockets.push(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('data', () => resolve()).once('error', reject);
      socket.write(text);
    });
  }
  await sleep(2_000);
  const used = (await residentMegabytes(service.child)) - before;
  console.log(`| ${kind}, ${STREAMS} idle streams | ${used.toFixed(0)} MB |`);
  for (const socket of sockets) socket.destroy();
  await sleep(1_000);
}

/** From the commit (the event's own time) to the arrival of the first try. */
async function measureWebhook(kind: string, stage: Stage): Promise<void> {
  const delays: number[] = [];
  const receiver = createServer((incoming, response) => {
    let body = '';
    incoming.on('data', (part) => (body += part));
    incoming.on('end', () => {
      delays.push(Date.now() - Date.parse((JSON.parse(body) as { timestamp: string }).timestamp));
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  await innkeeper(['webhook', 'create', url, '--app', stage.clientId, '--json'], stage.settings);
  await sleep(1_500);
  const requests = await saveReplace.prepare(stage, 1);
  // Each user has the second value, so that every save below changes something.
  await sendOk(stage.service.port, requests.slice(USERS));
  await allDelivered();
  delays.length = 0;
  const before = await processorTime(stage.service.child);
  // More than a thousand a second, given the pauses between requests.
  const load = { port: stage.service.port, requests, once: false, seconds: 5, connections: 75, pauseMs: 50 };
  const { rate, answered } = await runLoad(load, join(folder, 'requests'));
  const work = ((await processorTime(stage.service.child)) - before) / answered;
  await allDelivered();
  const sorted = delays.toSorted((a, b) => a - b);
  const at = (part: number): string => `${sorted[Math.floor(sorted.length * part)]} ms`;
  const saved = `${rate.toFixed(0)} saves a second, ${sorted.length} delivered, ${work.toFixed(2)} ms of processor time each`;
  console.log(`| ${kind}, first attempt of a webhook (${saved}) | p50 ${at(0.5)}, p99 ${at(0.99)} |`);
  receiver.closeAllConnections();
  receiver.close();

  async function allDelivered(): Promise<void> {
    for (let seen = -1; seen !== delays.length; await sleep(2_000)) seen = delays.length;
  }
}
