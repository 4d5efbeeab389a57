import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { makeSignedInUser, makeUser, startTestServer, type TestServer, uniqueName } from '../http/start.ts';
import { type Manage, manageWith } from './manage.ts';

const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
const DEFAULTS = {
  specialTokenTtl: 600,
  accessTokenTtl: 3600,
  deleteNeedsCredentials: true,
  saveByUserUid: 'open',
  allowedOrigins: [],
  rateLimit: 'default',
  addressRateLimit: 'off',
  historyKept: 0,
  eventsKept: 30,
  tokenAlgorithm: 'EdDSA',
  tokenClaims: [],
  accentColor: '',
  logo: '',
};

const FINGERPRINT = expect.stringMatching(/^[\da-f]{8}$/);

describe.each(databases)('applications of /manage/v1 on $kind', (database) => {
  let server: TestServer;
  let manage: Manage;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
    manage = await manageWith(server);
  });
  afterAll(() => server.close());

  const make = async (name = 'Acme') => {
    const { status, json } = await manage.send('POST', '/applications', { name });
    expect(status).toBe(201);
    return json as { clientId: string; clientSecret: string; name: string };
  };

  test('a new one can be used immediately, and its secret is shown once', async () => {
    const name = '<img src=x onerror=alert(1)> "Ünï"\'; drop table';
    const made = await manage.send('POST', '/applications', { name });
    expect(made.status).toBe(201);
    expect(made.headers.get('cache-control')).toBe('no-store');
    expect(made.json).toEqual({
      clientId: expect.stringMatching(/^\d+_[0-9a-f]{32}$/),
      clientSecret: expect.stringMatching(/^ink_[\w-]{43}$/),
      name,
    });
    const application = made.json as { clientId: string; clientSecret: string; name: string };
    const shown = await server.send('GET', made.headers.get('location') as string, {
      headers: { authorization: `Bearer ${manage.token}` },
    });
    expect(shown.json).toEqual({
      clientId: application.clientId,
      name,
      createdAt: expect.stringMatching(TIME),
      access: 'own',
      settings: DEFAULTS,
      changedSettings: [],
      secrets: [
        { fingerprint: FINGERPRINT, createdAt: expect.stringMatching(TIME), expiresAt: null, lastUsedAt: null },
      ],
      counts: { users: 0, moreUsers: false, languages: 0, groups: 0, keys: 0, revision: 0 },
    });
    expect(shown.text).not.toContain(application.clientSecret);
    await makeSignedInUser(server, application);
    expect((await manage.get(`/applications/${application.clientId}`)).json.counts).toMatchObject({ users: 1 });
  });

  test.each([
    ['no name', {}, 'name'],
    ['a blank name', { name: ' ' }, 'name'],
    ['a number', { name: 7 }, 'name'],
    ['a long name', { name: 'x'.repeat(256) }, 'name'],
    ['something unknown', { name: 'x', colour: 'red' }, 'colour'],
  ])('%s: 9400 and the field', async (_, body, field) => {
    const answer = await manage.send('POST', '/applications', body);
    expect(answer).toMatchObject({ status: 400, json: { code: '9400', errors: [{ field }] } });
  });

  test.each(['', '[]', '{', '{"name":"a","name":"b"}'])('the body %j: 9400', async (body) => {
    const answer = await server.send('POST', '/manage/v1/applications', {
      headers: { authorization: `Bearer ${manage.token}` },
      body,
    });
    expect(answer).toMatchObject({ status: 400, json: { code: '9400' } });
  });

  test('the list is paged, oldest first, with links', async () => {
    const names = [uniqueName('a'), uniqueName('b'), uniqueName('c')];
    for (const name of names) await make(name);
    const all = (await manage.get('/applications?limit=200')).json as { items: { name: string }[]; total: number };
    expect(all.items.map(({ name }) => name).filter((name) => names.includes(name))).toEqual(names);
    const page = await manage.get('/applications?limit=2&offset=1');
    expect(page.json).toMatchObject({ items: all.items.slice(1, 3), total: all.total, offset: 1, limit: 2 });
    expect(page.headers.get('link')).toContain('</manage/v1/applications?offset=3&limit=2>; rel="next"');
    const again = await manage.get('/applications?limit=2&offset=1', {
      'if-none-match': page.headers.get('etag') as string,
    });
    expect(again.status).toBe(304);
    expect((await manage.get('/applications?limit=-1')).json).toMatchObject({
      code: '9400',
      errors: [{ field: 'limit' }],
    });
  });

  test('a change applies immediately, and leaves other settings alone', async () => {
    const application = await make();
    const path = `/applications/${application.clientId}`;
    const first = await manage.send('PATCH', path, {
      settings: { accessTokenTtl: '2h', deleteNeedsCredentials: false },
    });
    expect(first).toMatchObject({
      status: 200,
      json: {
        settings: { ...DEFAULTS, accessTokenTtl: 7200, deleteNeedsCredentials: false },
        changedSettings: ['accessTokenTtl', 'deleteNeedsCredentials'],
      },
    });
    const origins = ['https://a.example', 'http://localhost:3000'];
    const second = await manage.send('PATCH', path, {
      name: 'Renamed',
      settings: { accessTokenTtl: null, allowedOrigins: origins },
    });
    expect(second.json).toMatchObject({
      name: 'Renamed',
      settings: { ...DEFAULTS, deleteNeedsCredentials: false, allowedOrigins: origins },
      changedSettings: ['deleteNeedsCredentials', 'allowedOrigins'],
    });
    const { userCode } = await makeSignedInUser(server, application);
    const removed = await server.send('DELETE', `/api/v2/app/${application.clientId}/users/${userCode}`);
    expect(removed.status).toBe(204);
  });

  test('no concurrent change is lost', async () => {
    const { clientId } = await make();
    const changes = [
      { settings: { accessTokenTtl: 60 } },
      { settings: { specialTokenTtl: 120 } },
      { settings: { saveByUserUid: 'off' } },
      { settings: { deleteNeedsCredentials: false } },
      { name: 'Together' },
    ];
    await Promise.all(changes.map((change) => manage.send('PATCH', `/applications/${clientId}`, change)));
    expect((await manage.get(`/applications/${clientId}`)).json).toMatchObject({
      name: 'Together',
      settings: {
        ...DEFAULTS,
        accessTokenTtl: 60,
        specialTokenTtl: 120,
        saveByUserUid: 'off',
        deleteNeedsCredentials: false,
      },
    });
  });

  test('invalid settings are reported by field, and nothing changes', async () => {
    const { clientId } = await make();
    const answer = await manage.send('PATCH', `/applications/${clientId}`, {
      name: '',
      settings: { accessTokenTtl: 'soon', saveByUserUid: 'off', nonsense: 1, allowedOrigins: ['nowhere'] },
    });
    expect(answer).toMatchObject({ status: 400, json: { code: '9400' } });
    expect((answer.json.errors as { field: string }[]).map(({ field }) => field)).toEqual([
      'name',
      'settings.accessTokenTtl',
      'settings.nonsense',
      'settings.allowedOrigins',
    ]);
    expect((await manage.get(`/applications/${clientId}`)).json).toMatchObject({ name: 'Acme', settings: DEFAULTS });
    const svg = `data:image/png;base64,${btoa('<svg onload="alert(1)"/>')}`;
    const large = `data:image/png;base64,iVBORw0KGgo${'A'.repeat(21_850)}`;
    for (const settings of [
      ...['red', '#12345', '#12345g', 0x12_34_56].map((accentColor) => ({ accentColor })),
      ...['https://example.com/logo.png', svg, large, 'data:image/png;base64,', 7].map((logo) => ({ logo })),
    ]) {
      const refused = await manage.send('PATCH', `/applications/${clientId}`, { settings });
      expect([refused.status, JSON.stringify(refused.json).length < 1000]).toEqual([400, true]);
    }
    for (const settings of [null, [], 'x']) {
      expect((await manage.send('PATCH', `/applications/${clientId}`, { settings })).json.code).toBe('9400');
    }
  });

  test('a secret is rotated with an overlap, which can be ended', async () => {
    const application = await make();
    const path = `/applications/${application.clientId}`;
    const rotated = await manage.send('POST', `${path}/secrets`, { overlap: '1h' });
    expect(rotated).toMatchObject({
      status: 201,
      json: { clientSecret: expect.stringMatching(/^ink_/), previousExpiresAt: expect.stringMatching(TIME) },
    });
    expect(rotated.headers.get('cache-control')).toBe('no-store');
    const next = { ...application, clientSecret: rotated.json.clientSecret as string };
    const works = async (with_: typeof application) => (await makeUser(server, with_)).specialToken !== undefined;
    expect([await works(application), await works(next)]).toEqual([true, true]);
    const secrets = async () => (await manage.get(path)).json.secrets as Record<string, unknown>[];
    // The last use is recorded after the response.
    await expect.poll(secrets).not.toContainEqual(expect.objectContaining({ lastUsedAt: null }));
    const [createdAt, lastUsedAt] = [expect.stringMatching(TIME), expect.stringMatching(TIME)];
    expect(await secrets()).toEqual([
      { fingerprint: rotated.json.fingerprint, createdAt, expiresAt: null, lastUsedAt },
      { fingerprint: FINGERPRINT, createdAt, expiresAt: rotated.json.previousExpiresAt, lastUsedAt },
    ]);
    const again = await manage.send('POST', `${path}/secrets`, { overlap: '1h' });
    expect(again).toMatchObject({
      status: 409,
      json: { code: '9409', message: expect.stringContaining('previous secret is still valid') },
    });
    expect([await works(application), await works(next)]).toEqual([true, true]);
    expect((await manage.send('DELETE', `${path}/secrets/previous`)).status).toBe(204);
    expect([await works(application), await works(next)]).toEqual([false, true]);
    expect((await manage.send('DELETE', `${path}/secrets/previous`)).status).toBe(204);
    expect(await works(next)).toBe(true);
    expect((await manage.send('POST', `${path}/secrets`, { overlap: 0 })).status).toBe(201);
    expect(await works(next)).toBe(false);
  });

  test('another rotation during the overlap revokes the previous secret only on request', async () => {
    const application = await make();
    const rotate = async (body: object) =>
      await manage.send('POST', `/applications/${application.clientId}/secrets`, body);
    expect((await rotate({})).status).toBe(201);
    expect((await rotate({ revokePrevious: false })).status).toBe(409);
    expect((await rotate({ revokePrevious: true })).status).toBe(201);
    expect((await rotate({ overlap: '0s' })).status).toBe(201);
    expect((await rotate({})).status).toBe(201);
  });

  test.each(['31d', 'soon', -1, true, 1.5])('an overlap of %j: 9400', async (overlap) => {
    const { clientId } = await make();
    const answer = await manage.send('POST', `/applications/${clientId}/secrets`, { overlap });
    expect(answer).toMatchObject({ status: 400, json: { code: '9400', errors: [{ field: 'overlap' }] } });
  });

  test('an application is deleted by repeating its clientId', async () => {
    const application = await make();
    await makeUser(server, application);
    const path = `/applications/${application.clientId}`;
    for (const query of ['', '?confirm=', '?confirm=yes']) {
      const refused = await manage.send('DELETE', path + query);
      expect(refused).toMatchObject({ status: 400, json: { code: '9400', errors: [{ field: 'confirm' }] } });
    }
    expect((await manage.send('DELETE', `${path}?confirm=${application.clientId}`)).status).toBe(204);
    expect((await manage.get(path)).json.code).toBe('9404');
    expect((await makeUser(server, application)).specialToken).toBeUndefined();
  });
});
