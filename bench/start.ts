import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { get } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * What a start takes: `innkeeper serve` on an existing SQLite database, from the process's start to /readyz = 200, its
 * processor time by then, and its memory at rest; and what a short command takes. Medians, with the least and the most.
 * Run: npm run bench:start [-- RUNS]
 */
const RUNS = Number(process.argv[2] ?? 5);
/** By then whatever a start leaves behind has been done. */
const REST_MS = 2_000;
const BIN = join(import.meta.dirname, '../packages/server/bin/innkeeper.js');

type Start = { readyMs: number; processorMs: number; megabytes: number };

const folder = await mkdtemp(join(tmpdir(), 'innkeeper-bench-'));
const env = { ...process.env, INNKEEPER_DATABASE_URL: `sqlite:${join(folder, 'bench.db')}` };
try {
  runCommand('app', 'create', '--name', 'Bench');
  await startOnce();
  const starts: Start[] = [];
  const commands: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    starts.push(await startOnce());
    commands.push(runCommand('app', 'list'));
  }
  const row = (what: string, unit: string, values: number[]) =>
    console.log(`| ${what} | ${showSpread(values)} ${unit} |`);
  console.log(`| ${RUNS} runs, Node ${process.version} | median (least to most) |\n| --- | --- |`);
  row(
    'serve: start to ready',
    'ms',
    starts.map(({ readyMs }) => readyMs),
  );
  row(
    'serve: processor time by then',
    'ms',
    starts.map(({ processorMs }) => processorMs),
  );
  row(
    'serve: resident memory at rest',
    'MB',
    starts.map(({ megabytes }) => megabytes),
  );
  row('app list: start to end', 'ms', commands);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function startOnce(): Promise<Start> {
  const port = await freePort();
  const before = performance.now();
  const server = spawn(process.execPath, [BIN, 'serve', '--port', String(port)], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    while (!(await isReady(port))) await sleep(2);
    const readyMs = performance.now() - before;
    const processorMs = await processorTime(server);
    await sleep(REST_MS);
    return { readyMs, processorMs, megabytes: await residentMegabytes(server) };
  } finally {
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
}

/** By node:http without keep-alive: `fetch` would take processor time from what it waits for. */
function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    get({ port, host: '127.0.0.1', path: '/readyz', agent: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    }).on('error', () => resolve(false));
  });
}

function runCommand(...args: string[]): number {
  const before = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [BIN, ...args], { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`innkeeper ${args.join(' ')}: ${stderr}`);
  return performance.now() - before;
}

/** User and system time of all its threads; Linux counts them in hundredths of a second. */
async function processorTime({ pid }: ChildProcess): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(user) + Number(system)) * 10;
}

async function residentMegabytes({ pid }: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

function showSpread(values: number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  const show = (value: number | undefined) => Math.round(value ?? Number.NaN).toLocaleString('en');
  return `${show(sorted[Math.floor(sorted.length / 2)])} (${show(sorted[0])} to ${show(sorted.at(-1))})`;
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
