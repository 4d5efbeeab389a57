import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { maskRequest } from '../../src/monitoring/logged-request.ts';
import { databases } from '../databases.ts';
import { dump, KEEP_IDS } from '../dump.ts';
import { withCatalog } from '../http/options/example-catalog.ts';
import { basic, bearer, makeSignedInUser, startTestServer, type TestServer, uniqueName } from '../http/start.ts';
import { type Manage, manageWith } from './manage.ts';

type Logged = Record<string, unknown> & { requestUid: string; path: string; status: number };
type Listed = { items: Logged[]; next: string | null; sampled: { kept: number; of: number } };

describe.each(databases)('the request log of /manage/v1 on $kind', (database) => {
  let url: string;
  let server: TestServer;
  let manage: Manage;
  beforeAll(async () => {
    url = await database.fresh();
    server = await startTestServer(url);
    manage = await manageWith(server);
  });
  afterAll(() => server.close());

  const list = async (clientId: string, query = '') =>
    (await manage.get(`/applications/${clientId}/requests?${query}`)).json as unknown as Listed;
  /** Waits until that many are logged: they are written once a second. */
  const logged = (clientId: string, count: number) =>
    vi.waitFor(
      async () => {
        const { items } = await list(clientId, 'limit=200');
        expect(items).toHaveLength(count);
        return items;
      },
      { timeout: 30_000, interval: 100 },
    );
  const bodies = async (clientId: string, { requestUid }: Logged) =>
    (await manage.get(`/applications/${clientId}/requests/${requestUid}`)).json;

  test('requests and responses are logged without secrets', async () => {
    const { application, apiKey, keyNamed } = await withCatalog(server);
    const { clientId } = application;
    const user = await makeSignedInUser(server, application);
    const motto = await keyNamed('motto');
    const choice = { option_group_uid: motto.option_group_uid, option_key_uid: motto.option_key_uid };
    await server.post(
      '/api/user_options?language=en',
      { ...choice, access_token: user.accessToken, value: ['Carpe diem'] },
      { ...apiKey, 'user-agent': 'canary/1', 'x-request-id': 'mine-1' },
    );
    await server.post('/api/user_options', { ...choice, user_uid: user.userCode, value: [7] }, apiKey);
    await server.send('GET', '/api/user_options', { headers: { ...apiKey, ...bearer(user.accessToken) } });
    await server.send('GET', '/api/option_groups?limit=1', { headers: apiKey });
    await server.send('GET', '/api/option_gruops', { headers: apiKey });
    const items = (await logged(clientId, 8)).toReversed();

    expect(items.map(({ method, route, status, code }) => [method, route, status, code])).toEqual([
      ['POST', '/api/v2/app/create-user', 200, null],
      ['POST', '/oauth/v2/get-access-token', 200, null],
      // `keyNamed` reads the keys.
      ['GET', '/api/option_keys', 200, null],
      ['POST', '/api/user_options', 201, null],
      ['POST', '/api/user_options', 422, '1008'],
      ['GET', '/api/user_options', 200, null],
      ['GET', '/api/option_groups', 200, null],
      ['GET', null, 404, '9404'],
    ]);
    const [created, granted, , saved, refused, read, groups, lost] = items as [Logged, ...Logged[]];
    expect(await bodies(clientId, created)).toMatchObject({
      userUid: user.userCode,
      credentials: 'none',
      request: JSON.stringify({
        clientId,
        clientSecret: '[masked]',
        clientUserId: user.clientUserId,
        clientUserName: 'Test user',
      }),
      answer: JSON.stringify({
        specialToken: '[masked]',
        clientId,
        clientUserId: user.clientUserId,
        clientUserName: 'Test user',
      }),
    });
    expect(await bodies(clientId, granted as Logged)).toMatchObject({
      userUid: user.userCode,
      request: '{"clientSecret":"[masked]","specialToken":"[masked]"}',
      answer: expect.stringContaining('"access_token":"[masked]"'),
    });
    expect(await bodies(clientId, saved as Logged)).toMatchObject({
      path: '/api/user_options?language=en',
      address: '127.0.0.0/24',
      userAgent: 'canary/1',
      requestId: 'mine-1',
      request: JSON.stringify({ ...choice, access_token: '[masked]', value: ['Carpe diem'] }),
      answer: expect.stringContaining('"value":"Carpe diem"'),
      milliseconds: expect.any(Number),
    });
    expect(await bodies(clientId, refused as Logged)).toMatchObject({
      userUid: user.userCode,
      answer: expect.stringContaining('"code":"1008"'),
    });
    expect(read).toMatchObject({ credentials: 'bearer', userUid: user.userCode });
    expect(await bodies(clientId, groups as Logged)).toMatchObject({
      path: '/api/option_groups?limit=1',
      request: null,
      answer: expect.stringContaining('"kitchen"'),
    });
    expect(lost).toMatchObject({ path: '/api/option_gruops', userUid: null });

    // Filters and pages.
    const paths = async (query: string) =>
      (await list(clientId, query)).items.map(({ path, status }) => [path, status]);
    expect(await paths('status=4xx')).toEqual([
      ['/api/option_gruops', 404],
      ['/api/user_options', 422],
    ]);
    expect(await paths('status=failed')).toEqual(await paths('status=4xx'));
    expect(await paths('code=1008&method=POST')).toEqual([['/api/user_options', 422]]);
    expect(await paths('path=/api/option_g&status=2xx')).toEqual([['/api/option_groups?limit=1', 200]]);
    expect(await paths(`userUid=${user.userCode}&limit=1`)).toEqual([['/api/user_options', 200]]);
    expect(await paths('requestId=mine-1')).toEqual([['/api/user_options?language=en', 201]]);
    expect(await paths('requestId=mine')).toEqual([]);
    expect(await paths('from=2020-01-01&to=2020-01-02T03:04:05Z')).toEqual([]);
    const first = await list(clientId, 'limit=3');
    expect(first).toMatchObject({ next: first.items[2]?.requestUid, sampled: { kept: 8, of: 8 } });
    const rest = await list(clientId, `after=${first.next}`);
    expect([...first.items, ...rest.items].map(({ requestUid }) => requestUid)).toEqual(
      items.map(({ requestUid }) => requestUid).toReversed(),
    );
    expect(rest.next).toBeNull();
  });

  test('our secrets are never stored, wherever a client puts them', async () => {
    const application = await server.application();
    const { clientId } = application;
    const apiKey = { apiKey: clientId };
    const secrets = ['ikp_', 'iks_', 'ikl_', 'iku_', 'iki_', 'ink_'].map(
      (kind) => kind + randomBytes(32).toString('hex'),
    );
    for (const secret of secrets) {
      await makeSignedInUser(server, application, `user of ${secret}`);
      await server.send('GET', `/api/option_groups?language=${secret}`, { headers: apiKey });
      await server.send('GET', `/api/${secret}`, { headers: { ...apiKey, 'user-agent': `curl ${secret}` } });
      await server.post('/api/user_options', { [secret]: secret, value: [secret], option_group_name: secret }, apiKey);
    }
    const items = await logged(clientId, 5 * secrets.length);
    const kept = JSON.stringify([items, ...(await Promise.all(items.map((item) => bodies(clientId, item))))]);
    expect(kept).toContain('user of [masked]');
    for (const secret of secrets) expect([secret, kept.includes(secret.slice(4))]).toEqual([secret, false]);
  });

  test('credentials are never stored, wherever they were sent', async () => {
    const { application, apiKey, keyNamed } = await withCatalog(server);
    const { clientId, clientSecret } = application;
    const user = await makeSignedInUser(server, application);
    const opaque = `opaque-${randomUUID()}-token`;
    const canaries = [clientSecret, user.specialToken, user.accessToken, opaque];
    const motto = await keyNamed('motto');
    const choice = { option_group_uid: motto.option_group_uid, option_key_uid: motto.option_key_uid, value: ['x'] };
    const json = { 'content-type': 'application/json' };
    const send = (method: string, path: string, body: string | undefined, headers: Record<string, string>) =>
      server.send(method, path, { headers: { ...json, ...headers }, ...(body !== undefined && { body }) });
    for (const canary of canaries) {
      const hidden = { clientId, clientSecret: canary, client_secret: canary, secret: canary, [canary]: canary };
      const named = { ...hidden, clientUserId: uniqueName(), clientUserName: 'x' };
      await server.post('/api/v2/app/create-user', named, { 'user-agent': `agent ${clientSecret}` });
      await server.post('/api/v2/app/create-user', { ...named, clientUserName: { clientSecret: canary } });
      await send('POST', '/api/v2/app/create-user', `{"clientId":"${clientId}","clientSecret":"${canary}"`, {});
      await server.post('/oauth/v2/get-access-token', { clientSecret, specialToken: canary });
      await server.post('/api/user_options', { ...choice, access_token: canary, options: [canary, [canary]] }, apiKey);
      await server.post('/api/user_options', { ...choice, user_uid: canary, value: [[canary]] }, apiKey);
      await send('POST', '/api/user_options', `"${canary}"`, { ...apiKey, ...bearer(canary) });
      await send('GET', `/api/user_options?access_token=${canary}&${canary}=1&user_uid=${canary}`, undefined, apiKey);
      await send('GET', `/api/user_options/${canary}`, undefined, { ...apiKey, ...bearer(user.accessToken) });
      await send('DELETE', `/api/v2/app/${clientId}/users/${canary}`, undefined, bearer(canary));
      await send('GET', `/api/option_groups/${canary}`, undefined, apiKey);
      await send('GET', `/no/such/${canary}`, undefined, { ...apiKey, 'x-request-id': canary.slice(0, 100) });
    }
    await server.send('POST', '/oauth/v2/introspect', {
      headers: basic(application),
      body: new URLSearchParams({ token: user.accessToken, client_secret: clientSecret }),
    });
    await vi.waitFor(async () => expect((await list(clientId)).items[0]?.route).toBe('/oauth/v2/introspect'), {
      timeout: 30_000,
      interval: 100,
    });
    const everything = await dump(url);
    expect(everything).toContain('/api/option_groups/');
    const { items } = await list(clientId, 'limit=200');
    const shown = await Promise.all(items.map((item) => bodies(clientId, item)));
    expect(shown.length).toBeGreaterThan(40);
    const sent = [...canaries, Buffer.from(`${clientId}:${clientSecret}`).toString('base64')];
    for (const canary of sent) {
      // Not `not.toContain`, which would print everything if it failed.
      expect(everything.includes(canary)).toBe(false);
      expect(JSON.stringify(shown).includes(canary)).toBe(false);
    }
  });

  test('deleting a user deletes their log entries, also later ones', async () => {
    const { application, apiKey, keyNamed } = await withCatalog(server);
    const { clientId, clientSecret } = application;
    const clientUserId = `${uniqueName('grace')}@example.com`;
    const user = await makeSignedInUser(server, application, clientUserId);
    const name = uniqueName('Name');
    const motto = await keyNamed('motto');
    const choice = { option_group_uid: motto.option_group_uid, option_key_uid: motto.option_key_uid };
    const ask = async () => {
      await server.post('/api/v2/app/create-user', { clientId, clientSecret, clientUserId, clientUserName: name });
      await server.post('/api/v2/app/special-token', { clientId, clientSecret, clientUserId });
      await server.post('/api/v2/app/special-token', { clientId, clientSecret: 'wrong', clientUserId });
      await server.post('/api/user_options', { ...choice, user_uid: user.userCode, value: ['canary motto'] }, apiKey);
      await server.post('/api/user_options', { ...choice, access_token: 'x', value: ['canary motto'] }, apiKey);
      await server.send('GET', `/api/user_options?user_uid=${user.userCode}`, {
        headers: { ...apiKey, ...basic(application) },
      });
    };
    await ask();
    await logged(clientId, 9);
    // This request is not yet logged when the user is deleted.
    await server.post('/api/user_options', { ...choice, user_uid: user.userCode, value: ['canary motto'] }, apiKey);
    const erased = await server.send('DELETE', `/api/v2/app/${clientId}/users/${user.userCode}`, {
      headers: basic(application),
    });
    expect(erased.status).toBe(204);
    // Requests that name a deleted user. Not create-user, which would create a new one.
    await server.post('/api/user_options', { ...choice, user_uid: user.userCode, value: ['canary motto'] }, apiKey);
    await server.post('/api/v2/app/special-token', { clientId, clientSecret, clientUserId });
    const left = await vi.waitFor(
      async () => {
        const { items } = await list(clientId);
        expect(items.filter(({ code }) => code === '0025')).toHaveLength(1);
        return items;
      },
      { timeout: 30_000, interval: 100 },
    );
    expect(left.every(({ userUid }) => userUid === null)).toBe(true);
    expect(left.map(({ path }) => path)).toContain(`/api/v2/app/${clientId}/users/[masked]`);
    const everything = await dump(url);
    const traces = [clientUserId, name, 'canary motto'];
    expect(traces.filter((trace) => everything.includes(trace))).toEqual([]);
    expect(await dump(url, KEEP_IDS)).not.toContain(user.userCode);
  });

  test('a busy application is sampled, and the response says so', async () => {
    const { application, apiKey } = await withCatalog(server);
    const { clientId } = application;
    const before = (await list(clientId)).sampled.of;
    for (let i = 0; i < 6; i++) {
      await Promise.all(
        Array.from({ length: 40 }, () => fetch(`${server.url}/api/option_groups`, { headers: apiKey })),
      );
    }
    const refused = await fetch(`${server.url}/api/option_groups?limit=x`, { headers: apiKey });
    expect(refused.status).toBe(400);
    const { items, sampled } = await vi.waitFor(
      async () => {
        const now = await list(clientId, 'limit=200');
        // Errors have their own share of the log.
        expect(now.items.some(({ code }) => code === '1009')).toBe(true);
        return now;
      },
      { timeout: 30_000, interval: 100 },
    );
    expect(sampled.of).toBe(before + 241);
    expect(sampled.kept).toBe(items.length);
    expect(items.length).toBeGreaterThanOrEqual(100);
    expect(items.length).toBeLessThan(180);
  });

  test("viewers do not see an application's requests; another application sees none of them", async () => {
    const { application, apiKey } = await withCatalog(server);
    const { clientId, appId } = application;
    await server.send('GET', '/api/option_groups', { headers: apiKey });
    const [item] = await logged(clientId, 1);
    const reader = await manageWith(server, { appIds: [appId], access: 'read' });
    for (const path of ['requests', `requests/${item?.requestUid}`]) {
      expect((await reader.get(`/applications/${clientId}/${path}`)).json).toMatchObject({ code: '9403' });
    }
    const other = await server.application();
    expect((await list(other.clientId)).items).toEqual([]);
    for (const uid of [item?.requestUid, 'x', randomUUID()]) {
      expect((await manage.get(`/applications/${other.clientId}/requests/${uid}`)).json).toMatchObject({
        code: '9404',
      });
    }
  });

  test.each([
    ['status=6xx', 'status'],
    ['method=get', 'method'],
    ['userUid=ada', 'userUid'],
    ['after=x', 'after'],
    ['limit=0', 'limit'],
    ['from=yesterday', 'from'],
    ['from=2026-02-31', 'from'],
    ['from=2026-02-02&to=2026-02-01', 'to'],
    ['path=%00', 'path'],
    ['code=a&code=b', 'code'],
  ])('%s: 9400 and the field', async (query, field) => {
    const { clientId } = await server.application();
    expect(await manage.get(`/applications/${clientId}/requests?${query}`)).toMatchObject({
      status: 400,
      json: { code: '9400', errors: [{ field }] },
    });
  });

  test('when off, nothing is logged, and counting continues', async () => {
    const quiet = await startTestServer(url, { requestLog: 'off' });
    const { application, apiKey } = await withCatalog(quiet);
    await quiet.send('GET', '/api/option_groups', { headers: apiKey });
    await quiet.close();
    expect(await list(application.clientId)).toMatchObject({ items: [], sampled: { kept: 0, of: 1 } });
  });
});

test('a secret is masked even if the text is cut inside it', () => {
  const clientUserName = `${'x'.repeat(240)} ink_${'a'.repeat(43)}`;
  const { full } = maskRequest(undefined, { clientUserName });
  expect(full).toContain('xxx');
  expect(full).not.toContain('ink_');
});
