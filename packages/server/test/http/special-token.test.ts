import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { MISSING } from './missing-fields.ts';
import { makeUser, startTestServer, type TestServer } from './start.ts';

const PATH = '/api/v2/app/special-token';

describe.each(databases)('special-token on $kind', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
  });
  afterAll(() => server.close());

  test('returns the create-user response with a new token; earlier unspent ones stop working', async () => {
    const application = await server.application();
    const { clientId, clientSecret } = application;
    const { clientUserId, specialToken } = await makeUser(server, application);
    const fresh = await server.post(PATH, { clientId, clientSecret, clientUserId });
    expect(fresh.status).toBe(200);
    expect(fresh.headers.get('cache-control')).toBe('no-store');
    expect(fresh.json).toEqual({
      clientId,
      clientUserId,
      clientUserName: 'Test user',
      specialToken: expect.stringMatching(/./),
    });

    const exchange = (token: unknown) =>
      server.post('/oauth/v2/get-access-token', { clientSecret, specialToken: token });
    expect((await exchange(specialToken)).json.code).toBe('0008');
    expect((await exchange(fresh.json.specialToken)).status).toBe(200);
    // Once it is spent, another one can be issued.
    const third = await server.post(PATH, { clientId, clientSecret, clientUserId });
    expect((await exchange(third.json.specialToken)).status).toBe(200);
  });

  test('checks in the order of create-user, then 0025 for an unknown user', async () => {
    const { clientId, clientSecret } = await server.application();
    const steps: [unknown, string][] = [
      ['text', '0021'],
      [{ clientSecret, clientUserId: 'nobody' }, '0004'],
      [{ clientId: '1_x', clientUserId: 'nobody' }, '0007'],
      [{ clientId: '1_x', clientSecret: 'wrong' }, '0005'],
      [{ clientId: '1_x', clientSecret: 'wrong', clientUserId: 'nobody' }, '0012'],
      [{ clientId, clientSecret: 'wrong', clientUserId: 'nobody' }, '0011'],
      [{ clientId, clientSecret, clientUserId: 'nobody' }, '0025'],
    ];
    for (const [body, code] of steps) {
      const { status, json } = await server.post(PATH, body);
      expect({ status, code: json.code }).toEqual({ status: 400, code });
    }
    for (const [, value] of MISSING) {
      expect((await server.post(PATH, { clientId, clientSecret, clientUserId: value })).json.code).toBe('0005');
    }
  });

  test("another application's user is unknown", async () => {
    const { clientUserId } = await makeUser(server, await server.application());
    const { clientId, clientSecret } = await server.application();
    expect((await server.post(PATH, { clientId, clientSecret, clientUserId })).json.code).toBe('0025');
  });
});
