import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { networkOf } from '../../src/http/server/client-address.ts';
import { unsafeSettings } from '../../src/unsafe-settings.ts';
import { databases } from '../databases.ts';
import { SECRET, startTestServer, type TestServer, uniqueName } from './start.ts';

const METRICS_TOKEN = 'metrics of the tests 0123456789';
const [sqlite] = databases as [(typeof databases)[0]];

/** INNKEEPER_TRUSTED_PROXIES: whose X-Forwarded-For is used. */
describe('the address of a client', () => {
  let direct: TestServer;
  let behind: TestServer;
  let elsewhere: TestServer;
  beforeAll(async () => {
    const url = await sqlite.fresh();
    const metricsToken = METRICS_TOKEN;
    direct = await startTestServer(url, { metricsToken });
    behind = await startTestServer(url, { metricsToken, trustedProxies: '127.0.0.1, 192.0.2.0/24, fd00::/8' });
    elsewhere = await startTestServer(url, { metricsToken, trustedProxies: '192.0.2.1' });
  });
  afterAll(async () => {
    for (const server of [direct, behind, elsewhere]) await server?.close();
  });

  /** Sends a wrong secret with this X-Forwarded-For. */
  const guess = (server: TestServer, forwardedFor: string) =>
    server.send('GET', '/metrics', {
      headers: { 'x-forwarded-for': forwardedFor, authorization: `Bearer ${uniqueName()}` },
    });
  /**
   * Uses up the limit and then makes one more guess. On a busy machine the limit may have refilled by then, so this
   * repeats.
   */
  const exhaust = async (server: TestServer, forwardedFor: (index: number) => string, next: string) => {
    const codes = new Set<unknown>();
    let status = 0;
    for (let attempt = 0; attempt < 5 && status !== 429; attempt++) {
      const guesses = Array.from({ length: 250 }, (_, index) => guess(server, forwardedFor(index % 50)));
      for (const { json } of await Promise.all(guesses)) codes.add(json.code);
      ({ status } = await guess(server, next));
    }
    return { codes: [...codes].sort(), status };
  };
  const REFUSED = { codes: ['9401', '9429'], status: 429 };

  test.each([
    ['no proxy is trusted', () => direct],
    ['another proxy is trusted', () => elsewhere],
  ])('is that of the connection when %s: spoofed ones are ignored', async (_, server) => {
    expect(await exhaust(server(), (index) => `203.0.113.${index}`, '203.0.113.77')).toEqual(REFUSED);
  });

  test('is the one from the trusted proxy, however many the client adds before it', async () => {
    const spoofed = (index: number) => `198.51.100.${index}, 203.0.113.9, 192.0.2.7`;
    expect(await exhaust(behind, spoofed, '203.0.113.9')).toEqual(REFUSED);
    expect((await guess(behind, '203.0.113.10')).status).toBe(401);
    expect((await guess(behind, '203.0.113.9, 203.0.113.10')).status).toBe(401);
    // A value that is not an address comes from the proxy itself.
    expect((await guess(behind, 'unknown')).status).toBe(401);
  });

  test('in IPv6 is a whole network: each subscriber has one', async () => {
    const others = (index: number) => `2001:db8:0:7::${index + 1}`;
    expect(await exhaust(behind, others, '2001:db8::7:ffff:1:2:3')).toEqual(REFUSED);
    expect((await guess(behind, '2001:db8:0:8::1')).status).toBe(401);
  });

  test('never makes a forwarded request a local one', async () => {
    const forwarded = (server: TestServer, address: string) =>
      server.send('GET', '/metrics', { headers: { 'x-forwarded-for': address } });
    for (const server of [direct, behind, elsewhere]) {
      expect((await forwarded(server, '127.0.0.1')).status).toBe(401);
      expect((await forwarded(server, '203.0.113.50')).status).toBe(401);
      const right = { 'x-forwarded-for': '203.0.113.9', authorization: `Bearer ${METRICS_TOKEN}` };
      // With the right token, the count of wrong ones does not matter.
      expect((await server.send('GET', '/metrics', { headers: right })).status).toBe(200);
    }
  });
});

test.each([
  ['2001:db8:0:7::1', '2001:db8:0:7::/64'],
  ['2001:DB8::7:0:0:0:1', '2001:db8:0:7::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fd00::', 'fd00:0:0:0::/64'],
  ['1:2:3:4:5:6:7:8', '1:2:3:4::/64'],
  ['192.0.2.1', '192.0.2.1'],
  ['', ''],
])('%s is counted as %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

const withProxies = (trustedProxies: string) => {
  const settings = { databaseUrl: 'postgres://x/y', secret: SECRET, publicUrl: 'https://a.example', trustedProxies };
  return unsafeSettings(readConfig(settings, { env: {} }));
};

test.each([
  '0.0.0.0/0',
  '::/0',
  '0.0.0.0/1,128.0.0.0/1',
  '128.0.0.0/1, 10.0.0.7, 0.0.0.0/1',
  '0.0.0.0/2,64.0.0.0/2,128.0.0.0/2,192.0.0.0/2',
  // All networks except those that no client can have.
  '1.0.0.0/8,2.0.0.0/7,4.0.0.0/6,8.0.0.0/5,16.0.0.0/4,32.0.0.0/3,64.0.0.0/2,128.0.0.0/2,192.0.0.0/3',
  '::ffff:0:0/96',
  '::ffff:0.0.0.0/97,128.0.0.0/1',
  '2000::/3',
  '2000::/4,3000::/4',
])('%s trusts everyone', (trustedProxies) => {
  expect(withProxies(trustedProxies)).toEqual([expect.stringContaining('INNKEEPER_TRUSTED_PROXIES trusts everyone')]);
});

test.each([
  '',
  '10.0.0.0/8',
  '0.0.0.0/1',
  '128.0.0.0/1,0.0.0.0/2',
  '10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fd00::/8,fe80::/10,::1,127.0.0.1',
  '3000::/4,2400:cb00::/32',
])('%s trusts some', (trustedProxies) => {
  expect(withProxies(trustedProxies)).toEqual([]);
});

test.each([
  'proxy.example.com',
  '10.0.0.0/33',
  '10.0.0.0/8/8',
  '10.0.0/8',
  'fe80::1%eth0',
  '10.0.0.1;10.0.0.2',
  'true',
])('%s is not a valid list of proxies', (trustedProxies) => {
  const settings = { databaseUrl: 'postgres://x/y', secret: 'x', trustedProxies };
  expect(() => readConfig(settings, { env: {} })).toThrow(/INNKEEPER_TRUSTED_PROXIES is .*CIDR ranges/);
});
