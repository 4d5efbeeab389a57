import { Agent } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { type Outcome, post } from '../operations/load.ts';
import { basic, makeSignedInUser, makeUser, startTestServer, type TestServer, uniqueName } from './start.ts';

const ROUNDS = 50;

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
  /** Sends the same request to both replicas at once, that many times; returns the codes, or 'done'. */
  const agent = new Agent({ keepAlive: true });
  afterAll(() => agent.destroy());
  const race = async (times: number, path: string, body: object): Promise<unknown[]> => {
    const answers = Array.from({ length: times }, (_, index) => post(replica(index).url + path, body, agent));
    return (await Promise.all(answers)).map(codeOf).toSorted();
  };

  test(`64 parallel exchanges of one token give exactly one access token, ${ROUNDS} times over`, async () => {
    const application = await replicas[0].application();
    const { clientSecret } = application;
    for (let round = 0; round < ROUNDS; round++) {
      const { specialToken } = await makeUser(replicas[0], application);
      const codes = await race(64, '/oauth/v2/get-access-token', { clientSecret, specialToken });
      expect(codes).toEqual([...Array(63).fill('0008'), 'done']);
    }
  });

  test(`50 parallel creates of one id make exactly one user, ${ROUNDS} times over`, async () => {
    const { clientId, clientSecret, appId } = await replicas[0].application();
    for (let round = 0; round < ROUNDS; round++) {
      const body = { clientId, clientSecret, clientUserId: uniqueName(), clientUserName: 'x' };
      expect(await race(50, '/api/v2/app/create-user', body)).toEqual([...Array(49).fill('0001'), 'done']);
    }
    expect(await replicas[0].service.storage.applications.countUsers(appId)).toBe(ROUNDS);
  });

  test('deleting a user while its tokens are requested and exchanged leaves nothing behind', async () => {
    const application = await replicas[0].application();
    const { clientId, clientSecret, appId } = application;
    for (let round = 0; round < 25; round++) {
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

function codeOf(answer: Outcome): unknown {
  if (answer.kind !== 'answered') return answer.kind;
  return answer.status === 200 ? 'done' : answer.body.code;
}
