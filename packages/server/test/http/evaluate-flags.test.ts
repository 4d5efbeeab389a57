import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { makeTestUser } from './options/test-user.ts';
import { basic, bearer, makeSignedInUser, startTestServer, type TestServer } from './start.ts';

const PATH = '/ofrep/v1/evaluate/flags';

describe.each(databases)('OFREP on $kind', (database) => {
  let server: TestServer;
  let testUser: Awaited<ReturnType<typeof makeTestUser>>;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
    testUser = await makeTestUser(server, { allowedOrigins: ['https://app.example.com'] });
    await testUser.save(await testUser.choice('vegetarian', [true]));
    await testUser.save(await testUser.choice('tags', ['a', 'b']));
    await testUser.save({ ...(await testUser.choice('motto', ['Servus'])), language: 'de' });
  });
  afterAll(() => server.close());

  const evaluate = (key: string, context: unknown, headers: Record<string, string>) =>
    server.post(key === '' ? PATH : `${PATH}/${key}`, { context }, headers);
  const byToken = (key = '', context: unknown = {}, headers = {}) =>
    evaluate(key, context, { ...bearer(testUser.user.accessToken), ...headers });
  const byApplication = (key: string, context: unknown) => evaluate(key, context, basic(testUser.application));

  test('one flag is the saved value, the default, or left to the code', async () => {
    const saved = await byToken('kitchen.vegetarian');
    expect(saved.status).toBe(200);
    expect(saved.json).toEqual({
      key: 'kitchen.vegetarian',
      value: true,
      reason: 'TARGETING_MATCH',
      metadata: { option_key_uid: (await testUser.keyNamed('vegetarian')).option_key_uid },
    });
    expect((await byToken('open.volume')).json).toMatchObject({ value: 5, reason: 'DEFAULT' });
    expect((await byToken('open.tags')).json).toMatchObject({ value: ['a', 'b'], reason: 'TARGETING_MATCH' });
    expect((await byToken('open.motto')).json).toMatchObject({ value: 'Servus', reason: 'TARGETING_MATCH' });
    const unset = await byToken('kitchen.portions');
    expect([unset.status, unset.json.reason, 'value' in unset.json]).toEqual([200, 'DEFAULT', false]);
    const { option_key_uid } = await testUser.keyNamed('volume');
    expect((await byToken(String(option_key_uid))).json).toMatchObject({ key: option_key_uid, value: 5 });
  });

  test('the application identifies the user by code or by its own id', async () => {
    const { userCode, clientUserId } = testUser.user;
    for (const targetingKey of [userCode, userCode.toUpperCase(), clientUserId]) {
      expect((await byApplication('kitchen.vegetarian', { targetingKey })).json.value).toBe(true);
      expect((await byToken('kitchen.vegetarian', { targetingKey })).json.value).toBe(true);
    }
  });

  test('characters of an id are counted as people do', async () => {
    const { userCode, clientUserId } = await makeSignedInUser(server, testUser.application, '🦊'.repeat(200));
    for (const targetingKey of [clientUserId, userCode]) {
      expect((await byApplication('open.volume', { targetingKey })).status).toBe(200);
    }
    const tooLong = await byApplication('open.volume', { targetingKey: '🦊'.repeat(256) });
    expect(tooLong.json.errorDetails).toBe('context.targetingKey is longer than 255 characters.');
  });

  test('all flags have an ETag that is valid until something changes', async () => {
    const first = await byToken();
    expect(first.json.flags).toMatchObject([
      { key: 'kitchen.vegetarian', value: true, reason: 'TARGETING_MATCH' },
      { key: 'kitchen.fruit', value: ['apple'], reason: 'DEFAULT' },
      { key: 'open.volume', value: 5, reason: 'DEFAULT' },
      { key: 'open.motto', value: 'Servus' },
      { key: 'open.tags', value: ['a', 'b'] },
    ]);
    const etag = first.headers.get('etag') as string;
    expect((await byToken('', {}, { 'if-none-match': etag })).status).toBe(304);
    await testUser.save(await testUser.choice('volume', [10]));
    const next = await byToken('', {}, { 'if-none-match': etag });
    expect([next.status, next.headers.get('etag') === etag]).toEqual([200, false]);
  });

  test('pages of allowed origins may read them', async () => {
    const headers = { origin: 'https://app.example.com' };
    const answer = await byToken('kitchen.vegetarian', {}, headers);
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
    const preflight = await server.send('OPTIONS', PATH, { headers });
    expect(preflight.headers.get('access-control-allow-headers')).toContain('Authorization');
    const stranger = await byToken('kitchen.vegetarian', {}, { origin: 'https://other.example.com' });
    expect(stranger.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('any page may read that its access token is missing or expired, also without an apiKey', async () => {
    const headers = { origin: 'https://other.example.com' };
    for (const [authorization, code] of [
      [{}, '1011'],
      [bearer('expired'), '1007'],
    ] as const) {
      const answer = await evaluate('', {}, { ...headers, ...authorization });
      expect([answer.json.code, answer.headers.get('access-control-allow-origin')]).toEqual([code, '*']);
    }
  });

  test('errors have one of our codes and one of OpenFeature', async () => {
    const statusAndCode = ({ status, json }: { status: number; json: Record<string, unknown> }) => [
      status,
      json.code,
      json.errorCode,
      json.key,
    ];
    const key = 'kitchen.vegetarian';
    expect(statusAndCode(await byToken('kitchen.nothing'))).toEqual([404, '1005', 'FLAG_NOT_FOUND', 'kitchen.nothing']);
    expect(statusAndCode(await byApplication(key, {}))).toEqual([400, '1009', 'TARGETING_KEY_MISSING', key]);
    for (const context of [{ targetingKey: 'nobody' }, { targetingKey: 7 }, { targetingKey: 'a\0' }, [], 'text']) {
      expect(statusAndCode(await byApplication(key, context))).toEqual([400, '1009', 'INVALID_CONTEXT', key]);
    }
    expect(statusAndCode(await byApplication('', { targetingKey: 'nobody' }))).toEqual([
      400,
      '1009',
      'INVALID_CONTEXT',
      undefined,
    ]);
    const other = await makeSignedInUser(server, testUser.application);
    expect(statusAndCode(await byToken(key, { targetingKey: other.userCode }))).toEqual([
      400,
      '1009',
      'INVALID_CONTEXT',
      key,
    ]);
    const malformed = await server.send('POST', `${PATH}/${key}`, { headers: basic(testUser.application), body: '{' });
    expect(statusAndCode(malformed)).toEqual([400, '1009', 'PARSE_ERROR', key]);
    expect((await evaluate(key, {}, {})).json.code).toBe('1011');
    expect((await evaluate(key, {}, basic({ ...testUser.application, clientSecret: 'ink_wrong' }))).json.code).toBe(
      '1011',
    );
    expect((await evaluate(key, {}, bearer('not-a-token'))).json.code).toBe('1007');
  });

  test('a suspended user has no flags', async () => {
    const { userCode, accessToken } = await makeSignedInUser(server, testUser.application);
    const path = `/api/v2/app/${testUser.application.clientId}/users/${userCode}`;
    const body = JSON.stringify({ status: 'suspended' });
    expect((await server.send('PATCH', path, { headers: basic(testUser.application), body })).status).toBe(200);
    expect((await byApplication('open.volume', { targetingKey: userCode })).json.code).toBe('1013');
    expect((await evaluate('open.volume', {}, bearer(accessToken))).json.code).toBe('1007');
  });
});
