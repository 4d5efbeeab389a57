import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { databases } from '../databases.ts';
import { openSession, PASSWORD, setUpToken } from '../portal/portal.ts';
import { makeTestUser } from './options/test-user.ts';
import { bearer, makeSignedInUser, makeUser, startTestServer, type TestServer } from './start.ts';

const HOUR = 3_600_000;

/** The server runs in this process, so changing Date changes its wall clock, but not its monotonic clock. */
describe.each(databases)('a clock changed while the service runs, on $kind', (database) => {
  let server: TestServer;
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'], shouldAdvanceTime: true });
    server = await startTestServer(await database.fresh());
  });
  afterEach(async () => {
    vi.useRealTimers();
    await server.close();
  });

  const setClock = (byMs: number) => vi.setSystemTime(Date.now() + byMs);
  const untilReadyIs = async (status: number) => {
    await vi.waitFor(async () => expect((await fetch(`${server.url}/readyz`)).status).toBe(status), {
      timeout: 30_000,
      interval: 100,
    });
  };

  test('signs nothing while it is wrong, and recovers', { timeout: 90_000 }, async () => {
    if (database.kind !== 'postgres') return;
    const application = await server.application();
    const { clientSecret } = application;
    const before = await makeSignedInUser(server, application);
    const { specialToken } = await makeUser(server, application);
    const exchange = () => server.post('/oauth/v2/get-access-token', { clientSecret, specialToken });
    const active = async () =>
      (
        await server.send('GET', '/api/user_options', {
          headers: { apiKey: application.clientId, authorization: `Bearer ${before.accessToken}` },
        })
      ).status;

    const testUser = await makeTestUser(server);
    const saved = await testUser.save(await testUser.choice('vegetarian', [true]));
    const receipt = () =>
      testUser.get(`/api/user_options/${saved.json.user_options_uid}/receipt`, bearer(testUser.user.accessToken));

    setClock(2.1 * HOUR);
    await untilReadyIs(503);
    const ready = await server.send('GET', '/readyz');
    expect(ready.json.message).toMatch(/2 hours ahead of the database's.*timedatectl set-ntp true/);
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toMatch(/^innkeeper_problem\{kind="clock"\} 1$/m);
    expect(Number(/^innkeeper_clock_skew_seconds (\S+)$/m.exec(metrics)?.[1])).toBeGreaterThan(7_000);
    expect((await exchange()).json.code).toBe('0002');
    expect((await receipt()).json.code).toBe('9503');
    expect(await active()).toBe(200);

    setClock(-2.1 * HOUR);
    await untilReadyIs(200);
    expect((await exchange()).status).toBe(200);
    expect((await receipt()).status).toBe(200);
    expect(await active()).toBe(200);
  });

  test('a service that starts with a wrong clock: PostgreSQL rejects it, SQLite cannot know', async () => {
    setClock(-2.1 * HOUR);
    const starting = database.fresh().then((url) => startTestServer(url));
    if (database.kind === 'sqlite') await (await starting).close();
    else await expect(starting).rejects.toThrow(/2 hours behind the database's.*timedatectl set-ntp true/);
  });

  test('one wrong password while it is 30 days ahead locks no one out', { timeout: 60_000 }, async () => {
    const account = { email: 'ada@example.com', password: PASSWORD };
    expect((await openSession(server, { token: await setUpToken(server), ...account })).status).toBe(201);
    setClock(30 * 24 * HOUR);
    const wrong = await openSession(server, { email: 'eve@example.com', password: 'not the right one' });
    expect(wrong.status).toBe(401);
    setClock(-30 * 24 * HOUR);
    // The network is delayed for one step at most, which is one second.
    await vi.waitFor(async () => expect((await openSession(server, account)).status).toBe(201), { timeout: 20_000 });
  });

  test('a limit with 1 of 4 used rejects no one when it is set back', async () => {
    const application = await server.application({ rateLimit: '4/10m' });
    const { clientId, clientSecret } = application;
    const create = (clientUserId: string) =>
      server.post('/api/v2/app/create-user', { clientId, clientSecret, clientUserId, clientUserName: 'Test' });
    expect((await create('first')).status).toBe(200);
    await sleep(600); // By then the usage was shared: a quarter of an allowance is enough.
    setClock(-HOUR);
    expect((await create('second')).status).toBe(200);
    await sleep(600);
    expect((await create('third')).status).toBe(200);
    expect((await create('fourth')).status).toBe(200);
    // At most the earlier use is forgotten, so the limit still applies.
    await create('fifth');
    expect((await create('sixth')).status).toBe(429);
  });
});
