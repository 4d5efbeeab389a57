import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { makeUser, startTestServer, type TestServer, uniqueName } from './start.ts';

describe.each(databases)('failed credentials on $kind', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
  });
  afterAll(() => server.close());

  test('are throttled with 9429 and Retry-After, while valid ones from the same address are served', async () => {
    const application = await server.application();
    const { clientId, clientSecret } = application;
    const guess = () =>
      server.post('/api/v2/app/create-user', {
        clientId,
        clientSecret: uniqueName(),
        clientUserId: 'x',
        clientUserName: 'x',
      });
    const codes = new Map<unknown, number>();
    for (let round = 0; round < 8; round++) {
      const answers = await Promise.all(Array.from({ length: 50 }, guess));
      for (const { json } of answers) codes.set(json.code, (codes.get(json.code) ?? 0) + 1);
    }
    expect([...codes.keys()].sort()).toEqual(['0011', '9429']);
    expect(codes.get('0011')).toBeGreaterThanOrEqual(200);

    const throttled = await guess();
    expect(throttled.status).toBe(429);
    expect(Number(throttled.headers.get('retry-after'))).toBeGreaterThan(0);
    const credentials = { apiKey: clientId, authorization: `Basic ${btoa(`${clientId}:wrong`)}` };
    for (const [method, path] of [
      ['GET', '/api/user_options?user_uid=00000000-0000-4000-8000-000000000000'],
      ['DELETE', '/api/user_options/00000000-0000-4000-8000-000000000000'],
    ] as const) {
      const refused = await server.send(method, path, { headers: credentials });
      expect({ path, status: refused.status, code: refused.json.code }).toEqual({ path, status: 429, code: '9429' });
    }
    // A request without credentials is not a guess.
    const bare = await server.send('DELETE', `/api/v2/app/${clientId}/users/x`);
    expect({ status: bare.status, code: bare.json.code }).toEqual({ status: 400, code: '0011' });
    const { specialToken } = await makeUser(server, application);
    expect((await server.post('/oauth/v2/get-access-token', { clientSecret, specialToken })).status).toBe(200);
    // A spent token is an honest mistake, not a guess.
    expect((await server.post('/oauth/v2/get-access-token', { clientSecret, specialToken })).json.code).toBe('0008');
  });
});
