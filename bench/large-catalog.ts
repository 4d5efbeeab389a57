import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * What a catalog of 5,000 keys in 20 languages takes to apply and to serve: the real command line and the
 * real service on SQLite in a folder of its own, one client on 127.0.0.1. Run: npm run bench:large-catalog
 */
const GROUPS = 100;
const KEYS_PER_GROUP = 50;
const TAGS = 'en de es fr it pt nl sv da fi pl cs hu ro bg el tr uk ja ko'.split(' ');
const BIN = join(import.meta.dirname, '../packages/server/bin/innkeeper.js');

const folder = await mkdtemp(join(tmpdir(), 'innkeeper-bench-'));
const env = {
  ...process.env,
  INNKEEPER_DATABASE_URL: `sqlite:${join(folder, 'bench.db')}`,
  INNKEEPER_LOG_LEVEL: 'warn',
};
try {
  const { clientId } = JSON.parse(innkeeper('app', 'create', '--name', 'Large', '--json')) as { clientId: string };
  const file = join(folder, 'catalog.json');
  await writeFile(file, JSON.stringify(makeCatalog()));
  const applied = timed(() => innkeeper('catalog', 'apply', file, '--app', clientId, '--json'));

  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const started = performance.now();
  const server = spawn(process.execPath, [BIN, 'serve', '--port', String(port)], { env, stdio: 'inherit' });
  await untilReady(url);
  const startMs = performance.now() - started;
  const idle = await residentMegabytes(server);

  const get = async (path: string) => {
    const before = performance.now();
    const response = await fetch(url + path, { headers: { apiKey: clientId } });
    const bytes = (await response.arrayBuffer()).byteLength;
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    return { ms: performance.now() - before, bytes };
  };
  const first = await get('/api/option_groups');
  const page = '/api/option_keys?limit=200&language=';
  const made: { ms: number; bytes: number }[] = [];
  for (const tag of TAGS) made.push(await get(page + tag));
  const ready: { ms: number }[] = [];
  for (let round = 0; round < 10; round++) for (const tag of TAGS) ready.push(await get(page + tag));
  for (let offset = 0; offset < GROUPS * KEYS_PER_GROUP; offset += 200)
    await get(`/api/option_keys?limit=200&offset=${offset}`);

  const row = (what: string, value: string) => console.log(`| ${what} | ${value} |`);
  console.log(`| ${GROUPS * KEYS_PER_GROUP} keys, ${TAGS.length} languages | |\n| --- | --- |`);
  row('apply, JSON, all new', `${(applied / 1000).toFixed(1)} s`);
  row('start to ready', `${startMs.toFixed(0)} ms, ${idle} MB`);
  row('first request: loads and compiles the catalog', `${first.ms.toFixed(0)} ms`);
  row(
    '200 keys in one language, first time',
    `${median(made).toFixed(1)} ms, ${Math.round((made[0]?.bytes ?? 0) / 1024)} KiB`,
  );
  row('200 keys in one language, ready-made', `${median(ready).toFixed(2)} ms`);
  row('memory after all pages in all languages', `${await residentMegabytes(server)} MB`);
  server.kill('SIGTERM');
} finally {
  await rm(folder, { recursive: true, force: true });
}

function makeCatalog() {
  const texts = (what: string) => Object.fromEntries(TAGS.map((tag) => [tag, `${what} in ${tag}`]));
  return {
    languages: TAGS.map((tag) => ({ name: `Language ${tag}`, tag })),
    groups: Array.from({ length: GROUPS }, (_, group) => ({
      name: `group-${group}`,
      translations: texts(`Group ${group}`),
      keys: Array.from({ length: KEYS_PER_GROUP }, (_, key) => ({
        name: `key-${key}`,
        type: 'string',
        translations: texts(`Key ${group}.${key}`),
        values: ['a', 'b', 'c'].map((value) => ({ value, translations: texts(`Value ${value} of ${group}.${key}`) })),
      })),
    })),
  };
}

function innkeeper(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, ...args], {
    env,
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  if (status !== 0) throw new Error(`innkeeper ${args.join(' ')}: ${stderr}`);
  return stdout;
}

function timed(work: () => unknown): number {
  const before = performance.now();
  work();
  return performance.now() - before;
}

function median(samples: { ms: number }[]): number {
  return samples.map(({ ms }) => ms).toSorted((a, b) => a - b)[Math.floor(samples.length / 2)] ?? Number.NaN;
}

async function residentMegabytes({ pid }: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

async function untilReady(url: string): Promise<void> {
  for (let tries = 0; tries < 2_000; tries++) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error('the service did not become ready');
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address() as { port: number };
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
