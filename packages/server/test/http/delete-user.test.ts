import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { basic, bearer, makeSignedInUser, makeUser, startTestServer, type TestServer } from './start.ts';

describe.each(databases)('delete-user on $kind', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
  });
  afterAll(() => server.close());

  const remove = (clientId: string, rest: string, headers: Record<string, string> = {}) =>
    server.send('DELETE', `/api/v2/app/${clientId}/users${rest}`, { headers });

  test('204 without a body, by Basic; nothing of the user is left', async () => {
    const application = await server.application();
    const user = await makeSignedInUser(server, application);
    const fresh = await server.post('/api/v2/app/special-token', { ...application, clientUserId: user.clientUserId });
    const { status, text } = await remove(application.clientId, `/${user.userCode}`, basic(application));
    expect({ status, text }).toEqual({ status: 204, text: '' });

    const { clientSecret } = application;
    const exchange = await server.post('/oauth/v2/get-access-token', { clientSecret, ...fresh.json });
    expect(exchange.json.code).toBe('0008');
    const introspection = await server.send('POST', '/oauth/v2/introspect', {
      headers: basic(application),
      body: new URLSearchParams({ token: user.accessToken }),
    });
    expect(introspection.json).toEqual({ active: false });
    expect((await remove(application.clientId, `/${user.userCode}`, basic(application))).json.code).toBe('0025');
    // The identifier can be reused by another user.
    const again = await makeSignedInUser(server, application, user.clientUserId);
    expect(again.userCode).not.toBe(user.userCode);
  });

  test('an access token deletes its own user, also while another user takes over the clientUserId', async () => {
    const application = await server.application();
    const user = await makeSignedInUser(server, application);
    const { users } = server.service.storage;
    const { findByClientUserId } = users;
    let other: { userCode: string } | undefined;
    const takeOver = async () => {
      const { appId } = application;
      await users.update(appId, user.userCode, { clientUserId: `${user.clientUserId}-renamed` }, Date.now());
      other = await makeSignedInUser(server, application, user.clientUserId);
    };
    Object.assign(users, {
      async findByClientUserId(...args: Parameters<typeof findByClientUserId>) {
        if (!other) await takeOver();
        return findByClientUserId(...args);
      },
    });
    try {
      const rest = `/by-client-id/${encodeURIComponent(user.clientUserId)}`;
      await remove(application.clientId, rest, bearer(user.accessToken));
    } finally {
      Object.assign(users, { findByClientUserId });
    }
    if (!other) await takeOver();
    const left = await users.find(application.appId, other?.userCode ?? '');
    expect(left?.clientUserId).toBe(user.clientUserId);
  });

  test("204 by the user's own access token, which then fails immediately", async () => {
    const application = await server.application();
    const user = await makeSignedInUser(server, application);
    const own = () => remove(application.clientId, `/${user.userCode}`, bearer(user.accessToken));
    expect((await own()).status).toBe(204);
    const { status, json } = await own();
    expect({ status, code: json.code }).toEqual({ status: 400, code: '0011' });
  });

  test('missing or wrong credentials are 400 with code 0011, and delete nothing', async () => {
    const application = await server.application();
    const other = await server.application();
    const user = await makeSignedInUser(server, application);
    const neighbour = await makeSignedInUser(server, application);
    const foreigner = await makeSignedInUser(server, other);
    const wrong: Record<string, string>[] = [
      {},
      { authorization: '' },
      { authorization: 'Basic' },
      { authorization: 'Basic !!!' },
      { authorization: `Basic ${Buffer.from('nocolon').toString('base64')}` },
      { authorization: 'Digest x' },
      { authorization: `Bearer ${user.accessToken}x` },
      { authorization: `Bearer ${user.accessToken}.` },
      basic({ ...application, clientSecret: 'wrong' }),
      basic({ ...application, clientSecret: '' }),
      basic(other),
      basic({ clientId: application.clientId, clientSecret: other.clientSecret }),
      basic({ clientId: other.clientId, clientSecret: application.clientSecret }),
      bearer(neighbour.accessToken),
      bearer(foreigner.accessToken),
      bearer(user.specialToken),
    ];
    for (const headers of wrong) {
      const { status, json } = await remove(application.clientId, `/${user.userCode}`, headers);
      expect({ headers, status, code: json.code }).toEqual({ headers, status: 400, code: '0011' });
    }
    expect((await remove(application.clientId, `/${user.userCode}`, basic(application))).status).toBe(204);
  });

  test('checks in the order of the contract: clientId, credentials, code', async () => {
    const application = await server.application();
    const stranger = await makeSignedInUser(server, await server.application());
    expect((await remove('1_nobody', '/nonsense')).json).toMatchObject({ code: '0012' });
    expect((await remove('1_nobody', '/nonsense')).status).toBe(400);
    for (const clientId of ['%zz', '%ff', `${application.clientId}%`, `%${application.clientId}`]) {
      const { status, json } = await remove(clientId, '/%zz', basic(application));
      expect({ clientId, status, code: json.code }).toEqual({ clientId, status: 400, code: '0012' });
    }
    expect((await remove(application.clientId, '/%zz')).json.code).toBe('0011');
    expect((await remove(application.clientId, '/nonsense')).json.code).toBe('0011');
    const codes = [
      '',
      '/',
      '/nonsense',
      `/${crypto.randomUUID()}`,
      `/${stranger.userCode}`,
      '/%00',
      '/%zz',
      '/%ff',
      '/%',
      '/%2',
      '/%c3%28x',
      '/%2F%zz',
      `/${'x'.repeat(4000)}`,
    ];
    for (const rest of codes) {
      const { status, json } = await remove(application.clientId, rest, basic(application));
      expect({ rest, status, code: json.code }).toEqual({ rest, status: 400, code: '0025' });
    }
  });

  test('a code is accepted in either case, by Basic and by Bearer', async () => {
    const application = await server.application();
    for (const credentials of [() => basic(application), bearer]) {
      const { userCode, accessToken } = await makeSignedInUser(server, application);
      const upper = await remove(application.clientId, `/${userCode.toUpperCase()}`, credentials(accessToken));
      expect(upper.status).toBe(204);
    }
  });

  test('deleteNeedsCredentials=false accepts requests without credentials, and still rejects wrong ones', async () => {
    const application = await server.application({ deleteNeedsCredentials: false });
    const user = await makeSignedInUser(server, application);
    const path = `/${user.userCode}`;
    expect((await remove(application.clientId, path, basic({ ...application, clientSecret: 'no' }))).status).toBe(400);
    expect((await remove(application.clientId, path)).status).toBe(204);
    expect((await remove(application.clientId, path)).json.code).toBe('0025');
  });

  test('an unused specialToken is deleted with its user', async () => {
    const application = await server.application();
    const { userCode, clientUserId } = await makeSignedInUser(server, application);
    await remove(application.clientId, `/${userCode}`, basic(application));
    const made = await makeUser(server, application, clientUserId);
    expect(made.specialToken).toBeTruthy();
  });
});
