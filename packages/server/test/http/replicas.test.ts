import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rotateSecret } from '../../src/domain/applications/application.ts';
import { databases } from '../databases.ts';
import { basic, bearer, makeSignedInUser, startTestServer, type TestServer, uniqueName } from './start.ts';

describe.each(databases)('two replicas on one $kind database', (database) => {
  let here: TestServer;
  let there: TestServer;
  beforeAll(async () => {
    const url = await database.fresh();
    const settings = { publicUrl: 'http://innkeeper.localhost' };
    [here, there] = await Promise.all([startTestServer(url, settings), startTestServer(url, settings)]);
  });
  afterAll(() => Promise.all([here.close(), there.close()]));

  /** A second on an idle machine. */
  const withinASecond = <T>(ask: () => Promise<T>) => expect.poll(ask, { interval: 25 });
  const createUser = (server: TestServer, application: { clientId: string; clientSecret: string }) =>
    server.post('/api/v2/app/create-user', { ...application, clientUserId: uniqueName(), clientUserName: 'x' });

  test('an application created in one is known immediately in the other', async () => {
    for (let round = 0; round < 5; round++) {
      const application = await here.application();
      expect((await createUser(there, application)).status).toBe(200);
    }
  });

  test('a token of an application created in one is valid immediately for the flags of the other', async () => {
    for (let round = 0; round < 5; round++) {
      const user = await makeSignedInUser(here, await here.application());
      const flags = await there.post('/ofrep/v1/evaluate/flags', {}, bearer(user.accessToken));
      expect(flags.json).toMatchObject({ flags: [] });
    }
  });

  test('a rotated secret works immediately; the previous one until it expires', async () => {
    const application = await here.application();
    await createUser(there, application);
    const { storage, keyring } = here.service;
    const rotate = async (seconds: number) => {
      const rotated = await rotateSecret(
        { storage, keyring },
        application.appId,
        { overlap: seconds, revokePrevious: true },
        Date.now(),
      );
      return { ...application, clientSecret: rotated.clientSecret };
    };
    const next = await rotate(3600);
    expect((await createUser(there, next)).status).toBe(200);
    expect((await createUser(there, application)).status).toBe(200);
    const last = await rotate(1);
    for (const server of [there, here]) {
      await expect.poll(async () => (await createUser(server, next)).json.code).toBe('0011');
    }
    expect((await createUser(there, last)).status).toBe(200);
  });

  test('a setting changed in one applies in the other within a second', async () => {
    const application = await here.application();
    const user = await makeSignedInUser(there, application);
    await here.service.storage.applications.update(application.appId, { set: { deleteNeedsCredentials: false } });
    const remove = () => there.send('DELETE', `/api/v2/app/${application.clientId}/users/${user.userCode}`);
    await withinASecond(async () => (await remove()).status).toBe(204);
  });

  test('a deleted application is gone in the other within a second, with its users and tokens', async () => {
    const application = await here.application();
    const user = await makeSignedInUser(there, application);
    await here.service.storage.applications.delete(application.appId);
    const path = `/api/v2/app/${application.clientId}/users/${user.userCode}`;
    const remove = () => there.send('DELETE', path, { headers: bearer(user.accessToken) });
    expect((await remove()).status).not.toBe(204);
    await withinASecond(async () => (await remove()).json.code).toBe('0012');
    expect((await createUser(there, application)).json.code).toBe('0012');
  });

  test('a token issued in one is valid in the other, and fails there immediately when its user is deleted', async () => {
    const application = await here.application();
    const user = await makeSignedInUser(here, application);
    const introspect = () =>
      there.send('POST', '/oauth/v2/introspect', {
        headers: basic(application),
        body: new URLSearchParams({ token: user.accessToken }),
      });
    expect((await introspect()).json).toMatchObject({ active: true, sub: user.userCode });
    await here.send('DELETE', `/api/v2/app/${application.clientId}/users/${user.userCode}`, {
      headers: basic(application),
    });
    expect((await introspect()).json).toEqual({ active: false });
  });
});
