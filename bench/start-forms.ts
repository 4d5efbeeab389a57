import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { arch, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../packages/server/test/free-port.ts';
import { startInnkeeper } from '../packages/testing/src/index.ts';
import { makeCatalog } from './catalog.ts';
import { guard, processorTime, stop, untilReady } from './service.ts';
import { showSpread, spreadOf } from './spread.ts';

/**
 * How soon the installed forms can be used: the executable in release/, in an empty folder and on its own database, and
 * what @innkeeper/testing starts, including its reset. Run: npm run bench:start [runs]. Without release/, the
 * executable is skipped.
 */
const RUNS = Number(process.argv[2] ?? 10);
const { version } = (await import('../package.json', { with: { type: 'json' } })).default;
const EXECUTABLE = join(import.meta.dirname, `../release/innkeeper-${version}-${platform()}-${arch()}`);
const SMALL = {
  languages: [{ name: 'English', tag: 'en', default: true }],
  groups: [{ name: 'look', keys: [{ name: 'dark', type: 'boolean', default: false }] }],
};
const LARGE = {
  languages: SMALL.languages,
  groups: Array.from({ length: 20 }, (_, group) => ({
    name: `group-${group}`,
    keys: Array.from({ length: 50 }, (_, key) => ({ name: `key-${key}`, type: 'boolean', default: false })),
  })),
};

console.log('| what | ms |\n| --- | --- |');
if (existsSync(EXECUTABLE)) await measureExecutable();
await measureTesting('one key, 1 user', SMALL, 1);
await measureTesting('32 keys in 5 languages, 20 users', makeCatalog(), 20);
await measureTesting('1,000 keys, 20 users', LARGE, 20);

async function measureExecutable(): Promise<void> {
  const [first, again, bare]: [Start[], Start[], number[]] = [[], [], []];
  for (let run = 0; run < RUNS; run++) {
    const folder = await mkdtemp(join(tmpdir(), 'innkeeper-bench-'));
    try {
      first.push(await startExecutable(folder));
      again.push(await startExecutable(folder));
      bare.push(await runTo(EXECUTABLE, ['--version'], folder));
    } finally {
      await rm(folder, { recursive: true });
    }
  }
  for (const [where, starts] of [
    ['empty folder', first],
    ['existing database', again],
  ] as const) {
    report(
      `executable, start to ready, ${where}`,
      starts.map(({ taken }) => taken),
    );
    report(
      `executable, processor time by then, ${where}`,
      starts.map(({ processor }) => processor),
    );
  }
  report('executable, `--version`, start to end', bare);
}

type Start = { taken: number; processor: number };

async function startExecutable(cwd: string): Promise<Start> {
  const port = await freePort();
  const before = performance.now();
  const env = { INNKEEPER_PORT: String(port) };
  const child = guard(spawn(EXECUTABLE, ['serve'], { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] }));
  await untilReady(port, child);
  const taken = performance.now() - before;
  const processor = await processorTime(child);
  await stop(child);
  return { taken, processor };
}

async function runTo(file: string, args: string[], cwd: string): Promise<number> {
  const before = performance.now();
  await once(spawn(file, args, { cwd, env: {}, stdio: 'ignore' }), 'exit');
  return performance.now() - before;
}

async function measureTesting(what: string, catalog: object, count: number): Promise<void> {
  const [ready, reset, changed]: [number[], number[], number[]] = [[], [], []];
  const users = Array.from({ length: count }, (_, index) => ({ clientUserId: `u${index}`, clientUserName: 'Ada' }));
  for (let run = -1; run < RUNS; run++) {
    const before = performance.now();
    const inn = await startInnkeeper({ catalog, users });
    const taken = performance.now() - before;
    for (let time = 0; time < 3; time++) {
      const { clientId, clientSecret } = inn;
      const body = JSON.stringify({ clientId, clientSecret, clientUserId: 'new', clientUserName: 'New' });
      const made = await fetch(`${inn.url}/api/v2/app/create-user`, { method: 'POST', body });
      if (made.status !== 200) throw new Error(`HTTP ${made.status}`);
      const from = performance.now();
      await inn.reset();
      (time === 0 ? changed : reset).push(performance.now() - from);
    }
    await inn.close();
    // The first run fills the compile cache.
    if (run >= 0) ready.push(taken);
  }
  report(`@innkeeper/testing, ready (${what})`, ready);
  report(`@innkeeper/testing, first reset (${what})`, changed);
  report(`@innkeeper/testing, reset (${what})`, reset);
}

function report(what: string, values: number[]): void {
  console.log(`| ${what} | ${showSpread(spreadOf(values), 0)} |`);
}
