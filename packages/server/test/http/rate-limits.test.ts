import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readRateLimit } from '../../src/domain/limits/rate-limit.ts';
import { Allowances } from '../../src/domain/limits/rate-limits.ts';
import { databases } from '../databases.ts';
import { withCatalog } from './options/example-catalog.ts';
import { makeUser, startTestServer, type TestServer, uniqueName } from './start.ts';

const ADDRESS_LIMIT = '40/1h';

describe.each(databases)('rate limits on $kind', (database) => {
  let here: TestServer;
  let there: TestServer;
  beforeAll(async () => {
    const url = await database.fresh();
    const settings = { trustedProxies: '127.0.0.1', addressRateLimit: ADDRESS_LIMIT, rateLimit: '30/1h' };
    here = await startTestServer(url, settings);
    there = await startTestServer(url, settings);
  });
  afterAll(() => Promise.all([here.close(), there.close()]));

  /** Addresses reserved for documentation, a new one for each test. */
  let last = 0;
  const someone = () => ({ 'x-forwarded-for': `203.0.113.${++last}` });
  const createUser = (server: TestServer, application: object, from: Record<string, string>) =>
    server.post('/api/v2/app/create-user', { ...application, clientUserId: uniqueName(), clientUserName: 'x' }, from);
  const seen = ({ status, json, headers }: Awaited<ReturnType<TestServer['post']>>) => ({
    status,
    code: json.code,
    policy: headers.get('ratelimit-policy'),
    left: headers.get('ratelimit')?.replace(/t=\d+/g, 't'),
  });

  test('of an application: the last request is served, the next is 429 with Retry-After, and one is refilled in time', async () => {
    const application = await here.application({ rateLimit: '3/1h' });
    const policy = '"address";q=40;w=3600, "application";q=3;w=3600';
    const from = someone();
    for (const left of [2, 1, 0]) {
      const answer = await createUser(here, application, from);
      expect(seen(answer)).toMatchObject({ status: 200, policy });
      expect(answer.headers.get('ratelimit')).toMatch(new RegExp(`"application";r=${left};t=\\d+$`));
    }
    const refused = await createUser(here, application, from);
    expect(refused.json).toEqual({ code: '9429', message: 'Too many requests.' });
    expect(seen(refused)).toMatchObject({ status: 429, policy, left: expect.stringContaining('"application";r=0;t') });
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(0);
    expect(refused.headers.get('ratelimit')).toContain(`"application";r=0;t=${wait}`);

    // Requests with only the clientId neither use up the application's limit nor learn anything about it.
    const { clientId } = application;
    const wrong = await createUser(here, { clientId, clientSecret: 'wrong' }, from);
    expect(seen(wrong)).toMatchObject({ status: 400, code: '0011', policy: '"address";q=40;w=3600' });

    const brief = await here.application({ rateLimit: '1/1s' });
    let answer = await createUser(here, brief, from);
    while (answer.status !== 429) answer = await createUser(here, brief, from);
    await new Promise((resolve) => setTimeout(resolve, Number(answer.headers.get('retry-after')) * 1000));
    expect((await createUser(here, brief, from)).status).toBe(200);
  });

  test('apply to every kind of request of an application, separately for users and options', async () => {
    const shop = await withCatalog(here);
    const { clientId, clientSecret, appId } = shop.application;
    const { specialToken } = await makeUser(here, shop.application);
    await here.service.storage.applications.update(appId, { set: { rateLimit: '1/1d' } });
    await here.service.refresh();
    const headers = { apiKey: clientId, ...someone() };
    const Basic = { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` };
    // This uses up the only request that is allowed.
    expect((await createUser(here, shop.application, headers)).status).toBe(200);
    const form = new URLSearchParams({ token: 'x' });
    const requests = [
      here.post('/oauth/v2/get-access-token', { clientSecret, specialToken }, headers),
      here.post('/api/v2/app/special-token', { clientId, clientSecret, clientUserId: 'x' }, headers),
      here.send('POST', '/oauth/v2/introspect', { body: form, headers: { ...headers, ...Basic } }),
      here.send('POST', '/oauth/v2/revoke', { body: form, headers: { ...headers, ...Basic } }),
      here.send('DELETE', `/api/v2/app/${clientId}/users/x`, { headers: { ...headers, ...Basic } }),
    ];
    for (const answer of await Promise.all(requests)) expect(seen(answer)).toMatchObject({ status: 429, code: '9429' });

    const read = () => here.send('GET', '/api/option_groups', { headers });
    expect(seen(await read())).toMatchObject({ status: 200, left: expect.stringContaining('"application";r=0;t') });
    expect(seen(await read())).toMatchObject({ status: 429, code: '9429' });
    expect((await here.send('PUT', '/api/user_options', { body: '{}', headers })).status).toBe(429);
  });

  test("apply to cached reads, with headers that the application's pages can read", async () => {
    const shop = await withCatalog(here);
    const { clientId, appId } = shop.application;
    const origin = 'https://shop.example';
    const set = { rateLimit: 'off', addressRateLimit: '3/1d', allowedOrigins: [origin] };
    await here.service.storage.applications.update(appId, { set });
    await here.service.refresh();
    const read = (from: Record<string, string>) =>
      here.send('GET', '/api/option_keys', { headers: { apiKey: clientId, origin, ...from } });
    const from = someone();
    const policy = '"address";q=40;w=3600, "application-address";q=3;w=86400';
    for (const left of [2, 1, 0]) {
      expect(seen(await read(from))).toEqual({
        status: 200,
        code: undefined,
        policy,
        left: `"address";r=${37 + left};t, "application-address";r=${left};t`,
      });
    }
    const refused = await read(from);
    expect(seen(refused)).toMatchObject({ status: 429, code: '9429', policy });
    expect(refused.headers.get('access-control-allow-origin')).toBe(origin);
    const exposed = refused.headers.get('access-control-expose-headers');
    for (const name of ['RateLimit', 'RateLimit-Policy', 'Retry-After']) expect(exposed).toContain(name);
    expect((await read(someone())).status).toBe(200);
  });

  test('of an address: apply to all requests except health probes', async () => {
    const from = someone();
    const paths = ['/api/option_groups', '/manage/v1/applications', '/nowhere', '/openapi.json', '/portal/'];
    const ask = (path: string, server = here) => server.send('GET', path, { headers: from });
    const statuses = new Set<number>();
    for (let index = 0; index < 40; index++) statuses.add((await ask(paths[index % paths.length] as string)).status);
    expect(statuses).not.toContain(429);
    for (const path of paths) {
      expect(seen(await ask(path))).toEqual({
        status: 429,
        code: '9429',
        policy: '"address";q=40;w=3600',
        left: '"address";r=0;t',
      });
    }
    for (const path of ['/livez', '/readyz']) expect((await ask(path)).status).toBe(200);
    expect((await here.send('GET', '/nowhere', { headers: someone() })).status).toBe(404);
    // An IPv6 network counts as one subscriber.
    const network = (host: number) => ({ headers: { 'x-forwarded-for': `2001:db8:0:1::${host}` } });
    expect(seen(await here.send('GET', '/nowhere', network(1))).left).toBe('"address";r=39;t');
    expect(seen(await here.send('GET', '/nowhere', network(2))).left).toBe('"address";r=38;t');
  });

  test('are shared by replicas', async () => {
    const application = await here.application();
    const from = someone();
    const ask = async (server: TestServer) => (await createUser(server, application, from)).status;
    const answers = async (server: TestServer, count: number) =>
      new Set(await Promise.all(Array.from({ length: count }, () => ask(server))));
    expect(await answers(here, 20)).toEqual(new Set([200]));
    expect(await answers(there, 9)).toEqual(new Set([200]));
    // One of 30 requests is left, on one of the replicas; soon, neither allows another.
    await expect.poll(async () => [await ask(here), await ask(there)]).toEqual([429, 429]);
  });

  test('what replicas allow at once beyond the limit refills first', async () => {
    const limit = { quota: 30, seconds: 3600 };
    const replicas = [here, there].map(
      ({ service: { storage, keyring, now } }) =>
        new Allowances(storage, keyring, now, (error) => {
          throw error;
        }),
    );
    for (const replica of replicas) for (let count = 0; count < 30; count++) replica.spend('flooding', limit);
    const waits = () => replicas.map((replica) => replica.look('flooding', limit));
    expect(waits().map(({ left }) => left)).toEqual([0, 0]);
    // The replica that syncs last learns that the next hour is already spent.
    await expect.poll(() => Math.max(...waits().map(({ ms }) => ms))).toBeGreaterThan(3_600_000);
    expect(waits().map(({ left }) => left)).toEqual([0, 0]);
    await Promise.all(replicas.map((replica) => replica.close()));
  });
});

test('valid limits', () => {
  expect(readRateLimit('600/1m')).toEqual({ quota: 600, seconds: 60 });
  expect(readRateLimit('1/86400s')).toEqual({ quota: 1, seconds: 86_400 });
  expect(readRateLimit('off')).toBe('off');
  for (const text of [
    '',
    '0/1s',
    '1/0s',
    '1/2d',
    '600',
    '1.5/1s',
    '-1/1s',
    '1/1w',
    ' 1/1s',
    '9999999999/1s',
    600,
    null,
  ]) {
    expect([text, readRateLimit(text)]).toEqual([text, undefined]);
  }
});
