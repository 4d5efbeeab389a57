import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { basic, makeSignedInUser, makeUser, startTestServer, type TestServer, uniqueName } from './start.ts';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);

describe.each(databases)('the users of an application on $kind', (database) => {
  let server: TestServer;
  let url: string;
  let application: Awaited<ReturnType<TestServer['application']>>;
  beforeAll(async () => {
    url = await database.fresh();
    server = await startTestServer(url);
    application = await server.application();
  });
  afterAll(() => server.close());

  const path = (rest: string, clientId = application.clientId) => `/api/v2/app/${clientId}/users${rest}`;
  const get = (rest: string, headers = basic(application)) => server.send('GET', path(rest), { headers });
  const patch = (rest: string, body: unknown, headers = basic(application)) =>
    server.send('PATCH', path(rest), { headers, body: typeof body === 'string' ? body : JSON.stringify(body) });
  const statusAndCode = ({ status, json }: { status: number; json: Record<string, unknown> }) => ({
    status,
    code: json.code,
  });

  test('are read by code, in either case, and by their own id', async () => {
    const clientUserId = `${uniqueName()}@example.com`;
    const { userCode } = await makeSignedInUser(server, application, clientUserId);
    const expected = {
      service_user_code: userCode,
      clientUserId,
      clientUserName: 'Test user',
      email: clientUserId,
      status: 'active',
      created_at: TIME,
      updated_at: TIME,
    };
    const answer = await get(`/${userCode}`);
    expect(answer).toMatchObject({ status: 200, json: expected });
    expect(Object.keys(answer.json)).toEqual(Object.keys(expected));
    expect(answer.json.updated_at).toBe(answer.json.created_at);
    expect(answer.headers.get('cache-control')).toBe('private, no-cache');
    const etag = answer.headers.get('etag') as string;
    for (const rest of [userCode.toUpperCase(), `by-client-id/${encodeURIComponent(clientUserId)}`]) {
      const again = await get(`/${rest}`);
      expect({ json: again.json, etag: again.headers.get('etag') }).toEqual({ json: answer.json, etag });
      expect((await get(`/${rest}`, { ...basic(application), 'if-none-match': etag })).status).toBe(304);
    }
    await patch(`/${userCode}`, { clientUserName: 'Another name' });
    const changed = await get(`/${userCode}`, { ...basic(application), 'if-none-match': etag });
    expect(changed).toMatchObject({ status: 200, json: { clientUserName: 'Another name' } });
  });

  test.each(['a/b', '/', '//x/', 'ü 100%', '%2F', '..', 'A?b#c', '😀', 'by-client-id', '*'])(
    'the id %j is read, changed and deleted in its percent-encoded form',
    async (name) => {
      const clientUserId = `${uniqueName()}${name}`;
      const { userCode } = await makeSignedInUser(server, application, clientUserId);
      const rest = `/by-client-id/${encodeURIComponent(clientUserId)}`;
      expect((await get(rest)).json).toMatchObject({ service_user_code: userCode, clientUserId });
      expect((await patch(rest, { clientUserName: name })).json).toMatchObject({ clientUserId, clientUserName: name });
      const removed = await server.send('DELETE', path(rest), { headers: basic(application) });
      expect(removed.status).toBe(204);
      expect(statusAndCode(await get(rest))).toEqual({ status: 400, code: '0025' });
      expect(statusAndCode(await get(`/${userCode}`))).toEqual({ status: 400, code: '0025' });
    },
  );

  test('are found if a proxy unescaped the slashes of their id', async () => {
    const name = uniqueName();
    await makeUser(server, application, `${name}/b/c`);
    expect((await get(`/by-client-id/${name}/b/c`)).json).toMatchObject({ clientUserId: `${name}/b/c` });
  });

  test('checks the application, the credentials and the user, in this order', async () => {
    const other = await server.application();
    const { userCode, accessToken, clientUserId } = await makeSignedInUser(server, application);
    const foreign = await makeSignedInUser(server, other);
    const wrong: Record<string, string>[] = [
      {},
      basic({ ...application, clientSecret: 'wrong' }),
      basic(other),
      { authorization: `Bearer ${accessToken}` },
      { authorization: 'Basic' },
    ];
    const nobody = ['/', '/nonsense', '/%00', '/%zz', `/${crypto.randomUUID()}`, `/${foreign.userCode}`];
    const nobodyById = ['/', '/%00', '/%zz', `/${'x'.repeat(300)}`, `/${foreign.clientUserId}`, '/%ed%a0%80'];
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const send = (at: string, headers: Record<string, string>) =>
        server.send(method, at, { headers, ...(method === 'PATCH' && { body: '{"status":"bad"}' }) });
      expect(statusAndCode(await send(path('/x', '1_nobody'), {}))).toEqual({ status: 400, code: '0012' });
      for (const headers of method === 'DELETE' ? wrong.slice(0, 3) : wrong) {
        for (const rest of [`/${userCode}`, '/nonsense', `/by-client-id/${clientUserId}`, '/by-client-id/nobody']) {
          expect({ method, rest, ...statusAndCode(await send(path(rest), headers)) }).toEqual({
            ...{ method, rest, status: 400, code: '0011' },
          });
        }
      }
      for (const rest of [...nobody, ...nobodyById.map((id) => `/by-client-id${id}`), '/by-client-id']) {
        const answer = await send(path(rest), basic(application));
        expect({ method, rest, ...statusAndCode(answer) }).toEqual({ method, rest, status: 400, code: '0025' });
      }
    }
    expect((await get(`/${userCode}`)).json.status).toBe('active');
  });

  test("a user's own token deletes only that user by their own id", async () => {
    const user = await makeSignedInUser(server, application);
    const neighbour = await makeSignedInUser(server, application);
    const remove = (clientUserId: string) =>
      server.send('DELETE', path(`/by-client-id/${clientUserId}`), {
        headers: { authorization: `Bearer ${user.accessToken}` },
      });
    for (const id of [neighbour.clientUserId, 'nobody']) {
      expect(statusAndCode(await remove(id))).toEqual({ status: 400, code: '0011' });
    }
    expect((await remove(user.clientUserId)).status).toBe(204);
  });

  test('are renamed completely or not at all; unknown members are ignored', async () => {
    const { userCode, clientUserId } = await makeSignedInUser(server, application);
    const rest = `/${userCode}`;
    const renamed = `${uniqueName()}@example.org`;
    const answer = await patch(rest, { clientUserId: renamed, clientUserName: 'Grace', colour: 'red' });
    expect(answer).toMatchObject({
      status: 200,
      json: { service_user_code: userCode, clientUserId: renamed, email: renamed, clientUserName: 'Grace' },
    });
    expect((await get(rest)).json).toEqual(answer.json);
    expect((await patch(rest, {})).json).toEqual(answer.json);
    expect(statusAndCode(await get(`/by-client-id/${clientUserId}`))).toEqual({ status: 400, code: '0025' });
    // The old id can be reused, the new one is taken.
    await makeUser(server, application, clientUserId);
    const again = { ...application, clientUserId: renamed, clientUserName: 'x' };
    expect((await server.post('/api/v2/app/create-user', again)).json.code).toBe('0001');
    expect((await server.post('/api/v2/app/special-token', again)).json).toMatchObject({ clientUserName: 'Grace' });

    const refused: [unknown, string][] = [
      ['', '0021'],
      ['[]', '0021'],
      [{ clientUserName: '', status: 'suspended' }, '0023'],
      [{ clientUserName: null }, '0023'],
      [{ clientUserName: 'x'.repeat(256) }, '0023'],
      [{ clientUserId: ' ', clientUserName: 'y' }, '0005'],
      [{ clientUserId: 7 }, '0005'],
      [{ clientUserId: 'a\u0000' }, '0005'],
      [{ clientUserId, clientUserName: 'y', status: 'suspended' }, '0001'],
      ...['', 'Active', null, true, 'deleted'].map((status): [unknown, string] => [{ status }, '9400']),
    ];
    for (const [body, code] of refused) {
      expect({ body, ...statusAndCode(await patch(rest, body)) }).toEqual({ body, status: 400, code });
    }
    expect((await get(rest)).json).toEqual(answer.json);
  });

  test('an id of a profile without a user is 0024', async () => {
    const { userCode } = await makeSignedInUser(server, application);
    const orphan = await makeUser(server, application);
    await database.execute(url, `delete from users where client_user_id = '${orphan.clientUserId}'`);
    expect(statusAndCode(await patch(`/${userCode}`, { clientUserId: orphan.clientUserId }))).toEqual({
      ...{ status: 400, code: '0024' },
    });
    expect((await get(`/${userCode}`)).status).toBe(200);
  });

  test('of many concurrent requests for one id, exactly one succeeds', async () => {
    const users = await Promise.all(Array.from({ length: 8 }, () => makeSignedInUser(server, application)));
    const wanted = uniqueName();
    const answers = await Promise.all([
      ...users.map(({ userCode }) => patch(`/${userCode}`, { clientUserId: wanted })),
      server.post('/api/v2/app/create-user', { ...application, clientUserId: wanted, clientUserName: 'x' }),
    ]);
    const codes = answers.map(({ status, json }) => json.code ?? status).sort();
    expect(codes).toEqual([...Array.from({ length: 8 }, () => '0001'), 200]);
    expect((await get(`/by-client-id/${wanted}`)).json.clientUserId).toBe(wanted);
  });

  test('a deleted user is created again with the Idempotency-Key of the first request', async () => {
    const body = { ...application, clientUserId: uniqueName(), clientUserName: 'Twice' };
    const key = { 'idempotency-key': uniqueName() };
    await server.post('/api/v2/app/create-user', body, key);
    const first = await get(`/by-client-id/${body.clientUserId}`);
    await server.send('DELETE', path(`/${first.json.service_user_code}`), { headers: basic(application) });
    expect((await server.post('/api/v2/app/create-user', body, key)).status).toBe(200);
    const second = await get(`/by-client-id/${body.clientUserId}`);
    expect(second.status).toBe(200);
    expect(second.json.service_user_code).not.toBe(first.json.service_user_code);
  });
});
