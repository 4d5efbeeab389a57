import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, inject, test } from 'vitest';
import { databases } from '../databases.ts';
import { SECRET } from '../http/start.ts';
import { endAll, serve } from './serve-process.ts';

const SERVER = join(import.meta.dirname, '../..');

/**
 * A start mostly loads modules, at nearly half a millisecond each, and they stay in memory. So modules that are rarely
 * needed, or not at first, are loaded on demand. If this fails, find the new import and make it dynamic
 * (decision 29).
 */
const NOT_AT_START = [
  ...['@opentelemetry/api', '@opentelemetry/core'],
  ...['ajv', 'csv-parse', 'fastify', 'nodemailer', 'oauth4webapi', 'pg', 'prom-client', 'saxes', 'typebox', 'yaml'],
];

afterEach(endAll);

/** The files that its two threads loaded. */
type Loaded = { main: string[]; writer: string[] };

async function start(script?: string, use: (url: string) => Promise<void> = async () => {}): Promise<Loaded> {
  const server = await serve({
    settings: { databaseUrl: await (databases[0] as (typeof databases)[0]).fresh(), secret: SECRET },
    nodeArgs: ['--import', join(import.meta.dirname, 'count-modules.js')],
    ...(script && { script }),
  });
  await use(server.url);
  server.signal('SIGTERM');
  await server.exited;
  const threads = server
    .stderr()
    .split('\n')
    .filter((line) => line.startsWith('{"isMainThread"'))
    .map((line) => JSON.parse(line) as { isMainThread: boolean; urls: string[] });
  const filesOf = (isMain: boolean) =>
    (threads.find(({ isMainThread }) => isMainThread === isMain)?.urls ?? []).filter((url) => url.startsWith('file:'));
  return { main: filesOf(true), writer: filesOf(false) };
}

test('the start loads only what it needs', async () => {
  const { main, writer } = await start(join(SERVER, 'src/main.ts'));
  const packages = new Set(main.map((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]));
  expect([...packages]).toEqual(expect.arrayContaining(['find-my-way', 'pino']));
  expect(NOT_AT_START.filter((name) => packages.has(name))).toEqual([]);
  expect(main.length).toBeLessThan(700);
  expect(writer).toContainEqual(expect.stringContaining('sqlite/writer-thread.ts'));
  // It needs reading code too, because audit entries contain the state before a change.
  expect(writer.length).toBeLessThan(120);
});

test('the built service consists of a few files', async () => {
  const { main, writer } = await start(undefined, async (url) => {
    // A function that is only called to see whether it throws must not be optimized away.
    for (const path of ['/nowhere/%zz', '/api/option_groups/%ff']) {
      expect([404, 401]).toContain((await fetch(url + path)).status);
    }
  });
  expect(main).toContainEqual(expect.stringContaining('dist/main.js'));
  expect(main.filter((url) => /\/src\/|\/node_modules\//.test(url))).toEqual([]);
  // Two large files, the bin's own, and files that are loaded on demand.
  expect(main.length).toBeLessThan(20);
  expect(writer).toContainEqual(expect.stringContaining('dist/writer-thread.js'));
  expect(writer).toHaveLength(1);
});

test('sources newer than the build are used', async () => {
  const folder = join(inject('scratchFolder'), 'newer');
  await cp(join(SERVER, 'bin'), join(folder, 'bin'), { recursive: true });
  for (const [file, said] of [
    ['dist/main.js', 'built'],
    ['src/main.ts', 'sources'],
  ] as const) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), `console.log('${said}')`);
  }
  await writeFile(join(folder, 'package.json'), await readFile(join(SERVER, '../../package.json')));
  const stamp = join(folder, 'dist/made-of.txt');
  await writeFile(stamp, '');
  const run = async () => (await promisify(execFile)(process.execPath, [join(folder, 'bin/innkeeper.js')])).stdout;
  expect(await run()).toBe('built\n');
  await utimes(stamp, 0, 0);
  expect(await run()).toBe('sources\n');
  // This user may not be allowed to read the stamp. A link to itself is unreadable even for root.
  await rm(stamp);
  await symlink(stamp, stamp);
  expect(await run()).toBe('sources\n');
  await rm(stamp);
  await writeFile(stamp, '');
  await rm(join(folder, 'src'), { recursive: true });
  expect(await run()).toBe('built\n');
});

test('files built by one user are readable by all', async () => {
  const { buildWhenChanged } = await import(join(SERVER, '../../scripts/build-when-changed.js'));
  const folder = join(inject('scratchFolder'), 'readable');
  const dist = join(folder, 'dist');
  await mkdir(folder);
  const build = async (made: string) => {
    await mkdir(join(made, 'assets'), { mode: 0o700 });
    await writeFile(join(made, 'assets/page.js'), '', { mode: 0o600 });
  };
  expect(await buildWhenChanged({ dist, madeOf: [import.meta.filename], build })).toBe('built');
  const modeOf = async (name: string) => ((await stat(join(dist, name))).mode & 0o777).toString(8);
  const names = ['', 'made-of.txt', 'assets', 'assets/page.js'];
  expect(await Promise.all(names.map(modeOf))).toEqual(['755', '644', '755', '644']);

  // Without the build tools (npm ci --omit=dev), the existing files stay.
  const changed = join(folder, 'changed.txt');
  await writeFile(changed, '');
  const unable = () => import(String('no-such-package'));
  expect(await buildWhenChanged({ dist, madeOf: [changed], build: unable })).toBe('no-tools');
  expect(await modeOf('assets/page.js')).toBe('644');
  expect(await readdir(folder)).toEqual(['changed.txt', 'dist']);
});
