import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { TokenService } from '../../src/tokens/port.ts';
import { databases } from '../databases.ts';
import { MISSING } from './missing-fields.ts';
import { makeUser, startTestServer, type TestServer } from './start.ts';

const PATH = '/oauth/v2/get-access-token';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe.each(databases)('get-access-token on $kind', (database) => {
  let server: TestServer;
  let url: string;
  beforeAll(async () => {
    url = await database.fresh();
    server = await startTestServer(url);
  });
  afterAll(() => server.close());

  test('returns user code, name, email and token, with token_type and expires_in', async () => {
    const application = await server.application();
    const { specialToken, clientUserId } = await makeUser(server, application, 'ada@example.com');
    const { status, json, headers } = await server.post(PATH, { clientSecret: application.clientSecret, specialToken });
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(json).toEqual({
      service_user_code: expect.stringMatching(UUID),
      name: 'Test user',
      email: clientUserId,
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 3600,
    });
    const token = json.access_token as string;
    expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'EdDSA', typ: 'at+jwt', kid: expect.any(String) });
    const claims = decodeJwt(token);
    expect(claims).toMatchObject({ iss: server.url, sub: json.service_user_code, aud: application.clientId });
    expect((claims.exp as number) - (claims.iat as number)).toBe(3600);
  });

  test.each([
    ['user-1', ''],
    ['a@b@c', ''],
    ['first.last+tag@mail.example.org', 'first.last+tag@mail.example.org'],
    ['@example.com', ''],
    ['two words@example.com', ''],
    ['grace@bücher.example', 'grace@bücher.example'],
    ['用户@例子.公司', '用户@例子.公司'],
    ['grace@-bücher.example', ''],
  ])('email of %s is "%s"', async (clientUserId, email) => {
    const application = await server.application();
    const { specialToken } = await makeUser(server, application, clientUserId);
    const { json } = await server.post(PATH, { clientSecret: application.clientSecret, specialToken });
    expect(json.email).toBe(email);
  });

  test('0002 if the token service issues a token that already exists; the specialToken stays valid', async () => {
    const application = await server.application();
    const { clientSecret } = application;
    const [first, second] = [await makeUser(server, application), await makeUser(server, application)];
    const reserve = vi.spyOn(server.service.tokens as Required<TokenService>, 'reserve');
    await server.post(PATH, { clientSecret, specialToken: first.specialToken });
    reserve.mockReturnValueOnce(reserve.mock.results[0]?.value);
    const exchange = () => server.post(PATH, { clientSecret, specialToken: second.specialToken });
    expect(await exchange()).toMatchObject({ status: 400, json: { code: '0002' } });
    reserve.mockRestore();
    expect(await exchange()).toMatchObject({ status: 200 });
  });

  test.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])('%s is 0010 with Allow: POST', async (method) => {
    const { status, json, headers } = await server.send(method, PATH);
    expect({ status, code: json.code, allow: headers.get('allow') }).toEqual({
      status: 400,
      code: '0010',
      allow: 'POST',
    });
  });

  test('HEAD is 400 with Allow: POST', async () => {
    const { status, headers } = await server.send('HEAD', PATH);
    expect([status, headers.get('allow')]).toEqual([400, 'POST']);
  });

  test.each([
    ['clientSecret', '0007'],
    ['specialToken', '0016'],
  ])('%s missing is %s', async (field, code) => {
    for (const [why, value, word] of MISSING) {
      const { status, json } = await server.post(PATH, { clientSecret: 'x', specialToken: 'x', [field]: value });
      expect({ why, status, code: json.code }).toEqual({ why, status: 400, code });
      expect(json.message).toMatch(word);
    }
  });

  test('0007 has its own message here and on create-user', async () => {
    const here = await server.post(PATH, {});
    const there = await server.post('/api/v2/app/create-user', { clientId: 'x' });
    expect([here.json.code, there.json.code]).toEqual(['0007', '0007']);
    expect(here.json.message).not.toBe(there.json.message);
  });

  test('checks in the order of the contract', async () => {
    const mine = await server.application();
    const other = await server.application();
    const { specialToken } = await makeUser(server, other);
    const steps: [unknown, string][] = [
      [null, '0021'],
      [{ specialToken }, '0007'],
      [{ clientSecret: 'nobody' }, '0016'],
      [{ clientSecret: 'nobody', specialToken }, '0006'],
      [{ clientSecret: mine.clientSecret, specialToken }, '0006'],
      [{ clientSecret: mine.clientSecret, specialToken: 'unknown' }, '0008'],
      [{ clientSecret: other.clientSecret, specialToken: `${specialToken.slice(0, -1)}~` }, '0008'],
    ];
    for (const [body, code] of steps) {
      const { status, json } = await server.post(PATH, body);
      expect({ status, code: json.code }).toEqual({ status: 400, code });
    }
    // None of these attempts spent the token. Once spent, it is 0008 for its own application and still 0006 for
    // another.
    expect((await server.post(PATH, { clientSecret: other.clientSecret, specialToken })).status).toBe(200);
    expect((await server.post(PATH, { clientSecret: other.clientSecret, specialToken })).json.code).toBe('0008');
    expect((await server.post(PATH, { clientSecret: mine.clientSecret, specialToken })).json.code).toBe('0006');
  });

  test('an expired specialToken is 0008', async () => {
    const application = await server.application();
    const { specialToken } = await makeUser(server, application);
    await database.execute(url, 'update special_tokens set expires_at = 1');
    expect((await server.post(PATH, { clientSecret: application.clientSecret, specialToken })).json.code).toBe('0008');
  });

  test('lifetimes are settings of the application', async () => {
    const application = await server.application({ accessTokenTtl: 120, specialTokenTtl: 60 });
    // With PostgreSQL, the time is the database's.
    const before = server.service.now();
    const { specialToken } = await makeUser(server, application);
    const tokenHash = server.service.keyring.hashToken(specialToken);
    expect(await server.service.storage.tokens.findSpecialToken(tokenHash, before + 59_000)).toBeDefined();
    expect(
      await server.service.storage.tokens.findSpecialToken(tokenHash, server.service.now() + 60_000),
    ).toBeUndefined();
    const { json } = await server.post(PATH, { clientSecret: application.clientSecret, specialToken });
    expect(json.expires_in).toBe(120);
  });
});
