import { networkInterfaces } from 'node:os';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { NewApplication } from '../../src/domain/applications/application.ts';
import { version } from '../../src/package.ts';
import { databases } from '../databases.ts';
import {
  type Answer,
  basic,
  makeSignedInUser,
  SECRET,
  startTestServer,
  type TestServer,
  uniqueName,
} from '../http/start.ts';
import { flakyProxy } from '../postgres/flaky-proxy.ts';
import { type PostgresServer, startPostgres } from '../postgres-server.ts';
import { readPrometheus } from './prometheus.ts';
import { endAll, makeApplication, serve } from './serve-process.ts';

const METRICS_TOKEN = 'a token for the metrics of tests';
let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterEach(endAll);
afterAll(() => postgres.stop());

async function createUser(url: string, { clientId, clientSecret }: NewApplication): Promise<string> {
  const body = JSON.stringify({ clientId, clientSecret, clientUserId: uniqueName(), clientUserName: 'Name' });
  const created = await fetch(`${url}/api/v2/app/create-user`, { method: 'POST', body });
  expect(created.status).toBe(200);
  return ((await created.json()) as { specialToken: string }).specialToken;
}

/** Seconds since it last had all changes of other processes. */
async function changeLag(url: string): Promise<number | undefined> {
  const samples = readPrometheus(await (await fetch(`${url}/metrics`)).text());
  return samples.find(({ name }) => name === 'innkeeper_change_log_lag_seconds')?.value;
}

/** Sends a valid request for every operation in parallel; returns the time of the slowest. */
async function askAll(url: string, application: NewApplication, specialToken: string) {
  const { clientId, clientSecret } = application;
  const post = (path: string, body: unknown) => fetch(url + path, { method: 'POST', body: JSON.stringify(body) });
  const started = performance.now();
  const answers = await Promise.all([
    post('/api/v2/app/create-user', { clientId, clientSecret, clientUserId: uniqueName(), clientUserName: 'Name' }),
    post('/api/v2/app/special-token', { clientId, clientSecret, clientUserId: uniqueName() }),
    post('/oauth/v2/get-access-token', { clientSecret, specialToken }),
    fetch(`${url}/api/v2/app/${clientId}/users/${crypto.randomUUID()}`, {
      method: 'DELETE',
      headers: basic(application),
    }),
  ]);
  return { answers, ms: performance.now() - started };
}

describe('when the database is gone', () => {
  it.each(['fast', 'crash'] as const)('(%s) it says so, keeps running, and recovers', async (how) => {
    const databaseUrl = await postgres.createDatabase();
    const application = await makeApplication(databaseUrl);
    const server = await serve({ settings: { databaseUrl, secret: SECRET, logLevel: 'warn' } });
    const specialToken = await createUser(server.url, application);
    await postgres.pause(how);

    for (let round = 0; round < 3; round++) {
      const { answers, ms } = await askAll(server.url, application, specialToken);
      expect(ms).toBeLessThan(20_000);
      for (const answer of answers) {
        expect(answer.status).toBe(503);
        expect(answer.headers.get('retry-after')).toBe('1');
        expect(await answer.json()).toMatchObject({ code: '9503' });
      }
      const ready = await fetch(`${server.url}/readyz`);
      expect(ready.status).toBe(503);
      expect(await ready.json()).toMatchObject({ code: '9503' });
      expect((await fetch(`${server.url}/livez`)).status).toBe(200);
      expect((await fetch(`${server.url}/metrics`)).status).toBe(200);
    }

    // The change log is polled every 400 ms.
    await vi.waitFor(async () => expect(await changeLag(server.url)).toBeGreaterThan(2), { timeout: 30_000 });
    await postgres.resume();
    await vi.waitFor(async () => expect(await changeLag(server.url)).toBeLessThan(2), { timeout: 30_000 });
    await vi.waitFor(async () => expect((await fetch(`${server.url}/readyz`)).status).toBe(200), { timeout: 30_000 });
    await createUser(server.url, application);
    const causes = server.logs().filter(({ code }) => code === '9503');
    expect(causes[0]).toMatchObject({ level: 'error', err: { message: expect.stringContaining('PostgreSQL') } });

    server.signal('SIGTERM');
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect(server.stderr()).toBe('');
  });

  it('(no response at all) no request waits long, and the shutdown is not delayed', async () => {
    const proxy = await flakyProxy(await postgres.createDatabase());
    try {
      const application = await makeApplication(proxy.url);
      const server = await serve({ settings: { databaseUrl: proxy.url, secret: SECRET, logLevel: 'fatal' } });
      const specialToken = await createUser(server.url, application);
      proxy.blackHole();
      const ready = fetch(`${server.url}/readyz`);
      const { answers, ms } = await askAll(server.url, application, specialToken);
      expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
      expect(ms).toBeLessThan(20_000);
      expect((await ready).status).toBe(503);
      proxy.heal();
      await vi.waitFor(async () => expect((await fetch(`${server.url}/readyz`)).status).toBe(200), { timeout: 30_000 });
      proxy.blackHole();
      server.signal('SIGTERM');
      expect((await server.exited).signal).toBeNull();
    } finally {
      await proxy.close();
    }
  });
});

describe.each(databases)('a healthy server on $kind', ({ fresh }) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await fresh(), { metricsToken: METRICS_TOKEN });
  });
  afterAll(() => server.close());

  it.each(['/livez', '/readyz'])('%s is 200, and never cached', async (path) => {
    const answer = await server.send('GET', path);
    expect(answer).toMatchObject({ status: 200, json: { status: 'ok' } });
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it.each([
    ['from the same machine', {}, 200],
    ['through a proxy', { 'x-forwarded-for': '192.0.2.1' }, 401],
    ['through a proxy that names itself', { via: '1.1 proxy' }, 401],
    ['through a proxy that sends Forwarded', { forwarded: 'for=192.0.2.1' }, 401],
    ['through a proxy that sends X-Real-IP', { 'x-real-ip': '192.0.2.1' }, 401],
    ['remote with the token', { 'x-forwarded-for': '192.0.2.1', authorization: `Bearer ${METRICS_TOKEN}` }, 200],
    ['remote with a wrong token', { 'x-forwarded-for': '192.0.2.1', authorization: 'Bearer wrong' }, 401],
    ['remote with a longer token', { 'x-forwarded-for': 'x', authorization: `Bearer ${METRICS_TOKEN}x` }, 401],
  ])('/metrics %s', async (_case, headers, status) => {
    const answer = await server.send('GET', '/metrics', { headers: headers as Record<string, string> });
    expect(answer.status).toBe(status);
    if (status === 401) {
      expect(answer.json.code).toBe('9401');
      expect(answer.headers.get('www-authenticate')).toContain('Bearer');
      expect(answer.text).not.toContain('innkeeper_requests');
    }
  });

  it('/metrics recognises the same machine by any of its addresses', async () => {
    const { fresh: freshHere } = databases[0] as (typeof databases)[0];
    const everywhere = await startTestServer(await freshHere(), { host: '::' });
    try {
      const port = new URL(everywhere.url).port;
      const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
      const reachable = own.filter(({ scopeid = 0 }) => scopeid === 0);
      expect(reachable.length).toBeGreaterThan(0);
      for (const { address, family } of reachable) {
        const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/metrics`;
        expect({ address, status: (await fetch(url)).status }).toEqual({ address, status: 200 });
        const forwarded = await fetch(url, { headers: { 'x-forwarded-for': address } });
        expect({ address, status: forwarded.status }).toEqual({ address, status: 401 });
      }
    } finally {
      await everywhere.close();
    }
  });

  it("/metrics has the operator's metrics in Prometheus format", async () => {
    const application = await server.application();
    for (let count = 0; count < 5; count++) await makeSignedInUser(server, application);
    await server.post('/api/v2/app/create-user', { ...application, clientSecret: 'wrong', clientUserId: 'a' });
    const answer: Answer = await server.send('GET', '/metrics');
    expect(answer.headers.get('content-type')).toContain('version=0.0.4');
    const samples = readPrometheus(answer.text);
    const value = (name: string, labels: Record<string, string> = {}): number => {
      const found = samples.filter(
        (sample) => sample.name === name && Object.entries(labels).every(([key, text]) => sample.labels[key] === text),
      );
      expect(found.length, `${name} ${JSON.stringify(labels)}`).toBeGreaterThan(0);
      return found.reduce((sum, sample) => sum + sample.value, 0);
    };
    const route = '/api/v2/app/create-user';
    expect(value('innkeeper_requests_total', { method: 'POST', route, status: '200' })).toBe(5);
    expect(value('innkeeper_requests_total', { route, status: '400', code: '0023' })).toBe(1);

    const buckets = samples.filter(
      ({ name, labels }) => name === 'innkeeper_request_seconds_bucket' && labels.route === route,
    );
    const counts = buckets.map((bucket) => bucket.value);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(buckets.at(-1)).toMatchObject({ labels: { le: '+Inf' }, value: 6 });
    expect(value('innkeeper_request_seconds_count', { route })).toBe(6);
    expect(value('innkeeper_request_seconds_sum', { route })).toBeGreaterThan(0);

    const act = 'users.createWithToken';
    expect(value('innkeeper_database_seconds_count', { act })).toBe(5);
    expect(value('innkeeper_database_seconds_bucket', { act, le: '+Inf' })).toBe(5);
    expect(value('innkeeper_database_seconds_sum', { act })).toBeGreaterThan(0);
    expect(value('innkeeper_database_seconds_count', { act: 'tokens.exchange' })).toBe(5);
    expect(value('innkeeper_change_log_lag_seconds')).toBeGreaterThanOrEqual(0);

    expect(
      value('innkeeper_build_info', { version, node: process.version, database: server.service.storage.kind }),
    ).toBe(1);
    expect(value('nodejs_eventloop_lag_seconds')).toBeGreaterThanOrEqual(0);
    expect(value('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0);
    expect(value('innkeeper_committed_acts')).toBeGreaterThanOrEqual(10);
    expect(value('innkeeper_committed_batches')).toBeGreaterThanOrEqual(1);
    expect(value('innkeeper_waiting_acts')).toBeGreaterThanOrEqual(0);
    expect(value('innkeeper_database_connections')).toBeGreaterThanOrEqual(1);
    expect(value('innkeeper_database_connections_idle')).toBeGreaterThanOrEqual(0);
    expect(value('innkeeper_database_waiting')).toBe(0);
  });

  it('/metrics does not grow with made-up paths and methods', async () => {
    for (let count = 0; count < 20; count++) await server.send('GET', `/${uniqueName()}`);
    const samples = readPrometheus((await server.send('GET', '/metrics')).text);
    const routes = new Set(samples.flatMap(({ labels }) => labels.route ?? []));
    expect(routes).toContain('unknown');
    expect([...routes].filter((route) => route.startsWith('/user-'))).toEqual([]);
  });
});
