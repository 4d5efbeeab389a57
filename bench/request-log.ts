import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { SentLoad, SentResult } from './send-requests.ts';

/**
 * What the request log costs: two services, one with it and one without, take the same load in turn. Beside the rate, the
 * processor time of the service for each request, which other work on the machine disturbs less.
 *
 *   npm run bench:request-log -- [REQUESTS a run] [ROUNDS]
 */
const [, , requests = 20_000, rounds = 7] = process.argv;
const COUNT = Number(requests);
const ROUNDS = Number(rounds);
const CONNECTIONS = 64;
const INNKEEPER = join(import.meta.dirname, '../packages/server/bin/innkeeper.js');
const CATALOG = {
  languages: [{ name: 'English', tag: 'en', default: true }],
  groups: [{ name: 'look', keys: [{ name: 'theme', type: 'string', values: ['light', 'dark'] }] }],
};

type Service = { child: ChildProcess; port: number; loads: Record<string, Pick<SentLoad, 'requests' | 'statuses'>> };
type Figure = { rate: number; microseconds: number };

const folder = await mkdtemp(join(tmpdir(), 'innkeeper-bench-'));
const started: Service[] = [];
try {
  const on = await startService('on');
  const off = await startService('off');
  console.log(
    `${COUNT} requests a run, ${CONNECTIONS} connections, ${availableParallelism()} cores, load before ${loadavg()[0]?.toFixed(1)}\n`,
  );
  for (const name of ['list groups', 'save']) await compare(name, on, off);
} finally {
  for (const { child } of started) child.kill('SIGTERM');
  await sleep(1500);
  await rm(folder, { recursive: true, force: true });
}

async function compare(name: string, on: Service, off: Service): Promise<void> {
  for (const service of [on, off]) await measure(service, name, Math.ceil(COUNT / 2));
  const rates: number[] = [];
  const times: number[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const order = round % 2 ? [on, off] : [off, on];
    const figures = new Map<Service, Figure>();
    for (const service of order) figures.set(service, await measure(service, name, COUNT));
    const [a, b] = [figures.get(on), figures.get(off)] as [Figure, Figure];
    rates.push(a.rate / b.rate);
    times.push(b.microseconds / a.microseconds);
    console.log(
      `${name.padEnd(12)} ${round}  on ${a.rate.toFixed(0)}/s, ${a.microseconds.toFixed(1)} us   off ${b.rate.toFixed(0)}/s, ${b.microseconds.toFixed(1)} us`,
    );
  }
  console.log(`${name.padEnd(12)} rate on / off ${spread(rates)}; processor time off / on ${spread(times)}\n`);
}

async function measure({ child, port, loads }: Service, name: string, count: number): Promise<Figure> {
  const load: SentLoad = { port, connections: CONNECTIONS, count, ...(loads[name] as Service['loads'][string]) };
  const before = await processorTime(child);
  const args = [join(import.meta.dirname, 'send-requests.ts'), JSON.stringify(load)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 2 ** 24 });
  const result = JSON.parse(stdout) as SentResult;
  if (result.answered !== count) throw new Error(`Void: ${result.answered} of ${count}. ${result.failures.join('\n')}`);
  return { rate: count / result.seconds, microseconds: ((await processorTime(child)) - before) / count };
}

/** In microseconds, of all threads (Linux). */
async function processorTime({ pid }: ChildProcess): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

async function startService(requestLog: 'on' | 'off'): Promise<Service> {
  const port = await freePort();
  const env = {
    ...process.env,
    INNKEEPER_DATABASE_URL: `sqlite:${join(folder, `${requestLog}.db`)}`,
    INNKEEPER_PORT: String(port),
    INNKEEPER_REQUEST_LOG: requestLog,
  };
  const run = async (...args: string[]): Promise<string> =>
    (await promisify(execFile)(process.execPath, [INNKEEPER, ...args], { env })).stdout;
  const { clientId } = JSON.parse(await run('app', 'create', '--name', 'Bench', '--json')) as { clientId: string };
  const catalog = join(folder, 'catalog.json');
  const users = join(folder, 'users.ndjson');
  await writeFile(catalog, JSON.stringify(CATALOG));
  const codes = Array.from({ length: 200 }, (_, i) => `0198c5a2-7d10-7c3e-9b1f-${String(i).padStart(12, '0')}`);
  const lines = codes.map((code) => ({ clientUserId: code, clientUserName: 'Bench', service_user_code: code }));
  await writeFile(users, lines.map((line) => JSON.stringify(line)).join('\n'));
  await run('catalog', 'apply', catalog, '--app', clientId, '--json');
  await run('users', 'import', users, '--app', clientId, '--json');

  const child = spawn(process.execPath, [INNKEEPER, 'serve'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  while (!(await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.ok) await sleep(50);
  const answer = await fetch(`http://127.0.0.1:${port}/api/option_keys`, { headers: { apiKey: clientId } });
  const [key] = ((await answer.json()) as { items: Record<string, string>[] }).items;
  const head = (method: string, path: string): string =>
    `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\napiKey: ${clientId}\r\nUser-Agent: bench\r\n`;
  const save = (code: string, index: number): string => {
    const { option_group_uid, option_key_uid } = key as Record<string, string>;
    const value = [index % 2 ? 'light' : 'dark'];
    const body = JSON.stringify({ user_uid: code, option_group_uid, option_key_uid, value });
    return `${head('POST', '/api/user_options')}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  };
  const service: Service = {
    child,
    port,
    loads: {
      'list groups': { requests: [`${head('GET', '/api/option_groups')}\r\n`], statuses: [200] },
      save: { requests: codes.map(save), statuses: [200, 201] },
    },
  };
  started.push(service);
  return service;
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

function spread(ratios: number[]): string {
  const sorted = ratios.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  return `${median.toFixed(3)} (${sorted[0]?.toFixed(3)} to ${sorted.at(-1)?.toFixed(3)})`;
}
