import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { startTestServer, type TestServer } from '../http/start.ts';
import { manageAs, manageWith } from './manage.ts';

describe.each(databases)('personal access tokens on $kind', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
  });
  afterAll(() => server.close());

  test.each([
    ['none', {}, /is required/],
    ['an unknown one', { authorization: `Bearer ikp_${'a'.repeat(43)}` }, /is invalid/],
    ['something else', { authorization: 'Bearer something' }, /is invalid/],
    ['another scheme', { authorization: 'Basic YTpi' }, /is invalid/],
    ['nothing readable', { authorization: 'Bearer' }, /is invalid/],
  ])('with %s: 9401, and no browser asks for a password', async (_, headers, message) => {
    for (const path of ['/manage/v1/applications', '/manage/v1/applications/1_a/catalog']) {
      const answer = await server.send('GET', path, { headers: headers as Record<string, string> });
      expect(answer).toMatchObject({ status: 401, json: { code: '9401', message: expect.stringMatching(message) } });
      expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="innkeeper"');
    }
  });

  test('an expired or revoked one stops working immediately', async () => {
    const { storage } = server.service;
    const expired = await manageWith(server, { lifetimeSeconds: -1 });
    expect((await expired.get('/applications')).json.code).toBe('9401');
    const revoked = await manageWith(server, { name: 'revoked' });
    expect((await revoked.get('/applications')).status).toBe(200);
    const { tokenId } = (await storage.manageTokens.list()).find(({ name }) => name === 'revoked') ?? { tokenId: '' };
    expect(await storage.manageTokens.revoke(tokenId)).toBe('revoked');
    expect((await revoked.get('/applications')).json.code).toBe('9401');
  });

  test('a token is limited to its applications: others look like ones that do not exist', async () => {
    const [mine, other] = [await server.application(), await server.application()];
    const manage = await manageWith(server, { appIds: [mine.appId] });
    expect((await manage.get(`/applications/${mine.clientId}`)).status).toBe(200);
    const foreign = await manage.get(`/applications/${other.clientId}`);
    const nobodys = await manage.get('/applications/1_a');
    expect(foreign).toMatchObject({ status: 404, json: { code: '9404' } });
    expect(foreign.json).toEqual(nobodys.json);
    for (const [method, path] of [
      ['PUT', '/catalog'],
      ['DELETE', ''],
      ['GET', '/users'],
      ['POST', '/secrets'],
    ]) {
      const body = method === 'GET' ? undefined : {};
      const answer = await manage.send(method as string, `/applications/${other.clientId}${path}`, body);
      expect(answer.json.code).toBe('9404');
    }
    const { json } = await manage.get('/applications');
    expect(json).toMatchObject({ total: 1, items: [{ clientId: mine.clientId, access: 'own' }] });
    const made = await manage.send('POST', '/applications', { name: 'More' });
    expect(made).toMatchObject({ status: 403, json: { code: '9403' } });
  });

  test('a token of a deleted application does not apply to all', async () => {
    const application = await server.application();
    const manage = await manageWith(server, { appIds: [application.appId] });
    await server.service.storage.applications.delete(application.appId);
    expect((await manage.get('/applications')).json).toMatchObject({ items: [], total: 0 });
  });

  test('a read-only token changes nothing', async () => {
    const application = await server.application();
    const manage = await manageWith(server, { access: 'read' });
    const path = `/applications/${application.clientId}`;
    const uid = '0198c0de-0000-7000-8000-000000000000';
    for (const [method, rest] of [
      ['PATCH', ''],
      ['DELETE', `?confirm=${application.clientId}`],
      ['POST', '/secrets'],
      ['DELETE', '/secrets/previous'],
      ['PUT', '/catalog'],
      ['PUT', '/catalog/languages'],
      ['POST', '/catalog/groups'],
      ['PATCH', `/catalog/groups/${uid}`],
      ['DELETE', `/catalog/groups/${uid}`],
      ['POST', `/catalog/groups/${uid}/keys`],
      ['PATCH', `/catalog/keys/${uid}`],
      ['DELETE', `/catalog/keys/${uid}`],
      ['PUT', `/catalog/keys/${uid}/values`],
      ['PUT', '/catalog/order'],
      ['PATCH', '/catalog/translations'],
      ['POST', '/catalog/translations/import'],
      ['POST', '/revisions/1/restore'],
      ['DELETE', `/users/${uid}`],
      ['POST', `/users/${uid}/special-token`],
      ['DELETE', `/users/${uid}/tokens/${uid}`],
    ] as const) {
      const answer = await manage.send(method, path + rest, {}, { 'if-match': '*' });
      expect([method, rest, answer.status, answer.json.code]).toEqual([method, rest, 403, '9403']);
    }
    expect((await manage.send('POST', '/applications', { name: 'X' })).json.code).toBe('9403');
    expect((await manage.get(path)).json).toMatchObject({ access: 'read', name: 'Test' });
    const file = { languages: [{ name: 'English', tag: 'en' }], groups: [] };
    expect((await manage.send('POST', `${path}/catalog/plan`, file)).status).toBe(200);
  });

  test('its last use is recorded without delaying requests', async () => {
    const { storage } = server.service;
    const manage = await manageWith(server, { name: 'used' });
    const lastUse = async () => (await storage.manageTokens.list()).find(({ name }) => name === 'used')?.lastUsedAt;
    expect(await lastUse()).toBeNull();
    const before = server.service.now();
    await manage.get('/applications');
    await expect.poll(lastUse).toBeGreaterThanOrEqual(before);
    const noted = await lastUse();
    await manage.get('/applications');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await lastUse()).toBe(noted);
  });

  test('guessing is throttled; requests with a valid token, or none, are not', async () => {
    const good = await manageWith(server);
    const guess = manageAs(server, `ikp_${'b'.repeat(43)}`);
    const codes = new Set<unknown>();
    for (let round = 0; round < 6; round++) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => guess.get('/applications')));
      for (const { json } of answers) codes.add(json.code);
    }
    expect([...codes].sort()).toEqual(['9401', '9429']);
    expect((await good.get('/applications')).status).toBe(200);
    expect((await server.send('GET', '/manage/v1/applications')).json.code).toBe('9401');
  });
});

describe('without the portal', () => {
  test('nothing is served at /manage/v1', async () => {
    const [sqlite] = databases as [(typeof databases)[0]];
    const server = await startTestServer(await sqlite.fresh(), { serve: 'users,options' });
    try {
      const manage = await manageWith(server);
      expect(await manage.get('/applications')).toMatchObject({ status: 404, json: { code: '9404' } });
    } finally {
      await server.close();
    }
  });
});
