import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { inThread } from './in-thread.ts';
import { bin, environment } from './run-innkeeper.ts';

let folder: string;
let path: string;
let app: string;
const run = (...args: string[]) => inThread([...args, '--database-url', `sqlite:${path}`]);
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'innkeeper-output-'));
  path = join(folder, 'innkeeper.db');
  app = JSON.parse((await run('app', 'create', '--name', 'One', '--json')).stdout).clientId;
});
afterEach(() => rmSync(folder, { recursive: true }));

test('no command writes its output over the database, its log or its secret', async () => {
  const users = join(folder, 'users.ndjson');
  writeFileSync(users, 'no JSON\n');
  const link = join(folder, 'link');
  symlinkSync(path, link);
  const secret = readFileSync(`${path}.secret`, 'utf8');
  for (const file of [path, link, `${path}-wal`, `${path}.secret`]) {
    for (const args of [
      ['catalog', 'types', '--app', app, '--out', file],
      ['users', 'export', '--app', app, '--output', file],
      ['users', 'import', users, '--app', app, '--rejects', file],
      ['backup', file, '--force'],
    ]) {
      expect([args, await run(...args)]).toEqual([args, expect.objectContaining({ code: 2 })]);
    }
  }
  expect(readFileSync(`${path}.secret`, 'utf8')).toBe(secret);
  expect((await run('app', 'list')).stdout).toContain('One');
});

test('other files are replaced', async () => {
  const out = join(folder, 'types.ts');
  for (let times = 0; times < 2; times++) {
    expect(await run('catalog', 'types', '--app', app, '--out', out)).toMatchObject({ code: 0 });
  }
});

/** Starts a service that exports `firstPage` of users, and the next page when `continueAt` calls for it. */
async function startService(firstPage: object[], continueAt: (next: ServerResponse) => void) {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    if (request.url?.includes('after=') === true) continueAt(response);
    else if (request.url?.includes('/export') !== true) response.end('{"name":"One","counts":{"users":2}}');
    else response.end(JSON.stringify({ lines: firstPage, users: 1, profilesOnly: 0, next: 'a' }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { settings: { INNKEEPER_URL: url, INNKEEPER_TOKEN: 'ikp_x' }, [Symbol.dispose]: close };
}

test.each(['SIGINT', 'SIGTERM'] as const)(
  'an export leaves nothing behind after %s, or with the next run',
  async (signal) => {
    const output = join(folder, 'users.ndjson');
    const left = `${output}.partial-${hostname()}-999999999-0123abcd`;
    writeFileSync(left, 'half');
    const halfway = Promise.withResolvers<string[]>();
    const partials = () => readdirSync(folder).filter((name) => name.includes('.partial-'));
    using service = await startService([{}], () => halfway.resolve(partials()));
    const child = spawn(process.execPath, [bin, 'users', 'export', '--app', 'a', '--output', output], {
      env: { ...environment(), ...service.settings },
      stdio: 'ignore',
    });
    const ended = once(child, 'exit');
    const [partial, ...others] = await halfway.promise;
    expect(partial).toMatch(/^users.ndjson.partial-/);
    expect(others).toEqual([]);
    child.kill(signal);
    expect(await ended).toEqual([signal === 'SIGINT' ? 130 : 143, null]);
    expect(partials()).toEqual([]);
  },
);

test('an export ends when its output fails before the next page arrives', async () => {
  const page = { lines: [{ text: 'x'.repeat(100_000) }], users: 1, profilesOnly: 0, next: null };
  using service = await startService([{}], (next) => setTimeout(() => next.end(JSON.stringify(page)), 300));
  const args = ['users', 'export', '--app', 'a', '--output', '/dev/full', '--json'];
  const { code, stderr } = await inThread(args, service.settings);
  expect(code).toBe(1);
  expect(JSON.parse(stderr)).toMatchObject({ error: { message: '--output /dev/full: the disk is full.' } });
});

test('an import whose rejects cannot be written says so and how to continue', async () => {
  const users = join(folder, 'users.ndjson');
  writeFileSync(users, 'no JSON\n'.repeat(3000));
  const ended = await run('users', 'import', users, '--app', app, '--rejects', '/dev/full', '--json');
  expect(ended.code).toBe(1);
  const { error } = JSON.parse(ended.stderr);
  expect(error.message).toContain('--rejects /dev/full: the disk is full.');
});

test('only the owner can read rejected lines, also in a file that others could read', async () => {
  const [users, rejects] = ['users.ndjson', 'rejects.ndjson'].map((name) => join(folder, name)) as [string, string];
  writeFileSync(users, 'no JSON\n');
  writeFileSync(rejects, 'from an earlier import\n', { mode: 0o644 });
  await run('users', 'import', users, '--app', app, '--rejects', rejects);
  expect(statSync(rejects).mode & 0o777).toBe(0o600);
  expect(readFileSync(rejects, 'utf8')).toMatch(/^\{"line":1,.*\}\n$/);
});

test('a pipe or device without an end is not read forever', async () => {
  const { code, stderr } = await run('catalog', 'apply', '/dev/zero', '--app', app);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('/dev/zero is larger than 256 MiB.') });
});
