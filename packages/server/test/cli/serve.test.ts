import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { freePort } from '../free-port.ts';
import { SECRET } from '../http/start.ts';
import { inThread } from './in-thread.ts';
import { runInnkeeper } from './run-innkeeper.ts';

const folder = mkdtempSync(join(tmpdir(), 'innkeeper-serve-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const SETTINGS = { INNKEEPER_DATABASE_URL: `sqlite:${join(folder, 'innkeeper.db')}`, INNKEEPER_SECRET: SECRET };
const serve = (settings: Record<string, string>, ...flags: string[]) =>
  runInnkeeper(['serve', ...flags], { ...SETTINGS, ...settings });

const REMOTE = {
  INNKEEPER_TOKEN_SERVICE_URL: 'https://login.example.com',
  INNKEEPER_TOKEN_SERVICE_CLIENT_ID: 'innkeeper',
  INNKEEPER_TOKEN_SERVICE_CLIENT_SECRET: 'x',
};

test('an invalid address is reported under the name of its setting', () => {
  const host = { host: '999.1.1.1', databaseUrl: `sqlite:${join(folder, 'host.db')}`, secret: SECRET };
  expect(() => readConfig(host, { env: {} })).toThrow(/^INNKEEPER_HOST is "999\.1\.1\.1": it must be [^\n]*$/);
});

describe('serve refuses to start with an unsafe configuration and names it', () => {
  type Unsafe = [string, Record<string, string>, string];
  test.each<Unsafe>([
    ['a short secret', { INNKEEPER_SECRET: 'changeme' }, 'INNKEEPER_SECRET is weak'],
    ['a secret that is a pattern', { INNKEEPER_SECRET: 'abc'.repeat(20) }, 'INNKEEPER_SECRET is weak'],
    [
      'an unencrypted public address',
      { INNKEEPER_PUBLIC_URL: 'http://users.example.com' },
      'INNKEEPER_PUBLIC_URL is http://users.example.com: tokens and secrets would be sent unencrypted',
    ],
    [
      'an unencrypted token service',
      { ...REMOTE, INNKEEPER_TOKEN_SERVICE_URL: 'http://login.example.com' },
      'INNKEEPER_TOKEN_SERVICE_URL is not https',
    ],
    [
      'a token service without credentials',
      { ...REMOTE, INNKEEPER_TOKEN_SERVICE_CLIENT_SECRET: '' },
      'INNKEEPER_TOKEN_SERVICE_CLIENT_ID or _CLIENT_SECRET is not. Set both.',
    ],
    ...['10.0.0.7,::/0', '0.0.0.0/0', '0.0.0.0/1,128.0.0.0/1'].map(
      (trustedProxies): Unsafe => [
        `everyone as a trusted proxy: ${trustedProxies}`,
        { INNKEEPER_TRUSTED_PROXIES: trustedProxies },
        'INNKEEPER_TRUSTED_PROXIES trusts everyone',
      ],
    ),
    ...['0.0.0.0', '::', '192.0.2.7', 'users.internal'].map(
      (host): Unsafe => [
        `no TLS on the public address ${host}, for any public URL`,
        { INNKEEPER_HOST: host, INNKEEPER_PUBLIC_URL: 'http://localhost:8080' },
        `INNKEEPER_HOST is ${host}: other machines could connect without TLS`,
      ],
    ),
    ['a short metrics token', { INNKEEPER_METRICS_TOKEN: 'short' }, 'INNKEEPER_METRICS_TOKEN is weak'],
  ])('%s', async (_, settings, words) => {
    const ending = await inThread(['serve'], { ...SETTINGS, ...settings });
    expect(ending).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(words) });
    expect(ending.stderr).toMatch(/^innkeeper: unsafe settings:\n {2}✗ /);
    expect(ending.stderr.match(/✗/g)).toHaveLength(1);
  });

  test('a secret file that others can read', async () => {
    const databaseUrl = `sqlite:${join(folder, 'open.db')}`;
    writeFileSync(join(folder, 'open.db.secret'), `${SECRET}\n`);
    chmodSync(join(folder, 'open.db.secret'), 0o644);
    const ending = await serve({ INNKEEPER_DATABASE_URL: databaseUrl, INNKEEPER_SECRET: '' });
    expect(ending).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/open\.db\.secret can be read by other users.*chmod 600/),
    });
  });

  test('all of them at once, as JSON too', async () => {
    const ending = await serve({ INNKEEPER_SECRET: 'x', INNKEEPER_METRICS_TOKEN: 'y' }, '--json');
    expect(ending).toMatchObject({ code: 1, stdout: '' });
    const { error } = JSON.parse(ending.stderr);
    expect(error.problems).toEqual([
      expect.stringContaining('_SECRET is weak'),
      expect.stringContaining('METRICS_TOKEN'),
    ]);
    expect(error.message).toContain('INNKEEPER_SECRET is weak');
  });

  test('PostgreSQL without a secret is a usage error', async () => {
    const ending = await serve({ INNKEEPER_DATABASE_URL: 'postgres://127.0.0.1:1/innkeeper', INNKEEPER_SECRET: '' });
    expect(ending).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('INNKEEPER_SECRET is required with PostgreSQL'),
    });
  });
});

test('a port in use is reported in one line', async () => {
  const port = await freePort();
  const holder = createServer().listen(port, '127.0.0.1');
  const ending = await serve({ INNKEEPER_LOG_LEVEL: 'silent' }, '--port', String(port));
  holder.close();
  expect(ending).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`cannot listen on 127.0.0.1:${port}: the port is in use`),
  });
  expect(ending.stderr).not.toMatch(/\n {4}at /);
});
