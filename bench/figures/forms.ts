import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { arch, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../packages/server/test/free-port.ts';
import { startInnkeeper } from '../../packages/testing/src/index.ts';
import { makeCatalog } from '../catalog.ts';
import type { Figure } from '../results.ts';
import { guard, stop, untilReady } from '../service.ts';

const RELEASE = join(import.meta.dirname, '../../release');
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

/**
 * How soon the installed forms can be used, and their size: what @innkeeper/testing starts, including its reset; the
 * executable in release/, in an empty folder and on its own database. Without release/, the latter are skipped.
 */
export async function measureForms(runs: number): Promise<Figure[]> {
  return [
    ...(await measureTesting('testing', 'one key, 1 user', { catalog: SMALL, users: 1 }, runs)),
    ...(await measureTesting(
      'testing-32',
      '32 keys in 5 languages, 20 users',
      { catalog: makeCatalog(), users: 20 },
      runs,
    )),
    ...(await measureTesting('testing-1000', '1,000 keys, 20 users', { catalog: LARGE, users: 20 }, runs)),
    ...(existsSync(RELEASE) ? await measureRelease(runs) : []),
  ];
}

async function measureTesting(
  name: string,
  what: string,
  content: { catalog: object; users: number },
  runs: number,
): Promise<Figure[]> {
  const [ready, reset, changed]: [number[], number[], number[]] = [[], [], []];
  const users = Array.from({ length: content.users }, (_, at) => ({ clientUserId: `u${at}`, clientUserName: 'Ada' }));
  for (let run = -1; run < runs; run++) {
    const before = performance.now();
    const inn = await startInnkeeper({ catalog: content.catalog, users });
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
  return [
    { name, title: `@innkeeper/testing, ready (${what})`, unit: 'ms', values: ready },
    { name: `${name}-first`, title: `@innkeeper/testing, first reset (${what})`, unit: 'ms', values: changed },
    { name: `${name}-reset`, title: `@innkeeper/testing, reset (${what})`, unit: 'ms', values: reset },
  ];
}

async function measureRelease(runs: number): Promise<Figure[]> {
  const name = (await readdir(RELEASE)).find((file) => file.endsWith(`-${platform()}-${arch()}`));
  const image = join(RELEASE, 'oci');
  const files = await readdir(image, { recursive: true });
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(image, file))).size));
  return [
    {
      name: 'image-size',
      title: 'size of the OCI image, compressed',
      unit: 'MB',
      values: [sizes.reduce((sum, size) => sum + size, 0) / 1e6],
    },
    ...(name ? await measureExecutable(join(RELEASE, name), runs) : []),
  ];
}

async function measureExecutable(file: string, runs: number): Promise<Figure[]> {
  const [first, again, bare]: [number[], number[], number[]] = [[], [], []];
  for (let run = 0; run < runs; run++) {
    const folder = await mkdtemp(join(tmpdir(), 'innkeeper-bench-'));
    try {
      first.push(await startExecutable(file, folder));
      again.push(await startExecutable(file, folder));
      const before = performance.now();
      await once(spawn(file, ['--version'], { cwd: folder, env: {}, stdio: 'ignore' }), 'exit');
      bare.push(performance.now() - before);
    } finally {
      await rm(folder, { recursive: true });
    }
  }
  return [
    { name: 'executable', title: 'executable, start to ready, empty folder', unit: 'ms', values: first },
    { name: 'executable-again', title: 'executable, start to ready, existing database', unit: 'ms', values: again },
    { name: 'executable-version', title: 'executable, `--version`, start to end', unit: 'ms', values: bare },
  ];
}

async function startExecutable(file: string, cwd: string): Promise<number> {
  const port = await freePort();
  const before = performance.now();
  const env = { INNKEEPER_PORT: String(port) };
  const child = guard(spawn(file, ['serve'], { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] }));
  await untilReady(port, child);
  const taken = performance.now() - before;
  await stop(child);
  return taken;
}
