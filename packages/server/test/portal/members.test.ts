import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { startTestServer, type TestServer, uniqueName } from '../http/start.ts';
import { byToken, manageAs, manageWith } from '../manage/manage.ts';
import {
  cookieOf,
  fromPortal,
  memberWith,
  openSession,
  PASSWORD,
  signedIn,
  tokenOf,
  type Visitor,
  visitorWith,
} from './portal.ts';

type Item = Record<string, unknown>;
const itemsOf = ({ json }: { json: Item }) => json.items as Item[];

describe.each(databases)('members and invitations on $kind', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
  });
  afterAll(() => server?.close());

  /** An application with an owner, and no administrator. */
  const team = async () => {
    const application = await server.application();
    const owner = await memberWith(server, [{ appId: application.appId, role: 'owner' }]);
    return { ...application, owner, path: `/applications/${application.clientId}` };
  };
  const invite = async (by: Visitor, path: string, email: string, role = 'translator') => {
    const answer = await by.send('POST', `${path}/invitations`, { email, role });
    if (answer.status !== 201) throw new Error(answer.text);
    return { token: tokenOf(answer.json.link as string), invitationId: answer.json.invitationId as string };
  };
  const look = (token: string) => server.post('/manage/v1/session/link', { token }, fromPortal);
  const address = () => `${uniqueName('Guest')}@example.com`;

  test('an owner invites someone, who creates an account with only that role', async () => {
    const { owner, path, clientId } = await team();
    const other = await server.application();
    const email = address();
    const made = await owner.send('POST', `${path}/invitations`, { email, role: 'translator' });
    expect(made).toMatchObject({ status: 201, json: { email, role: 'translator', invitedBy: owner.email } });
    expect(made.json.link).toMatch(/\/portal\/sign-in#iki_[\w-]{43}$/);
    const { link, mailed, ...listed } = made.json;
    expect(mailed).toBe(false);
    expect(itemsOf(await owner.send('GET', `${path}/invitations`))).toEqual([listed]);
    const token = tokenOf(link as string);
    expect((await look(token)).json).toEqual({
      ...{ kind: 'invitation', email, role: 'translator', invitedBy: owner.email },
      application: 'Test',
    });
    for (const body of [{ token }, { token, password: 'short' }]) {
      expect(await openSession(server, body)).toMatchObject({ status: 400, json: { errors: [{ field: 'password' }] } });
    }
    expect((await openSession(server, { token, password: PASSWORD, email })).json.code).toBe('9400');
    const accepted = await openSession(server, { token, password: PASSWORD });
    expect(accepted).toMatchObject({
      status: 201,
      json: { email, administrator: false, applications: [{ clientId, name: 'Test', access: 'texts' }] },
    });
    const { audit } = server.service.storage;
    const by = { before: null, limit: 10 };
    expect(await audit.list(null, { actor: email }, by)).toMatchObject([{ action: 'account.created', subject: email }]);
    expect(await audit.list(Number(clientId.split('_')[0]), { actor: email }, by)).toMatchObject([
      { action: 'member.joined', subject: email },
    ]);
    const testUser = visitorWith(server, cookieOf(accepted));
    expect((await testUser.send('GET', '/applications')).json).toMatchObject({
      total: 1,
      items: [{ access: 'texts' }],
    });
    expect((await testUser.send('GET', `/applications/${other.clientId}`)).json.code).toBe('9404');
    expect((await testUser.send('POST', '/applications', { name: 'Mine' })).json.code).toBe('9403');
    expect((await openSession(server, { token, password: PASSWORD })).json.code).toBe('9401');
    expect((await look(token)).json.code).toBe('9401');
    expect((await openSession(server, { email, password: PASSWORD })).status).toBe(201);
    expect(itemsOf(await owner.send('GET', `${path}/invitations`))).toEqual([]);
    const members = await owner.send('GET', `${path}/members`);
    expect(
      itemsOf(members)
        .map(({ role }) => role)
        .sort(),
    ).toEqual(['owner', 'translator']);
  });

  test('an existing account accepts for itself only', async () => {
    const { owner, path, clientId } = await team();
    const [ada, eve] = [await memberWith(server, []), await memberWith(server, [])];
    const { token } = await invite(owner, path, ada.email.toUpperCase(), 'editor');
    // The link does not reveal whether there is an account.
    const unknown = address();
    const other = await invite(owner, path, unknown, 'editor');
    const reported = [await look(token), await look(other.token)].map(({ status, json: { email: _, ...rest } }) => [
      status,
      rest,
    ]);
    expect(reported[0]).toEqual(reported[1]);
    for (const password of [undefined, 'short', 'qwertyuiop123']) {
      const [there, none] = [
        await openSession(server, { token, password }),
        await openSession(server, { token: other.token, password }),
      ];
      expect([there.status, there.json]).toEqual([none.status, none.json]);
    }
    const stolen = await openSession(server, { token, password: PASSWORD });
    expect(stolen).toMatchObject({ status: 409, json: { code: '9409' } });
    expect(stolen.headers.get('set-cookie')).toBeNull();
    expect((await eve.send('POST', '/account/invitations', { token })).json.code).toBe('9403');
    expect((await eve.send('GET', path)).json.code).toBe('9404');
    const accepted = await ada.send('POST', '/account/invitations', { token });
    expect(accepted).toMatchObject({ status: 200, json: { clientId, role: 'editor' } });
    expect((await ada.send('GET', path)).json.access).toBe('write');
    for (const bad of [token, 'x', `ikl_${'a'.repeat(43)}`]) {
      expect((await ada.send('POST', '/account/invitations', { token: bad })).json.code).toBe('9401');
    }
    expect(await owner.send('POST', `${path}/invitations`, { email: ada.email, role: 'owner' })).toMatchObject({
      status: 409,
      json: { code: '9409' },
    });
  });

  test('a revoked or replaced invitation is no longer valid', async () => {
    const { owner, path } = await team();
    const email = address();
    const [first, second] = [await invite(owner, path, email), await invite(owner, path, email, 'viewer')];
    expect((await look(first.token)).json.code).toBe('9401');
    const foreign = await team();
    const elsewhere = `${foreign.path}/invitations/${second.invitationId}`;
    expect((await foreign.owner.send('DELETE', elsewhere)).json.code).toBe('9404');
    expect((await owner.send('DELETE', `${path}/invitations/${second.invitationId}`)).status).toBe(204);
    for (const id of [second.invitationId, randomUUID(), 'x']) {
      expect((await owner.send('DELETE', `${path}/invitations/${id}`)).json.code).toBe('9404');
    }
    expect((await openSession(server, { token: second.token, password: PASSWORD })).json.code).toBe('9401');
  });

  test('an invitation ends when its author no longer owns the application, also if created by their token', async () => {
    const { owner: boss, path, appId } = await team();
    for (const [method, body] of [
      ['DELETE', undefined],
      ['PATCH', { role: 'editor' }],
    ] as const) {
      const owner = await memberWith(server, [{ appId, role: 'owner' }]);
      const { json } = await owner.send('POST', '/account/tokens', { name: 'mine', access: 'own' });
      const program = manageAs(server, json.token as string);
      const made = await program.send('POST', `${path}/invitations`, { email: address(), role: 'owner' });
      const open = [(await invite(owner, path, address(), 'owner')).token, tokenOf(made.json.link as string)];
      const kept = await invite(boss, path, address());
      for (const token of [...open, kept.token]) expect((await look(token)).status).toBe(200);
      expect((await boss.send(method, `${path}/members/${owner.accountId}`, body)).status).toBeLessThan(300);
      for (const token of open) {
        expect((await look(token)).json.code).toBe('9401');
        expect((await openSession(server, { token, password: PASSWORD })).json.code).toBe('9401');
      }
      const left = itemsOf(await boss.send('GET', `${path}/invitations`));
      expect(left.map(({ invitationId }) => invitationId)).toContain(kept.invitationId);
      expect(left.filter(({ invitedBy }) => invitedBy !== boss.email)).toEqual([]);
    }
  });

  test.each([
    [{ email: 'a@example.com' }, 'role'],
    [{ email: 'a@example.com', role: 'administrator' }, 'role'],
    [{ email: 'a@example.com', role: 'constructor' }, 'role'],
    [{ role: 'viewer' }, 'email'],
    [{ email: 'nobody', role: 'viewer' }, 'email'],
    [{ email: 'a@example.com', role: 'viewer', app: 'x' }, 'app'],
  ])('%j invites no one', async (body, field) => {
    const { owner, path } = await team();
    const answer = await owner.send('POST', `${path}/invitations`, body);
    expect(answer).toMatchObject({ status: 400, json: { code: '9400', errors: [{ field }] } });
    expect(itemsOf(await owner.send('GET', `${path}/invitations`))).toEqual([]);
  });

  test('a role changes immediately, for sessions and tokens; no one can raise their own', async () => {
    const { owner, path, appId } = await team();
    const testUser = await memberWith(server, [{ appId, role: 'editor' }]);
    const member = `${path}/members/${testUser.accountId}`;
    const { json } = await testUser.send('POST', '/account/tokens', { name: 'mine', access: 'own' });
    const program = manageAs(server, json.token as string);
    expect((await program.get(path)).json.access).toBe('write');
    for (const role of ['owner', 'editor', 'viewer']) {
      expect((await testUser.send('PATCH', member, { role })).json.code).toBe('9403');
    }
    expect((await program.send('PATCH', member, { role: 'owner' })).json.code).toBe('9403');
    expect(await owner.send('PATCH', member, { role: 'viewer' })).toMatchObject({
      status: 200,
      json: { accountId: testUser.accountId, email: testUser.email, role: 'viewer' },
    });
    expect((await testUser.send('GET', path)).json.access).toBe('read');
    expect((await program.get(path)).json.access).toBe('read');
    expect((await owner.send('PATCH', member, { role: 'king' })).json.code).toBe('9400');
    expect((await owner.send('DELETE', member)).status).toBe(204);
    expect((await testUser.send('GET', path)).json.code).toBe('9404');
    expect((await program.get(path)).json.code).toBe('9404');
    expect((await program.get('/applications')).json).toMatchObject({ total: 0 });
    for (const id of [testUser.accountId, randomUUID(), 'x']) {
      expect((await owner.send('DELETE', `${path}/members/${id}`)).json.code).toBe('9404');
      expect((await owner.send('PATCH', `${path}/members/${id}`, { role: 'viewer' })).json.code).toBe('9404');
    }
  });

  test('the last owner stays, until there is another or an administrator', async () => {
    const { owner, path, appId } = await team();
    const self = `${path}/members/${owner.accountId}`;
    for (const [method, body] of [
      ['DELETE', undefined],
      ['PATCH', { role: 'editor' }],
    ] as const) {
      expect(await owner.send(method, self, body)).toMatchObject({ status: 409, json: { code: '9409' } });
    }
    const second = await memberWith(server, [{ appId, role: 'owner' }]);
    expect((await owner.send('PATCH', self, { role: 'editor' })).status).toBe(200);
    expect((await second.send('DELETE', `${path}/members/${second.accountId}`)).json.code).toBe('9409');
    const root = await signedIn(server, 'root@example.com');
    try {
      expect((await root.send('GET', `${path}/members`)).json.administrators).toEqual(['root@example.com']);
      expect((await root.send('DELETE', `${path}/members/${second.accountId}`)).status).toBe(204);
      expect((await invite(root, path, address())).token).toMatch(/^iki_/);
    } finally {
      await server.service.storage.accounts.delete('root@example.com');
    }
  });

  test('a token for an inaccessible application is not created; the operator can invite', async () => {
    const [mine, other] = [await team(), await team()];
    const answer = await mine.owner.send('POST', '/account/tokens', { name: 'x', apps: [other.clientId] });
    expect(answer.json.code).toBe('9404');
    const manage = await manageWith(server, { name: 'ci', appIds: [mine.appId] });
    const made = await manage.send('POST', `${mine.path}/invitations`, { email: address(), role: 'viewer' });
    expect(made).toMatchObject({ status: 201, json: { invitedBy: byToken('ci') } });
  });

  test('portal preferences are stored with the account', async () => {
    const ada = await memberWith(server, []);
    const { json } = await ada.send('GET', '/session');
    expect(json).toMatchObject({ preferences: { theme: 'auto', language: null }, applications: [] });
    const set = (body: object) => ada.send('PATCH', '/account/preferences', body);
    expect((await set({ theme: 'dark' })).json).toEqual({ theme: 'dark', language: null });
    expect((await set({ language: 'hu' })).json).toEqual({ theme: 'dark', language: 'hu' });
    expect((await set({ language: null, theme: 'light' })).json).toEqual({ theme: 'light', language: null });
    for (const body of [{ theme: 'pink' }, { language: 'fr' }, { theme: null }, { colour: 'x' }]) {
      expect((await set(body)).json.code).toBe('9400');
    }
    expect((await ada.send('GET', '/session')).json.preferences).toEqual({ theme: 'light', language: null });
  });
});
