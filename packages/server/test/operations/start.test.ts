import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { SECRET } from '../http/start.ts';
import { endAll, serve } from './serve-process.ts';

/**
 * A start is mostly loading: nearly half a millisecond a module, and memory that stays. What few need, or nobody at first,
 * is loaded when it is needed: where this fails, find the new import and make it one that waits (docs/performance.md).
 */
const NOT_AT_START = ['ajv', 'csv-parse', 'oauth4webapi', 'pg', 'prom-client', 'saxes', 'typebox', 'yaml'];
const MOST_MODULES = 700;
const MOST_MODULES_OF_WRITER = 60;

afterEach(endAll);

test('a start loads what it needs, and no more', async () => {
  const server = await serve({
    settings: { databaseUrl: await (databases[0] as (typeof databases)[0]).fresh(), secret: SECRET },
    nodeArgs: ['--import', join(import.meta.dirname, 'count-modules.js')],
  });
  server.signal('SIGTERM');
  await server.exited;

  const threads = server
    .stderr()
    .split('\n')
    .filter((line) => line.startsWith('{"isMainThread"'))
    .map((line) => JSON.parse(line) as { isMainThread: boolean; urls: string[] });
  const main = threads.find(({ isMainThread }) => isMainThread)?.urls ?? [];
  const writer = threads.find(({ isMainThread }) => !isMainThread)?.urls ?? [];
  const packages = new Set(main.map((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]));
  expect([...packages]).toEqual(expect.arrayContaining(['fastify', 'pino']));
  expect(NOT_AT_START.filter((name) => packages.has(name))).toEqual([]);
  expect(main.length).toBeLessThan(MOST_MODULES);
  expect(writer).toContainEqual(expect.stringContaining('sqlite/writer-thread.ts'));
  expect(writer.length).toBeLessThan(MOST_MODULES_OF_WRITER);
});
