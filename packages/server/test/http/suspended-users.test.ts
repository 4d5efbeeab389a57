import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { editor } from '../manage/manage.ts';
import { basic, bearer, makeSignedInUser, makeUser, startTestServer, type TestServer } from './start.ts';

/** Two replicas: a change in one applies in the other at once. */
describe.each(databases)('a suspended user on $kind', (database) => {
  let here: TestServer;
  let there: TestServer;
  let at: Awaited<ReturnType<typeof editor>>;
  let key: { option_group_uid: string; option_key_uid: string };
  beforeAll(async () => {
    const url = await database.fresh();
    const settings = { publicUrl: 'http://innkeeper.localhost' };
    [here, there] = await Promise.all([startTestServer(url, settings), startTestServer(url, settings)]);
    at = await editor(here);
    const { keyUid } = await at.key('vegetarian');
    const { json } = await here.send('GET', `/api/option_keys/${keyUid}`, { headers: apiKey() });
    const { option_group_uid, option_key_uid } = json as typeof key;
    key = { option_group_uid, option_key_uid };
  });
  afterAll(() => Promise.all([here.close(), there.close()]));

  const apiKey = () => ({ apiKey: at.application.clientId });
  const set = (userCode: string, status: string) =>
    here.send('PATCH', `/api/v2/app/${at.application.clientId}/users/${userCode}`, {
      headers: basic(at.application),
      body: JSON.stringify({ status }),
    });
  const statusAndCode = ({ status, json }: { status: number; json: Record<string, unknown> }) => ({
    status,
    code: json.code,
  });
  const exchange = (specialToken: string) =>
    there.post('/oauth/v2/get-access-token', { clientSecret: at.application.clientSecret, specialToken });
  const introspect = async (token: string) => {
    const body = new URLSearchParams({ token });
    return (await there.send('POST', '/oauth/v2/introspect', { headers: basic(at.application), body })).json;
  };

  test('has tokens that behave as revoked, until resumed', async () => {
    const { userCode, accessToken, clientUserId } = await makeSignedInUser(here, at.application);
    const owned = () => ({ ...apiKey(), ...bearer(accessToken) });
    const save = () => there.post('/api/user_options', { ...key, value: [true] }, owned());
    const read = () => there.send('GET', '/api/user_options', { headers: owned() });
    expect((await save()).status).toBe(201);
    expect((await set(userCode, 'suspended')).json).toMatchObject({ clientUserId, status: 'suspended' });
    expect(statusAndCode(await save())).toEqual({ status: 401, code: '1007' });
    expect(statusAndCode(await read())).toEqual({ status: 401, code: '1007' });
    expect(await introspect(accessToken)).toEqual({ active: false });
    const path = `/api/v2/app/${at.application.clientId}/users/${userCode}`;
    expect(statusAndCode(await there.send('DELETE', path, { headers: bearer(accessToken) }))).toEqual({
      ...{ status: 400, code: '0011' },
    });
    expect((await set(userCode, 'active')).json.status).toBe('active');
    expect((await save()).status).toBe(200);
    expect(((await read()).json.items as unknown[]).length).toBe(1);
    expect(await introspect(accessToken)).toMatchObject({ active: true });
  });

  test('gets no access token, and keeps the specialToken', async () => {
    const { userCode, clientUserId } = await makeSignedInUser(here, at.application);
    await set(userCode, 'suspended');
    const body = { ...at.application, clientUserId };
    // Requesting a specialToken, or the user again, works as usual.
    const { specialToken } = (await there.post('/api/v2/app/special-token', body)).json as { specialToken: string };
    expect((await there.post('/api/v2/app/create-user', { ...body, clientUserName: 'x' })).json.code).toBe('0001');
    for (let tries = 0; tries < 2; tries++) {
      expect(statusAndCode(await exchange(specialToken))).toEqual({ status: 400, code: '0002' });
    }
    await set(userCode, 'active');
    expect((await exchange(specialToken)).json).toMatchObject({ service_user_code: userCode });
    expect(statusAndCode(await exchange(specialToken))).toEqual({ status: 400, code: '0008' });
  });

  test('is 1013 by user_uid, for saves and reads, and nothing is saved', async () => {
    const { userCode } = await makeSignedInUser(here, at.application);
    const headers = { ...apiKey(), ...basic(at.application) };
    const one = { ...key, user_uid: userCode, value: [true] };
    const saved = await there.post('/api/user_options', one, apiKey());
    const { user_options_uid } = saved.json as { user_options_uid: string };
    await set(userCode, 'suspended');
    const query = `?user_uid=${userCode}`;
    const answers = await Promise.all([
      there.post('/api/user_options', { ...one, value: [false] }, apiKey()),
      there.post('/api/user_options', { ...one, value: ['nonsense'] }, apiKey()),
      there.post('/api/user_options', { ...one, value: [false] }, headers),
      there.send('PUT', '/api/user_options', {
        headers: apiKey(),
        body: JSON.stringify({ user_uid: userCode, options: [{ ...key, value: [false] }] }),
      }),
      there.send('GET', `/api/user_options${query}`, { headers }),
      there.send('GET', `/api/user_options/${user_options_uid}${query}`, { headers }),
      there.send('DELETE', `/api/user_options/${user_options_uid}${query}`, { headers }),
    ]);
    expect(answers.map(statusAndCode)).toEqual(answers.map(() => ({ status: 403, code: '1013' })));
    await set(userCode, 'active');
    const { items } = (await there.send('GET', `/api/user_options${query}`, { headers })).json;
    expect(items).toMatchObject([{ user_options_uid, option: { value: true } }]);
  });

  test('has tokens that can still be revoked permanently', async () => {
    const { userCode, accessToken } = await makeSignedInUser(here, at.application);
    await set(userCode, 'suspended');
    const body = new URLSearchParams({ token: accessToken });
    await there.send('POST', '/oauth/v2/revoke', { headers: basic(at.application), body });
    await set(userCode, 'active');
    expect(await introspect(accessToken)).toEqual({ active: false });
  });

  test('is distinguished from one created at the same moment', async () => {
    const users = await Promise.all(Array.from({ length: 6 }, () => makeUser(here, at.application)));
    const codes = new Map<string, string>();
    for (const { clientUserId } of users.slice(0, 3)) {
      const by = `/api/v2/app/${at.application.clientId}/users/by-client-id/${clientUserId}`;
      const { json } = await here.send('PATCH', by, { headers: basic(at.application), body: '{"status":"suspended"}' });
      codes.set(clientUserId, json.service_user_code as string);
    }
    const answers = await Promise.all(users.map(({ specialToken }) => exchange(specialToken)));
    expect(answers.map(({ json }) => json.code)).toEqual(['0002', '0002', '0002', ...Array(3).fill(undefined)]);
  });
});
