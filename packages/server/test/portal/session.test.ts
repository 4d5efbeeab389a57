import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { startTestServer, type TestServer } from '../http/start.ts';
import { manageWith } from '../manage/manage.ts';
import {
  cookieOf,
  fromPortal,
  openSession,
  PASSWORD,
  setUpToken,
  signedIn,
  signInToken,
  visitorWith,
} from './portal.ts';

const DAY = 86_400_000;

describe.each(databases)('sessions of the portal on $kind', (database) => {
  let server: TestServer;
  let replica: TestServer;
  beforeAll(async () => {
    const url = await database.fresh();
    server = await startTestServer(url);
    replica = await startTestServer(url);
  });
  afterAll(async () => {
    await server?.close();
    await replica?.close();
  });

  test('a set-up link creates the first account, once, and requires an address', async () => {
    const [token, other] = [await setUpToken(server), await setUpToken(server)];
    for (const email of [undefined, '', 'ada', 'ada@', `${'a'.repeat(250)}@example.com`, 7]) {
      const refused = await openSession(server, { token, email, password: PASSWORD });
      expect(refused).toMatchObject({ status: 400, json: { code: '9400', errors: [{ field: 'email' }] } });
    }
    const made = await openSession(server, { token, email: 'First@example.com', password: PASSWORD });
    expect(made).toMatchObject({
      status: 201,
      json: { email: 'First@example.com', administrator: true, hasPassword: true, totp: false, applications: [] },
    });
    for (const spent of [token, other]) {
      const again = await openSession(server, { token: spent, email: 'eve@example.com', password: PASSWORD });
      expect(again).toMatchObject({ status: 401, json: { code: '9401' } });
    }
    expect(await setUpToken(server)).toBeUndefined();
    const reported = await server.service.storage.audit.list(null, {}, { before: null, limit: 10 });
    expect(reported).toMatchObject([
      { action: 'account.created', actor: 'First@example.com', subject: 'First@example.com' },
    ]);
  });

  test('a link signs in once; the cookie is host-only and hidden from scripts and other sites', async () => {
    const token = await signInToken(server);
    const answer = await openSession(server, { token }, { 'user-agent': 'Tests/1.0' });
    expect(answer).toMatchObject({ status: 201, json: { email: 'ada@example.com', administrator: true } });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('set-cookie')).toMatch(
      /^innkeeper=iks_[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
    );
    const again = await openSession(server, { token });
    expect(again).toMatchObject({ status: 401, json: { code: '9401', message: expect.stringMatching(/it was used/) } });
    expect(again.headers.get('set-cookie')).toBeNull();
    const ada = visitorWith(server, cookieOf(answer));
    expect((await ada.send('GET', '/session')).json).toEqual(answer.json);
  });

  test.each([
    ['one that has expired', 'ada@example.com', Date.now() - DAY - 1000],
    ['one that a newer one took the place of', 'grace@example.com', Date.now()],
  ])('%s is reported plainly', async (_, email, now) => {
    const token = await signInToken(server, email, now);
    if (now > Date.now() - DAY) await signInToken(server, email.toUpperCase());
    const { status, json } = await openSession(server, { token });
    expect([status, json.code]).toEqual([401, '9401']);
    expect(json.message).toMatch(/it was used, has expired or was replaced/);
  });

  test.each([
    [{ token: 'ikl_short' }, 401],
    [{ token: '' }, 401],
    [{}, 400],
    [{ token: 1 }, 400],
    [{ token: `ikl_${'a'.repeat(43)}`, email: 'ada@example.com' }, 400],
    [{ token: `ikl_${'a'.repeat(43)}`, password: 'x' }, 400],
  ])('%j opens nothing', async (body, status) => {
    const answer = await openSession(server, body);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('set-cookie')).toBeNull();
  });

  test('a session allows the same as a token, and is recorded as the author', async () => {
    const ada = await signedIn(server);
    const made = await ada.send('POST', '/applications', { name: 'Shop' });
    expect(made.status).toBe(201);
    const path = `/applications/${made.json.clientId}`;
    const file = { languages: [{ name: 'English', tag: 'en', default: true }], groups: [] };
    const published = await ada.send('PUT', `${path}/catalog`, file, { ...fromPortal, 'if-match': '"0"' });
    expect(published.status).toBe(200);
    const { json } = await ada.send('GET', `${path}/revisions`);
    expect(json).toMatchObject({ items: [{ author: 'ada@example.com' }] });
    expect((await ada.send('GET', path)).json).toMatchObject({ name: 'Shop', access: 'own' });
  });

  test('signing out ends it immediately, in every replica', async () => {
    const ada = await signedIn(server);
    const elsewhere = visitorWith(replica, ada.cookie);
    expect((await elsewhere.send('GET', '/applications')).status).toBe(200);
    const out = await ada.send('DELETE', '/session');
    expect(out.status).toBe(204);
    expect(out.headers.get('set-cookie')).toMatch(/^innkeeper=; Path=\/; Max-Age=0; HttpOnly; SameSite=Strict$/);
    for (const visitor of [ada, elsewhere]) {
      const answer = await visitor.send('GET', '/applications');
      expect(answer).toMatchObject({ status: 401, json: { code: '9401', message: expect.stringMatching(/ended/) } });
    }
  });

  test('signing in always creates a new session and ends the one in the browser', async () => {
    const planted = `innkeeper=iks_${'f'.repeat(43)}`;
    const first = await openSession(server, { token: await signInToken(server) }, { cookie: planted });
    expect(cookieOf(first)).not.toBe(planted);
    expect((await visitorWith(server, planted).send('GET', '/session')).status).toBe(401);
    const again = await openSession(server, { token: await signInToken(server) }, { cookie: cookieOf(first) });
    expect(cookieOf(again)).not.toBe(cookieOf(first));
    expect((await visitorWith(server, cookieOf(first)).send('GET', '/session')).status).toBe(401);
    expect((await visitorWith(server, cookieOf(again)).send('GET', '/session')).status).toBe(200);
  });

  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site', 'x-innkeeper-portal': '1' }],
    [
      'another site that names our origin',
      { ...{ 'sec-fetch-site': 'cross-site' }, origin: 'OWN', 'x-innkeeper-portal': '1' },
    ],
    ['the same site, another origin', { 'sec-fetch-site': 'same-site', 'x-innkeeper-portal': '1' }],
    ['an old browser elsewhere', { origin: 'https://evil.example', 'x-innkeeper-portal': '1' }],
    ['a page without an origin', { origin: 'null', 'x-innkeeper-portal': '1' }],
    ['who knows', { 'x-innkeeper-portal': '1' }],
    ['a form on our own page', { 'sec-fetch-site': 'same-origin', origin: 'OWN' }],
    ['a form, in an old browser', { origin: 'OWN' }],
  ] as [string, Record<string, string>][])('a change from %s is rejected: 9403', async (_, given) => {
    const headers: Record<string, string> = { ...given };
    if (headers.origin === 'OWN') headers.origin = server.url;
    const ada = await signedIn(server);
    const before = (await ada.send('GET', '/applications')).json.total;
    for (const [method, path, body] of [
      ['POST', '/applications', { name: 'Forged' }],
      ['POST', '/account/tokens', { name: 'forged' }],
      ['DELETE', '/session', undefined],
    ] as const) {
      const answer = await ada.send(method, path, body, headers);
      expect([method, path, answer.status, answer.json.code]).toEqual([method, path, 403, '9403']);
    }
    // Nor can a visitor be signed in as somebody else, and trying does not use up the link.
    const token = await signInToken(server, 'mallory@example.com');
    const forced = await server.post('/manage/v1/session', { token }, headers);
    expect([forced.status, forced.json.code, forced.headers.get('set-cookie')]).toEqual([403, '9403', null]);
    expect((await openSession(server, { token })).status).toBe(201);
    expect((await ada.send('GET', '/applications')).json.total).toBe(before);
    expect((await ada.send('GET', '/account/tokens')).json.items).toEqual([]);
  });

  test('a browser that sends only its origin is accepted', async () => {
    const ada = await signedIn(server);
    const headers = { origin: server.url, 'x-innkeeper-portal': '1' };
    expect((await ada.send('POST', '/applications', { name: 'Origin' }, headers)).status).toBe(201);
  });

  test('a program with a token needs no portal, and cannot use the account', async () => {
    const manage = await manageWith(server);
    expect((await manage.send('POST', '/applications', { name: 'By token' })).status).toBe(201);
    for (const [method, path] of [
      ['GET', '/session'],
      ['GET', '/account/tokens'],
      ['POST', '/account/tokens'],
      ['GET', '/account/sessions'],
    ] as const) {
      const answer = await manage.send(method, path, method === 'POST' ? { name: 'more' } : undefined);
      expect([path, answer.status, answer.json.code]).toEqual([path, 403, '9403']);
    }
    // A token takes precedence: a valid cookie does not help an invalid token.
    const ada = await signedIn(server);
    const both = await ada.send('GET', '/applications', undefined, { authorization: 'Bearer ikp_wrong' });
    expect(both.json.code).toBe('9401');
  });

  test('a deleted account is signed out immediately', async () => {
    const eve = await signedIn(server, 'eve@example.com');
    expect(await replica.service.storage.accounts.delete('eve@example.com')).toBe('deleted');
    expect((await eve.send('GET', '/session')).json.code).toBe('9401');
  });
});

test('with HTTPS the cookie is a __Host- one, and no other is accepted', async () => {
  const [sqlite] = databases as [(typeof databases)[0]];
  const server = await startTestServer(await sqlite.fresh(), { publicUrl: 'https://portal.example.com' });
  try {
    const answer = await openSession(server, { token: await signInToken(server) });
    expect(answer.headers.get('set-cookie')).toMatch(/^__Host-innkeeper=\S+; Path=\/; .*; SameSite=Strict; Secure$/);
    const [, value] = cookieOf(answer).split('=');
    expect((await visitorWith(server, `a=b; ${cookieOf(answer)}`).send('GET', '/session')).status).toBe(200);
    expect((await visitorWith(server, `innkeeper=${value}`).send('GET', '/session')).status).toBe(401);
    const headers = { origin: server.url, 'x-innkeeper-portal': '1' };
    const foreign = await visitorWith(server, cookieOf(answer)).send('DELETE', '/session', undefined, headers);
    expect(foreign.json.code).toBe('9403');
  } finally {
    await server.close();
  }
});
