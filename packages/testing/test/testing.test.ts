import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startInnkeeper, type TestInnkeeper } from '../src/index.ts';

const catalog = `languages: [{ name: English, tag: en, default: true }]
groups: [{ name: look, keys: [{ name: dark, type: boolean, default: false }] }]`;
const ada = '0198c5a2-7d10-7c3e-9b1f-2f6a4e8d0c31';
const users = [
  {
    clientUserId: 'ada',
    clientUserName: 'Ada',
    service_user_code: ada,
    options: [{ group: 'look', key: 'dark', value: [true] }],
  },
];

let inn: TestInnkeeper;
beforeAll(async () => {
  inn = await startInnkeeper({ catalog, users });
});
afterAll(() => inn?.close());

test('it signs users in, and takes settings of the application', async () => {
  await using page = await startInnkeeper({ catalog, settings: { allowedOrigins: ['http://localhost:5173'] } });
  const eve = { clientUserId: 'eve', clientUserName: 'Eve' };
  const first = await page.signIn(eve);
  const again = await page.signIn(eve);
  expect(again.service_user_code).toBe(first.service_user_code);
  const headers = { apiKey: page.clientId, authorization: `Bearer ${again.access_token}` };
  const read = await fetch(`${page.url}/api/user_options`, {
    headers: { ...headers, origin: 'http://localhost:5173' },
  });
  expect(read.status).toBe(200);
  expect(read.headers.get('access-control-allow-origin')).toBe('http://localhost:5173');
  await expect(page.signIn({ clientUserId: '', clientUserName: 'Nobody' })).rejects.toThrow('0005');
  const wrong = startInnkeeper({ settings: { allowedOrigin: '*' } });
  await expect(wrong).rejects.toThrow('settings.allowedOrigin');
});

const post = async (path: string, body: object) => {
  const response = await fetch(inn.url + path, { method: 'POST', body: JSON.stringify(body) });
  return { status: response.status, body: (await response.json()) as Record<string, string> };
};
const createUser = (clientUserId: string) => {
  const { clientId, clientSecret } = inn;
  return post('/api/v2/app/create-user', { clientId, clientSecret, clientUserId, clientUserName: 'Somebody' });
};
const optionsOfAda = async () => {
  const basic = Buffer.from(`${inn.clientId}:${inn.clientSecret}`).toString('base64');
  const headers = { apiKey: inn.clientId, authorization: `Basic ${basic}` };
  const response = await fetch(`${inn.url}/api/user_options?user_uid=${ada}`, { headers });
  return { status: response.status, ...((await response.json()) as { items?: { option: { value: unknown } }[] }) };
};

test('serves the given catalog and users', async () => {
  expect((await createUser('ada')).body.code).toBe('0001');
  expect((await optionsOfAda()).items?.map(({ option }) => option.value)).toEqual([true]);
});

test('errors link to the guide of this service, at its port', async () => {
  const response = await fetch(`${inn.url}/nothing`, { headers: { accept: 'application/problem+json' } });
  expect(await response.json()).toMatchObject({ type: `${inn.url}/guide/errors#9404` });
});

test('reset restores the initial state', async () => {
  expect((await createUser('grace')).status).toBe(200);
  const basic = Buffer.from(`${inn.clientId}:${inn.clientSecret}`).toString('base64');
  await fetch(`${inn.url}/api/v2/app/${inn.clientId}/users/${ada}`, {
    method: 'DELETE',
    headers: { authorization: `Basic ${basic}` },
  });
  expect((await optionsOfAda()).status).toBe(404);
  await inn.reset();
  expect((await optionsOfAda()).items).toHaveLength(1);
  expect((await createUser('grace')).status).toBe(200);
});

test('moving the clock lets a special token expire', async () => {
  const { specialToken } = (await createUser('late')).body;
  await inn.advance(11 * 60_000);
  const late = await post('/oauth/v2/get-access-token', { clientSecret: inn.clientSecret, specialToken });
  expect(late.body.code).toBe('0008');
  await inn.reset();
});

test('an invalid time leaves the clock as it is', async () => {
  for (const time of [Number.NaN, '1h']) {
    await expect(inn.advance(time as number)).rejects.toThrow('advance requires a number of milliseconds');
  }
  expect((await createUser('katherine')).status).toBe(200);
});

test('reports an invalid catalog', async () => {
  await expect(startInnkeeper({ catalog: 'groups: 7' })).rejects.toThrow('catalog:1:9 groups');
  await expect(startInnkeeper({ catalog: { groups: 7 } })).rejects.toThrow('catalog groups must be a list');
});

test('close does not wait for the shutdown timeout', async () => {
  const other = await startInnkeeper();
  const before = performance.now();
  await other.close();
  // A hanging shutdown is killed after 10 s.
  expect(performance.now() - before).toBeLessThan(8_000);
});

test('after close, every call is rejected and closing again is harmless', async () => {
  const other = await startInnkeeper();
  await other.close();
  for (const call of [other.reset, other.reset, () => other.advance(1)]) {
    await expect(call()).rejects.toThrow('Innkeeper has ended');
  }
  await other.close();
});

test('a service that could not be found is looked for again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'innkeeper-testing-'));
  try {
    cpSync(join(import.meta.dirname, '../src/index.ts'), join(folder, 'index.ts'));
    const { startInnkeeper: start } = await import(join(folder, 'index.ts'));
    await expect(start()).rejects.toThrow('@innkeeper/server/package.json');
    const server = join(folder, 'node_modules/@innkeeper/server');
    mkdirSync(server, { recursive: true });
    writeFileSync(join(server, 'package.json'), '{}');
    await expect(start()).rejects.toThrow('bin/runtime.js');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('close resolves in a script with nothing else to wait for', () => {
  const index = JSON.stringify(join(import.meta.dirname, '../src/index.ts'));
  const script = `const { startInnkeeper } = await import(${index}); await (await startInnkeeper()).close(); console.log('closed')`;
  const flags = ['--input-type=module', '--eval', script];
  expect(execFileSync(process.execPath, flags, { encoding: 'utf8' })).toBe('closed\n');
});

test('damaged compiled code is compiled again', async () => {
  const cache = mkdtempSync(join(tmpdir(), 'innkeeper-cache-'));
  const kept = join(cache, 'ephemeral');
  const run = async () => {
    const bin = join(import.meta.dirname, '../../server/bin/ephemeral.cjs');
    const child = spawn(process.execPath, [bin, cache], { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = once(child, 'exit');
    await Promise.race([once(child.stdout, 'data'), exited]);
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  };
  try {
    await run();
    const largest = readdirSync(kept).find((name) => name.startsWith('app-')) as string;
    const damaged = readFileSync(join(kept, largest));
    damaged.fill(0xa5, damaged.length / 2, damaged.length / 2 + 4000);
    writeFileSync(join(kept, largest), damaged);
    await run();
    expect(readFileSync(join(kept, largest)).equals(damaged)).toBe(false);
  } finally {
    rmSync(cache, { recursive: true });
  }
});
