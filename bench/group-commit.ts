import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Load, LoadResult } from './create-users.ts';
import type { InsertResult, Inserts } from './insert-users.ts';

/**
 * What group commit is worth: create-user calls a second at 64 connections, each answered after its flush to disk,
 * against the same users inserted in a loop with a transaction and a flush each. docs/performance.md keeps the log.
 *
 *   npm run bench:group-commit -- [USERS a run] [ROUNDS] [FOLDER on the disk to measure]
 *
 * BENCH_FLUSH_MS=2 makes every flush take 2 ms longer, for a look at slower disks (Linux with a C compiler).
 */
const [, , users = 6_000, rounds = 3, disk = tmpdir()] = process.argv;
const USERS = Number(users);
const ROUNDS = Number(rounds);
const CONNECTIONS = 64;
const INNKEEPER = join(import.meta.dirname, '../packages/server/bin/innkeeper.js');

type Service = { port: number; clientId: string; clientSecret: string; env: NodeJS.ProcessEnv; stop(): Promise<void> };
type Row = { rate: number; note: string };

const folder = await mkdtemp(join(disk, 'innkeeper-bench-'));
const flushMs = Number(process.env.BENCH_FLUSH_MS ?? 0);
try {
  if (flushMs > 0) await slowDownFlushes();
  const service = await startService();
  try {
    await compare(service);
  } finally {
    await service.stop();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function compare(service: Service): Promise<void> {
  const load = loadavg()[0]?.toFixed(1);
  const slower = flushMs > 0 ? `, every flush ${flushMs} ms longer` : '';
  console.log(
    `${USERS} users a run, ${ROUNDS} rounds, ${availableParallelism()} cores, load before ${load}${slower}\n`,
  );
  await overHttp(service, 'warm-up', Math.ceil(USERS / 3), 0);

  const toSingle: number[] = [];
  const toBatched: number[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const prefix = `round-${round}`;
    const before = Math.ceil(USERS / 3) + (round - 1) * USERS;
    const single = await inLoop(prefix, 1);
    const http = await overHttp(service, prefix, USERS, before);
    const batched = await inLoop(prefix, CONNECTIONS);
    print(`${round}  create-user over HTTP, ${CONNECTIONS} connections`, http);
    print(`${round}  inserts in a loop, 1 a transaction`, single);
    print(`${round}  inserts in a loop, ${CONNECTIONS} a transaction`, batched);
    toSingle.push(http.rate / single.rate);
    toBatched.push(http.rate / batched.rate);
  }
  console.log(`\nover HTTP / inserts, 1 a transaction    ${showSpread(toSingle)}`);
  console.log(`over HTTP / inserts, ${CONNECTIONS} a transaction   ${showSpread(toBatched)}`);
}

/** From here on for every process that is started: the service and the loops alike. */
async function slowDownFlushes(): Promise<void> {
  const library = join(folder, 'slow-flush.so');
  const source = join(import.meta.dirname, 'slow-flush.c');
  await promisify(execFile)('cc', ['-shared', '-fPIC', '-O2', '-o', library, source]);
  Object.assign(process.env, { LD_PRELOAD: library, SLOW_FLUSH_US: String(flushMs * 1000) });
}

/** The service as operators run it, its log included. */
async function startService(): Promise<Service> {
  const port = await freePort();
  const env = {
    ...process.env,
    INNKEEPER_DATABASE_URL: `sqlite:${join(folder, 'service.db')}`,
    INNKEEPER_PORT: String(port),
  };
  const made = await run([INNKEEPER, 'app', 'create', '--name', 'Bench', '--json'], env);
  const { clientId, clientSecret } = JSON.parse(made) as { clientId: string; clientSecret: string };

  const child = spawn(process.execPath, [INNKEEPER, 'serve'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  while (!(await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.ok) {
    if (child.exitCode !== null) throw new Error(`The service ended with exit code ${child.exitCode}.`);
    await sleep(50);
  }
  return {
    port,
    clientId,
    clientSecret,
    env,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** One failed answer, or one acknowledged user that is not stored, voids everything. */
async function overHttp(service: Service, prefix: string, requests: number, usersBefore: number): Promise<Row> {
  const { port, clientId, clientSecret, env } = service;
  const before = await readFigures(port);
  const load: Load = { port, connections: CONNECTIONS, requests, clientId, clientSecret, prefix };
  const result = await measure<LoadResult>('create-users.ts', load);
  const after = await readFigures(port);
  if (result.failures.length > 0 || result.answered !== requests) {
    throw new Error(`Void: ${result.answered} of ${requests} were created.\n${result.failures.join('\n')}`);
  }
  const stored = JSON.parse(await run([INNKEEPER, 'app', 'show', clientId, '--json'], env)) as { users: number };
  if (stored.users !== usersBefore + requests) {
    throw new Error(`Void: ${stored.users} users are stored, ${usersBefore + requests} were acknowledged.`);
  }
  const perFlush = (after.acts - before.acts) / (after.batches - before.batches);
  const note = `${perFlush.toFixed(1)} a flush, p50 ${result.p50.toFixed(1)} ms, p99 ${result.p99.toFixed(1)} ms`;
  return { rate: requests / result.seconds, note };
}

async function inLoop(prefix: string, perTransaction: number): Promise<Row> {
  const inserts: Inserts = { path: join(folder, `loop-${perTransaction}.db`), users: USERS, perTransaction, prefix };
  const { seconds, stored } = await measure<InsertResult>('insert-users.ts', inserts);
  if (stored !== USERS) throw new Error(`Void: ${stored} of ${USERS} are stored.`);
  return { rate: USERS / seconds, note: `${((seconds * 1000 * perTransaction) / USERS).toFixed(2)} ms a transaction` };
}

async function readFigures(port: number): Promise<{ acts: number; batches: number }> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const read = (name: string): number => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
  return { acts: read('innkeeper_committed_acts'), batches: read('innkeeper_committed_batches') };
}

async function measure<Result>(script: string, task: object): Promise<Result> {
  return JSON.parse(await run([join(import.meta.dirname, script), JSON.stringify(task)], process.env)) as Result;
}

async function run(args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  return (await promisify(execFile)(process.execPath, args, { env })).stdout;
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

function print(what: string, { rate, note }: Row): void {
  console.log(`${what.padEnd(46)} ${String(Math.round(rate)).padStart(7)}/s   ${note}`);
}

function showSpread(ratios: number[]): string {
  const sorted = ratios.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  return `${median.toFixed(2)} x (${sorted[0]?.toFixed(2)} to ${sorted.at(-1)?.toFixed(2)})`;
}
