import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyPassword } from '../../src/domain/accounts/password.ts';
import { databases } from '../databases.ts';
import { startTestServer, type TestServer, uniqueName } from '../http/start.ts';
import { manageAs } from '../manage/manage.ts';
import { cookieOf, openSession, PASSWORD, setUpToken, signedIn, signInToken, visitorWith } from './portal.ts';

const FAILED = { code: '9401', message: 'Wrong e-mail address, password or code.' };

describe.each(databases)('passwords on $kind', (database) => {
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

  /** An account with a password, signed in by a link. */
  const withPassword = async (email = `${uniqueName()}@example.com`, password = PASSWORD) => {
    const visitor = await signedIn(server, email);
    const answer = await visitor.send('PUT', '/account/password', { password });
    if (answer.status !== 204) throw new Error(answer.text);
    return { ...visitor, email };
  };
  const enter = (email: string, password: string, at = server) => openSession(at, { email, password });

  test('sign in, with the address in any case, and are not stored', async () => {
    const { email } = await withPassword();
    const answer = await enter(email.toUpperCase(), PASSWORD);
    expect(answer).toMatchObject({ status: 201, json: { email, hasPassword: true, totp: false } });
    expect(answer.text).not.toContain('argon2');
    const visitor = visitorWith(server, cookieOf(answer));
    expect((await visitor.send('GET', '/session')).json).toEqual(answer.json);
    const found = await server.service.storage.accounts.findByEmail(email);
    expect(found?.credentials.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    // The same characters, decomposed.
    const { email: other } = await withPassword(undefined, 'Über sieben Brücken');
    expect((await enter(other, 'Über sieben Brücken'.normalize('NFD'))).status).toBe(201);
  });

  test('errors do not say what is wrong: a wrong password, none, and an unknown account look alike', async () => {
    const { email } = await withPassword();
    await signedIn(server, 'link-only@example.com');
    for (const [address, password] of [
      [email, 'nine plums in a paper boat'],
      [email, PASSWORD.toUpperCase()],
      ['link-only@example.com', PASSWORD],
      ['nobody@example.com', PASSWORD],
      ['no address', PASSWORD],
    ] as const) {
      const answer = await enter(address, password);
      expect([answer.status, answer.json]).toEqual([401, FAILED]);
      expect(answer.headers.get('set-cookie')).toBeNull();
    }
  });

  test.each([
    [{ email: 'a@example.com' }, 'password'],
    [{ password: PASSWORD }, 'email'],
    [{ email: 7, password: PASSWORD }, 'email'],
    [{ email: 'a@example.com', password: ['x'] }, 'password'],
    [{ email: 'a@example.com', password: 'a\u0000b' }, 'password'],
    [{ email: 'a@example.com', password: 'x'.repeat(1025) }, 'password'],
    [{ email: 'a@example.com', password: PASSWORD, code: 123456 }, 'code'],
  ])('%j does not sign in', async (body, field) => {
    expect(await openSession(server, body)).toMatchObject({ status: 400, json: { code: '9400', errors: [{ field }] } });
  });

  test.each([
    ['too short', 'elf letters'],
    ['too long', 'ä long one '.repeat(26)],
    ['missing', undefined],
    ['no text', 123456789012],
    ['common', 'qwertyuiop123'],
    ['common in capitals', '1QAZ2WSX3EDC'],
    ['a common word with digits', 'Password2026!'],
    ['a common word twice', 'dragondragon'],
    ['one letter', 'aaaaaaaaaaaaaaaa'],
    ['a run', 'abcdefghijkl'],
    ['digits in a row', '123456789012'],
    ['the address', 'weak.password@example.com'],
    ['its first part', 'weak.password99'],
    ['half a character', `${PASSWORD}\ud800`],
  ])('one that is %s is rejected, wherever it is set', async (_, password) => {
    const visitor = await signedIn(server, 'weak.password@example.com');
    const answer = await visitor.send('PUT', '/account/password', { password });
    expect(answer).toMatchObject({ status: 400, json: { code: '9400', errors: [{ field: 'password' }] } });
    expect((await visitor.send('GET', '/session')).json.hasPassword).toBe(false);
  });

  test('ordinary sentences are accepted', async () => {
    const { email } = await withPassword(undefined, 'correct horse battery staple');
    expect((await enter(email, 'correct horse battery staple')).status).toBe(201);
  });

  test('a change requires the previous one, ends the other sessions everywhere, and keeps tokens', async () => {
    const { email } = await withPassword();
    const [desk, phone] = [await enter(email, PASSWORD), await enter(email, PASSWORD, replica)];
    const visitor = visitorWith(server, cookieOf(desk));
    const elsewhere = visitorWith(replica, cookieOf(phone));
    const { token } = (await visitor.send('POST', '/account/tokens', { name: 'kept', password: PASSWORD })).json;
    const change = (body: object) => visitor.send('PUT', '/account/password', body);
    for (const body of [{ password: 'a new one for the boat' }, { password: 'a new one for the boat', current: 'x' }]) {
      expect(await change(body)).toMatchObject({ status: 403, json: { code: '9403' } });
    }
    expect((await elsewhere.send('GET', '/session')).status).toBe(200);
    expect((await change({ current: PASSWORD, password: 'a new one for the boat' })).status).toBe(204);
    expect((await elsewhere.send('GET', '/session')).json.code).toBe('9401');
    expect((await visitor.send('GET', '/session')).status).toBe(200);
    expect((await enter(email, PASSWORD)).json).toEqual(FAILED);
    expect((await enter(email, 'a new one for the boat')).status).toBe(201);
    expect((await manageAs(server, token as string).get('/applications')).status).toBe(200);
  });

  test('a stolen session cannot create a personal access token: that requires the password', async () => {
    const { email } = await withPassword();
    const thief = visitorWith(server, cookieOf(await enter(email, PASSWORD)));
    const make = (proof: object) => thief.send('POST', '/account/tokens', { name: 'x', expires: '365d', ...proof });
    for (const proof of [{}, { password: 'guess' }, { code: '123456' }]) {
      expect(await make(proof)).toMatchObject({ status: 403, json: { code: '9403' } });
    }
    expect((await make({ password: 7 })).json).toMatchObject({ code: '9400', errors: [{ field: 'password' }] });
    expect((await thief.send('GET', '/account/tokens')).json.items).toEqual([]);
    // Other invalid fields are reported before the password is checked.
    expect((await make({ expires: 'x', password: 'guess' })).json.code).toBe('9400');
    expect((await make({ password: PASSWORD })).status).toBe(201);
  });

  test('a forgotten one is replaced through a link, within the first hour', async () => {
    const { email } = await withPassword();
    const visitor = await signedIn(server, email);
    expect((await visitor.send('PUT', '/account/password', { password: 'found it again at last' })).status).toBe(204);
    expect((await enter(email, 'found it again at last')).status).toBe(201);
    const late = await openSession(server, { token: await signInToken(server, email) });
    const { service } = server;
    const { now } = service;
    service.now = () => now() + 3_600_001;
    try {
      const body = { password: 'found it yet another time' };
      const answer = await visitorWith(server, cookieOf(late)).send('PUT', '/account/password', body);
      expect(answer.json.code).toBe('9403');
    } finally {
      service.now = now;
    }
  });

  test('a set-up link and an invitation follow the same rules', async () => {
    const fresh = await startTestServer(await database.fresh());
    try {
      const token = await setUpToken(fresh);
      const weak = await openSession(fresh, { token, email: 'ada@example.com', password: 'password1234' });
      expect(weak).toMatchObject({ status: 400, json: { code: '9400', errors: [{ field: 'password' }] } });
      expect((await openSession(fresh, { token, email: 'ada@example.com', password: PASSWORD })).status).toBe(201);
    } finally {
      await fresh.close();
    }
  });

  test('guesses are throttled per account, over all replicas, whether it exists or not', async () => {
    const { email } = await withPassword();
    for (const address of [email, `${uniqueName()}@example.com`]) {
      const answers = await Promise.all(
        Array.from({ length: 14 }, (_, index) => enter(address, `wrong guess ${index}`, index % 2 ? server : replica)),
      );
      expect(answers.filter(({ status }) => status === 401)).toHaveLength(10);
      const refused = answers.filter(({ status }) => status === 429);
      expect(refused).toHaveLength(4);
      expect(refused[0]).toMatchObject({ json: { code: '9429', message: expect.stringMatching(/sign-in attempts/) } });
      expect(refused[0]?.headers.get('retry-after')).toBe('60');
      // Even the correct password has to wait; a link from the operator does not.
      expect((await enter(address, PASSWORD)).status).toBe(429);
    }
    expect((await openSession(server, { token: await signInToken(server, email) })).status).toBe(201);
    const { service } = server;
    const { now } = service;
    service.now = () => now() + 60_000;
    try {
      expect((await enter(email, PASSWORD)).status).toBe(201);
    } finally {
      service.now = now;
    }
    // A successful sign-in resets the count.
    for (let guess = 0; guess < 9; guess++) expect((await enter(email, 'wrong again, sorry')).status).toBe(401);
    expect((await enter(email, PASSWORD)).status).toBe(201);
  });
});

test('an unknown or missing hash is not verified', async () => {
  // RFC 9106's reference implementation: argon2id, m=65536, t=2, p=1, "password", "somesalt".
  const reference = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
  expect(await verifyPassword(reference, 'password')).toBe(true);
  expect(await verifyPassword(reference, 'passwore')).toBe(false);
  for (const hash of [null, '', 'x', '$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFh']) {
    expect(await verifyPassword(hash, 'password')).toBe(false);
  }
});

test('of hundreds of concurrent sign-ins, only some use the processor', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 60 }, () => verifyPassword(null, 'x')));
  const refused = outcomes.filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(60 - 42);
  expect(refused[0]).toMatchObject({ reason: { code: '9503' } });
});
