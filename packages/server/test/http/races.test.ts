import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { basic, makeSignedInUser, makeUser, startTestServer, type TestServer, uniqueName } from './start.ts';

const ROUNDS = 200;

describe.each(databases)('races on $kind, two replicas', (database) => {
  let replicas: [TestServer, TestServer];
  beforeAll(async () => {
    const url = await database.fresh();
    replicas = [await startTestServer(url), await startTestServer(url)];
  });
  afterAll(async () => {
    for (const replica of replicas) await replica.close();
  });
  const replica = (index: number) => replicas[index % 2] as TestServer;

  test(`64 parallel exchanges of one token give exactly one access token, ${ROUNDS} times over`, {
    timeout: 120_000,
  }, async () => {
    const application = await replicas[0].application();
    const { clientSecret } = application;
    for (let round = 0; round < ROUNDS; round++) {
      const { specialToken } = await makeUser(replicas[0], application);
      const answers = await Promise.all(
        Array.from({ length: 64 }, (_, index) =>
          replica(index).post('/oauth/v2/get-access-token', { clientSecret, specialToken }),
        ),
      );
      const codes = answers.map(({ status, json }) => (status === 200 ? 'won' : json.code));
      expect(codes.toSorted()).toEqual([...Array(63).fill('0008'), 'won']);
    }
  });

  test(`50 parallel creates of one id make exactly one user, ${ROUNDS} times over`, { timeout: 120_000 }, async () => {
    const { clientId, clientSecret, appId } = await replicas[0].application();
    for (let round = 0; round < ROUNDS; round++) {
      const body = { clientId, clientSecret, clientUserId: uniqueName(), clientUserName: 'x' };
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, index) => replica(index).post('/api/v2/app/create-user', body)),
      );
      const codes = answers.map(({ status, json }) => (status === 200 ? 'made' : json.code));
      expect(codes.toSorted()).toEqual([...Array(49).fill('0001'), 'made']);
    }
    expect(await replicas[0].service.storage.applications.countUsers(appId)).toBe(ROUNDS);
  });

  test('deleting a user while its tokens are asked for and exchanged leaves nothing behind', {
    timeout: 60_000,
  }, async () => {
    const application = await replicas[0].application();
    const { clientId, clientSecret, appId } = application;
    for (let round = 0; round < 50; round++) {
      const { userCode, clientUserId } = await makeSignedInUser(replicas[0], application);
      const fresh = () => replica(1).post('/api/v2/app/special-token', { clientId, clientSecret, clientUserId });
      const work = Array.from({ length: 10 }, async () => {
        const { json } = await fresh();
        return replica(0).post('/oauth/v2/get-access-token', {
          clientSecret,
          specialToken: json.specialToken ?? 'none',
        });
      });
      const gone = replica(0).send('DELETE', `/api/v2/app/${clientId}/users/${userCode}`, {
        headers: basic(application),
      });
      const answers = await Promise.all(work);
      expect((await gone).status).toBe(204);
      for (const { status } of answers) expect([200, 400]).toContain(status);
      expect((await fresh()).json.code).toBe('0025');
    }
    expect(await replicas[0].service.storage.applications.countUsers(appId)).toBe(0);
  });
});
