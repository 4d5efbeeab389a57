import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { MISSING } from './missing-fields.ts';
import { startTestServer, type TestServer, uniqueName } from './start.ts';

const PATH = '/api/v2/app/create-user';

describe.each(databases)('create-user on $kind', (database) => {
  let server: TestServer;
  let url: string;
  beforeAll(async () => {
    url = await database.fresh();
    server = await startTestServer(url);
  });
  afterAll(() => server.close());

  const valid = async () => {
    const { clientId, clientSecret } = await server.application();
    return { clientId, clientSecret, clientUserId: uniqueName(), clientUserName: 'Ada' };
  };

  test('returns 200 with the four fields, marked no-store', async () => {
    const body = await valid();
    const { status, json, headers } = await server.post(PATH, body);
    expect(status).toBe(200);
    expect(Object.keys(json).sort()).toEqual(['clientId', 'clientUserId', 'clientUserName', 'specialToken']);
    expect(json).toMatchObject({
      clientId: body.clientId,
      clientUserId: body.clientUserId,
      clientUserName: 'Ada',
      specialToken: expect.stringMatching(/^.{40,}$/),
    });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-request-id')).toBeTruthy();
  });

  test.each([
    ['clientId', '0004'],
    ['clientSecret', '0007'],
    ['clientUserId', '0005'],
    ['clientUserName', '0023'],
  ])('%s missing is %s, and the message says how', async (field, code) => {
    for (const [why, value, word] of MISSING) {
      const { status, json } = await server.post(PATH, { ...(await valid()), [field]: value });
      expect({ why, status, code: json.code }).toEqual({ why, status: 400, code });
      expect(json.message).toMatch(word);
      expect(json.message).toContain(field);
    }
  });

  test('checks in the order of the contract', async () => {
    const body = await valid();
    await server.post(PATH, body);
    const wrong = { ...body, clientId: '1_nobody', clientSecret: 'wrong' };
    const steps: [unknown, string][] = [
      [[], '0021'],
      [{}, '0004'],
      [{ clientId: wrong.clientId }, '0007'],
      [{ clientId: wrong.clientId, clientSecret: wrong.clientSecret }, '0005'],
      [{ ...wrong, clientUserName: undefined }, '0023'],
      [wrong, '0012'],
      [{ ...wrong, clientId: body.clientId }, '0011'],
      [body, '0001'],
    ];
    for (const [step, code] of steps) {
      const answer = await server.post(PATH, step);
      expect(answer.status).toBe(400);
      expect(answer.json).toEqual({ code, message: expect.stringMatching(/./) });
    }
  });

  test('0024: a profile that outlived its user collides', async () => {
    const body = await valid();
    const appId = body.clientId.split('_')[0];
    const uuid = database.kind === 'sqlite' ? `x'${'0f'.repeat(16)}'` : `'${crypto.randomUUID()}'`;
    await database.execute(
      url,
      `insert into profiles (app_id, client_user_id, user_id, client_user_name) values (${appId}, '${body.clientUserId}', ${uuid}, 'Left behind')`,
    );
    expect((await server.post(PATH, body)).json.code).toBe('0024');
    expect((await server.post('/api/v2/app/special-token', body)).json.code).toBe('0025');
  });

  test('identifiers are compared exactly: case, spaces and normal forms make another user', async () => {
    const body = await valid();
    for (const clientUserId of ['Ada', 'ada', ' ada', 'ada ', '\u00e9', 'e\u0301', 'ﬀ', 'ff']) {
      const answer = await server.post(PATH, { ...body, clientUserId });
      expect(answer.status).toBe(200);
      expect(answer.json.clientUserId).toBe(clientUserId);
    }
    const upper = await server.post(PATH, { ...body, clientId: body.clientId.toUpperCase() });
    expect(upper.json.code).toBe('0012');
    const padded = await server.post(PATH, { ...body, clientSecret: `${body.clientSecret} ` });
    expect(padded.json.code).toBe('0011');
  });

  test('the same clientUserId in two applications is two users', async () => {
    const clientUserId = uniqueName();
    for (const body of [await valid(), await valid()]) {
      expect((await server.post(PATH, { ...body, clientUserId })).status).toBe(200);
    }
  });

  test('any 255 characters are accepted', async () => {
    for (const text of ['x'.repeat(255), '😀'.repeat(255), '"\\/\b\f\n\r\t', "'; drop table users; --"]) {
      const body = { ...(await valid()), clientUserId: text, clientUserName: text };
      const { status, json } = await server.post(PATH, body);
      expect({ status, text: json.clientUserName }).toEqual({ status: 200, text });
    }
  });

  test.each([undefined, 'text/plain', 'application/xml', 'garbage', ';;;', 'application/json; charset=latin1'])(
    'content type %s is read as JSON',
    async (type) => {
      const body = new TextEncoder().encode(JSON.stringify(await valid()));
      const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
      expect((await server.send('POST', PATH, { body, headers })).status).toBe(200);
    },
  );

  describe('Idempotency-Key', () => {
    test('repeats return the same user with a new token; the previous one stops working', async () => {
      const body = await valid();
      const key = { 'idempotency-key': uniqueName('key') };
      const first = await server.post(PATH, body, key);
      const second = await server.post(PATH, body, key);
      expect([first.status, second.status]).toEqual([200, 200]);
      expect(second.json.specialToken).not.toBe(first.json.specialToken);
      const exchange = (specialToken: unknown) =>
        server.post('/oauth/v2/get-access-token', { clientSecret: body.clientSecret, specialToken });
      expect((await exchange(first.json.specialToken)).json.code).toBe('0008');
      expect((await exchange(second.json.specialToken)).status).toBe(200);
    });

    test('with another body is 422, code 9422; another application may use the same key', async () => {
      const body = await valid();
      const key = { 'idempotency-key': uniqueName('key') };
      await server.post(PATH, body, key);
      for (const change of [{ clientUserId: uniqueName() }, { clientUserName: 'Other' }]) {
        const { status, json } = await server.post(PATH, { ...body, ...change }, key);
        expect({ status, code: json.code }).toEqual({ status: 422, code: '9422' });
      }
      expect((await server.post(PATH, await valid(), key)).status).toBe(200);
    });

    test('20 concurrent repeats create one user without a failure', async () => {
      const body = await valid();
      const key = { 'idempotency-key': uniqueName('key') };
      const answers = await Promise.all(Array.from({ length: 20 }, () => server.post(PATH, body, key)));
      expect(answers.map((answer) => answer.status)).toEqual(Array(20).fill(200));
    });

    test('does not cover a failed request, nor an invalid key', async () => {
      const body = await valid();
      const key = { 'idempotency-key': uniqueName('key') };
      expect((await server.post(PATH, { ...body, clientSecret: 'wrong' }, key)).json.code).toBe('0011');
      expect((await server.post(PATH, body, key)).status).toBe(200);
      expect((await server.post(PATH, body, { 'idempotency-key': 'k'.repeat(256) })).json.code).toBe('9422');
    });
  });
});
