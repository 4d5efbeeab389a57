import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databases } from '../databases.ts';
import { bearer, makeSignedInUser, startTestServer, type TestServer } from './start.ts';

const [sqlite] = databases as [(typeof databases)[0]];

const AREA_A: [method: string, path: string][] = [
  ['POST', '/api/v2/app/create-user'],
  ['POST', '/api/v2/app/special-token'],
  ['POST', '/oauth/v2/get-access-token'],
  ['GET', '/oauth/v2/get-access-token'],
  ['POST', '/oauth/v2/introspect'],
  ['POST', '/oauth/v2/revoke'],
  ['GET', '/oauth/v2/jwks'],
  ['GET', '/.well-known/oauth-authorization-server'],
  ['DELETE', '/api/v2/app/1_a/users/0198c0de-0000-7000-8000-000000000000'],
  ['DELETE', '/api/v2/app/1_a/users'],
];

/** INNKEEPER_SERVE lets {base_url} and {profile_url} be separate addresses. */
describe('the areas that a process serves', () => {
  let users: TestServer;
  let options: TestServer;
  beforeAll(async () => {
    const databaseUrl = await sqlite.fresh();
    users = await startTestServer(databaseUrl, { serve: 'users' });
    options = await startTestServer(databaseUrl, { serve: 'options' });
  });
  afterAll(async () => {
    await users.close();
    await options.close();
  });

  it.each(AREA_A)('options: nothing at %s %s', async (method, path) => {
    const answer = await options.send(method, path, method === 'POST' ? { body: '{}' } : {});
    expect(answer).toMatchObject({ status: 404, json: { code: '9404' } });
  });

  it.each(AREA_A)('users: something at %s %s', async (method, path) => {
    const answer = await users.send(method, path, method === 'POST' ? { body: '{}' } : {});
    expect(answer.status).not.toBe(404);
  });

  it('users: nothing of the profile options', async () => {
    const answer = await users.send('GET', '/api/option_groups', { headers: { apikey: '1_a' } });
    expect(answer).toMatchObject({ status: 404, json: { code: '9404' } });
  });

  it('a user who signed in at one address is known at the other', async () => {
    const application = await users.application();
    const { accessToken } = await makeSignedInUser(users, application);
    expect(options.service.publicUrl).not.toBe(users.service.publicUrl);
    const headers = { apikey: application.clientId, ...bearer(accessToken) };
    expect((await options.send('GET', '/api/user_options', { headers })).status).toBe(200);
  });

  it.each(['/livez', '/readyz', '/metrics'])('both: %s', async (path) => {
    for (const server of [users, options]) expect((await server.send('GET', path)).status).toBe(200);
  });
});
