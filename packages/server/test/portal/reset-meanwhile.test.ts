import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { databases } from '../databases.ts';
import { startTestServer, type TestServer } from '../http/start.ts';
import { cookieOf, memberWith, openSession, PASSWORD, type Visitor, visitorWith } from './portal.ts';

const OTHER = 'nine plums in a paper boat';

/** Checking a password takes a while. What its request does afterwards must not survive a reset in between. */
describe.each(databases)('an account that is reset while its password is checked, on $kind', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
  });
  afterAll(() => server?.close());

  /** An owner with a password, signed in with it by someone who learned it. */
  async function stolen() {
    const { appId, clientId } = await server.application();
    const owner = await memberWith(server, [{ appId, role: 'owner' }]);
    expect((await owner.send('PUT', '/account/password', { password: PASSWORD })).status).toBe(204);
    const answer = await openSession(server, { email: owner.email, password: PASSWORD });
    return { owner, thief: visitorWith(server, cookieOf(answer)), path: `/applications/${clientId}`, appId };
  }
  type Stolen = Awaited<ReturnType<typeof stolen>>;

  /** Resolves to the response of a request during which the credentials of its account were read, then `act` ran. */
  async function during<T>(request: () => Promise<T>, act: () => Promise<unknown>): Promise<T> {
    const { accounts } = server.service.storage;
    const { credentials } = accounts;
    const spy = vi.spyOn(accounts, 'credentials').mockImplementationOnce(async (accountId) => {
      const found = await credentials(accountId);
      await act();
      return found;
    });
    const answer = await request();
    expect(spy).toHaveBeenCalled();
    spy.mockRestore();
    return answer;
  }

  const reset = (email: string) => server.service.storage.accounts.reset(email, { password: true, totp: true });

  test.each([
    ['a password', (thief: Visitor) => thief.send('PUT', '/account/password', { current: PASSWORD, password: OTHER })],
    [
      'a token',
      (thief: Visitor) => thief.send('POST', '/account/tokens', { name: 'kept', access: 'own', password: PASSWORD }),
    ],
    [
      'an invitation',
      (thief: Visitor, path: string) =>
        thief.send('POST', `${path}/invitations`, { email: 'eve@example.com', role: 'owner', password: PASSWORD }),
    ],
    [
      'a clientSecret',
      (thief: Visitor, path: string) => thief.send('POST', `${path}/secrets`, { overlap: 0, password: PASSWORD }),
    ],
    ['a second factor', (thief: Visitor) => thief.send('POST', '/account/totp', { password: PASSWORD })],
  ])('gets %s no more', async (_, send) => {
    const { owner, thief, path } = await stolen();
    const answer = await during(
      () => send(thief, path),
      () => reset(owner.email),
    );
    expect([answer.status, answer.json.code]).toEqual([401, '9401']);
    const { accounts, manageTokens, invitations } = server.service.storage;
    expect(await accounts.credentials(owner.accountId)).toMatchObject({ passwordHash: null, pendingTotp: null });
    expect(await manageTokens.list(owner.accountId)).toEqual([]);
    expect((await invitations.list(Number(path.split(/[/_]/)[2]), Date.now())).length).toBe(0);
  });

  test('makes no one an owner any more, nor does an owner who is removed meanwhile', async () => {
    for (const [remove, expected] of [
      [({ owner }: Stolen) => reset(owner.email), [401, '9401']],
      [({ owner, appId }: Stolen) => server.service.storage.members.remove(appId, owner.accountId), [404, '9404']],
    ] as const) {
      const taken = await stolen();
      const { thief, path, appId } = taken;
      const { members } = server.service.storage;
      await memberWith(server, [{ appId, role: 'owner' }]);
      const accomplice = await memberWith(server, [{ appId, role: 'viewer' }]);
      const answer = await during(
        () => thief.send('PATCH', `${path}/members/${accomplice.accountId}`, { role: 'owner', password: PASSWORD }),
        () => remove(taken),
      );
      expect([answer.status, answer.json.code]).toEqual(expected);
      const held = (await members.list(appId)).find(({ accountId }) => accountId === accomplice.accountId);
      expect(held?.role).toBe('viewer');
    }
  });

  test('a new password is not replaced by a request of a session that it ended', async () => {
    const { owner, thief } = await stolen();
    const answer = await during(
      () => thief.send('PUT', '/account/password', { current: PASSWORD, password: 'eleven plums in a paper boat' }),
      () => owner.send('PUT', '/account/password', { current: PASSWORD, password: OTHER }),
    );
    expect([answer.status, answer.json.code]).toEqual([401, '9401']);
    expect((await openSession(server, { email: owner.email, password: OTHER })).status).toBe(201);
  });
});
