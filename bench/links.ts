import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPostgres } from '../packages/server/test/postgres-server.ts';
import { jsonRequest, request } from './request.ts';
import { sendOk } from './send.ts';
import { credentials, type Stage, setStage } from './stage.ts';

/**
 * Whether the time of a response reveals why a preference link does not work: links of every kind in turn, one request
 * at a time over one connection. Run: npm run bench:links [rounds] [sqlite|postgres]
 */
const ROUNDS = Number(process.argv[2] ?? 1_000);
const DATABASES = ['sqlite', 'postgres'].filter((kind) => kind === (process.argv[3] ?? kind));
const WARM_UP = 200;

const folder = await mkdtemp(join(tmpdir(), 'innkeeper-bench-'));
const postgres = await startPostgres({ durable: true });
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
try {
  console.log('| database | link | p25, µs | p50, µs | p75, µs |\n| --- | --- | --- | --- | --- |');
  for (const kind of DATABASES) {
    const databaseUrl = kind === 'sqlite' ? `sqlite:${join(folder, 'links.db')}` : await postgres.createDatabase();
    const stage = await setStage({
      databaseUrl,
      folder,
      users: 2_000,
      env: { INNKEEPER_TRUSTED_PROXIES: '127.0.0.1' },
    });
    const dead = await deadLinks(stage);
    const times = await timeInTurn(stage.service.port, dead);
    await stage.stop();
    for (const [name, taken] of times) {
      const at = (part: number): string => ((taken[Math.floor(taken.length * part)] ?? Number.NaN) * 1000).toFixed(0);
      console.log(`| ${kind} | ${name} | ${at(0.25)} | ${at(0.5)} | ${at(0.75)} |`);
    }
  }
} finally {
  agent.destroy();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Sorted, in milliseconds. */
async function timeInTurn(port: number, links: Record<string, string>): Promise<Map<string, number[]>> {
  const times = new Map(Object.keys(links).map((name) => [name, [] as number[]]));
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    // In another order each time, so that the previous request does not matter.
    const order = Object.entries(links).toSorted(() => Math.random() - 0.5);
    for (const [name, path] of order) {
      const taken = await timeOne(port, path);
      if (round >= 0) times.get(name)?.push(taken);
    }
  }
  for (const taken of times.values()) taken.sort((a, b) => a - b);
  return times;
}

function timeOne(port: number, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    // From many addresses: one address may try at most 200 invalid links at once.
    const address = `10.${[0, 0, 0].map(() => Math.floor(Math.random() * 256)).join('.')}`;
    const before = performance.now();
    get({ port, host: '127.0.0.1', path, agent, headers: { 'x-forwarded-for': address } }, (response) => {
      response.resume().on('end', () => {
        if (response.statusCode === 404) resolve(performance.now() - before);
        else reject(new Error(`HTTP ${response.statusCode} for ${path}`));
      });
    }).on('error', reject);
  });
}

async function deadLinks(stage: Stage): Promise<Record<string, string>> {
  const { port } = stage.service;
  const [expiring, withdrawn, deleted, suspended, altered] = stage.users.map(
    ({ code }) => `/api/v2/app/${stage.clientId}/users/${code}`,
  ) as [string, string, string, string, string];
  const link = async (user: string, body: object = {}): Promise<string> => {
    const [made] = await sendOk(port, [jsonRequest('POST', `${user}/preference-link`, credentials(stage), body)]);
    return new URL((JSON.parse(made?.body ?? '') as { url: string }).url).pathname;
  };
  const good = await link(altered);
  const dead = {
    expired: await link(expiring, { expires_in: 1 }),
    withdrawn: await link(withdrawn),
    'of a deleted user': await link(deleted),
    'of a suspended user': await link(suspended),
    altered: `${good.slice(0, -3)}${good.at(-3) === 'A' ? 'B' : 'A'}${good.slice(-2)}`,
    forged: `/p/ikr_${Buffer.from(crypto.getRandomValues(new Uint8Array(45))).toString('base64url')}`,
    malformed: '/p/nothing',
  };
  await sendOk(port, [
    request('DELETE', `${withdrawn}/preference-link`, credentials(stage)),
    request('DELETE', deleted, credentials(stage)),
    jsonRequest('PATCH', suspended, credentials(stage), { status: 'suspended' }),
  ]);
  await sleep(2_500);
  return dead;
}
