import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startReceiver } from '../packages/server/test/events/receiver.ts';
import { startPostgres } from '../packages/server/test/postgres-server.ts';
import { runLoad } from './load.ts';
import { jsonRequest } from './request.ts';
import { innkeeper, startService } from './service.ts';

/**
 * What a dead webhook costs the others: 100 webhooks of 10 applications, first all healthy and then with one that never
 * responds. Measures the time from the commit to the arrival of the first try, at the other 99. Run: npm run
 * bench:dead-webhook [rounds] [seconds]
 */
const [ROUNDS, SECONDS] = [Number(process.argv[2] ?? 3), Number(process.argv[3] ?? 5)];
const APPLICATIONS = 10;
const EACH = 10;
/**
 * Between the requests of each application's one connection: about 50 users a second, and so 500 requests to webhooks.
 */
const PAUSE_MS = 200;
const DEAD = '/0/0';

type Application = { clientId: string; clientSecret: string };
type Figures = { p50: number; p99: number };

const folder = await mkdtemp(join(tmpdir(), 'innkeeper-bench-'));
const postgres = await startPostgres({ durable: true });
try {
  await measure('sqlite', `sqlite:${join(folder, 'innkeeper.db')}`);
  await measure('postgres', await postgres.createDatabase());
} finally {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

async function measure(kind: string, databaseUrl: string): Promise<void> {
  const settings = {
    INNKEEPER_DATABASE_URL: databaseUrl,
    INNKEEPER_WEBHOOKS_ALLOW: '127.0.0.1',
    INNKEEPER_SECRET: randomBytes(32).toString('hex'),
  };
  let isDead = false;
  let delays: number[] = [];
  const receiver = await startReceiver({
    answer({ path, body }) {
      if (isDead && path === DEAD) return undefined;
      if (path !== DEAD) delays.push(Date.now() - Date.parse((JSON.parse(body) as { timestamp: string }).timestamp));
      return 204;
    },
  });
  const applications = await register(settings, receiver.url);
  const service = await startService(settings);
  await sleep(1_500);
  let created = 0;

  const run = async (): Promise<Figures> => {
    delays = [];
    const count = (SECONDS * 1_000 * APPLICATIONS) / PAUSE_MS;
    const requests = Array.from({ length: count }, () => {
      const application = applications[created % APPLICATIONS] as Application;
      return jsonRequest(
        'POST',
        '/api/v2/app/create-user',
        {},
        { ...application, clientUserId: `user ${created++}`, clientUserName: 'Ada' },
      );
    });
    const load = {
      port: service.port,
      requests,
      once: true,
      seconds: SECONDS,
      connections: APPLICATIONS,
      pauseMs: PAUSE_MS,
    };
    const { answered } = await runLoad(load, join(folder, 'requests'));
    const wanted = answered * EACH - Math.ceil(answered / APPLICATIONS);
    for (const until = Date.now() + 10_000; delays.length < wanted && Date.now() < until; ) await sleep(50);
    if (delays.length < wanted) throw new Error(`${wanted - delays.length} of ${wanted} did not arrive.`);
    const sorted = delays.toSorted((a, b) => a - b);
    const at = (part: number): number => sorted[Math.floor(sorted.length * part)] as number;
    return { p50: at(0.5), p99: at(0.99) };
  };

  // The first run is a warm-up.
  await run();
  for (const dead of [false, true]) {
    isDead = dead;
    const figures: Figures[] = [];
    for (let round = 0; round < ROUNDS; round++) figures.push(await run());
    const middle = (name: 'p50' | 'p99') =>
      figures.map((each) => each[name]).toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)];
    console.log(
      `${kind}, ${dead ? 'one never responds' : 'all healthy'}: p50 ${middle('p50')} ms, p99 ${middle('p99')} ms`,
    );
  }
  await service.stop();
  await receiver.close();
}

async function register(settings: NodeJS.ProcessEnv, url: string): Promise<Application[]> {
  const applications: Application[] = [];
  for (let app = 0; app < APPLICATIONS; app++) {
    const text = await innkeeper(['app', 'create', '--name', `Application ${app}`, '--json'], settings);
    const { clientId, clientSecret } = JSON.parse(text) as Application;
    applications.push({ clientId, clientSecret });
    for (let at = 0; at < EACH; at++)
      await innkeeper(['webhook', 'create', `${url}/${app}/${at}`, '--app', clientId, '--json'], settings);
  }
  return applications;
}
