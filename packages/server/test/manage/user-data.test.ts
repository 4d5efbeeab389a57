import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { renderOpenapiDoc } from '../../scripts/write-openapi.ts';
import type { OpenApiDocument } from '../../src/http/docs/describe-api.ts';
import type { Role } from '../../src/storage/port.ts';
import { databases } from '../databases.ts';
import { EXAMPLE, withCatalog } from '../http/options/example-catalog.ts';
import { bearer, makeSignedInUser, startTestServer, type TestServer } from '../http/start.ts';
import { fromPortal, memberWith } from '../portal/portal.ts';
import { byToken, manageWith } from './manage.ts';

const MINUTE = 60_000;
type Entry = { action: string; actor: string; userUid: string | null; after: unknown };

test('operations on users and requests require access "users"', async () => {
  const { paths }: OpenApiDocument = JSON.parse(await renderOpenapiDoc());
  const found = Object.entries(paths).filter(([path]) =>
    /^\/manage\/v1\/applications\/\{clientId\}\/(users|requests)(\/|$)/.test(path),
  );
  const needed = found.flatMap(([, methods]) => Object.values(methods).map((operation) => operation['x-access']));
  expect(needed.length).toBeGreaterThan(10);
  // Importing requires edit access, which includes users.
  expect(new Set(needed)).toEqual(new Set(['users', 'write']));
  const others = found
    .filter(([path]) => !path.endsWith('/users/import'))
    .flatMap(([, methods]) => Object.values(methods));
  expect(new Set(others.map((operation) => operation['x-access']))).toEqual(new Set(['users']));
});

describe.each(databases)('personal data of users on $kind', (database) => {
  let server: TestServer;
  let offset = 0;
  let url: string;
  beforeAll(async () => {
    url = await database.fresh();
    server = await startTestServer(url);
    const { now } = server.service;
    server.service.now = () => now() + offset;
  });
  afterAll(() => server.close());

  /** An application with one user, who has saved text for an open key. */
  const makeUser = async () => {
    const { application, apiKey, keyNamed } = await withCatalog(server);
    const user = await makeSignedInUser(server, application);
    const motto = await keyNamed('motto');
    const choice = { option_group_uid: motto.option_group_uid, option_key_uid: motto.option_key_uid };
    const headers = { ...apiKey, ...bearer(user.accessToken) };
    const saved = await server.post('/api/user_options', { ...choice, value: ['Privet Drive'] }, headers);
    expect(saved.status).toBe(201);
    return {
      application,
      user,
      choice,
      keyUid: motto.option_key_uid as string,
      path: `/applications/${application.clientId}`,
      as: async (role: Role) => memberWith(server, [{ appId: application.appId, role }]),
    };
  };
  const audited = async ({ appId }: { appId: number }) => {
    const entries = await server.service.storage.audit.list(appId, {}, { before: null, limit: 100 });
    return entries
      .filter(({ action }) => /^users?\.(read|listed|exported)$/.test(action))
      .map(({ action, actor, userId }) => [action, actor, userId]);
  };

  test('a read whose audit entry cannot be written fails, and shows nothing', async () => {
    const { user, path } = await makeUser();
    const manage = await manageWith(server);
    await database.execute(url, 'alter table audit_log rename to audit_log_away');
    for (const read of ['/users', `/users/${user.userCode}`, `/users/${user.userCode}/export`]) {
      const { status, text } = await manage.get(path + read);
      expect([read, status >= 500]).toEqual([read, true]);
      expect(text).not.toContain(user.userCode);
    }
    await database.execute(url, 'alter table audit_log_away rename to audit_log');
    expect((await manage.get(`${path}/users/${user.userCode}`)).status).toBe(200);
  });

  test('viewers and translators get counts, and no user input', async () => {
    const { as, path, keyUid, application, user } = await makeUser();
    for (const role of ['viewer', 'translator'] as const) {
      const { send } = await as(role);
      for (const rest of ['/users', `/users/${user.userCode}`, `/users/${user.userCode}/export`, '/requests']) {
        expect(await send('GET', path + rest)).toMatchObject({ status: 403, json: { code: '9403' } });
      }
      const counts = await send('GET', `${path}/keys/${keyUid}/counts`);
      expect(counts.json).toMatchObject({ total: 1, items: [], otherValues: 1 });
      const insights = await send('GET', `${path}/keys/${keyUid}/insights`);
      expect(insights.json).toMatchObject({ users: 1, chose: 1, values: [], otherValues: 1 });
      const csv = await send('GET', `${path}/keys/${keyUid}/insights/csv`);
      expect(csv.status).toBe(200);
      for (const { text } of [counts, insights, csv]) expect(text).not.toContain('Privet');
      expect((await send('GET', path)).json).toMatchObject({ counts: { users: 1 } });
    }
    for (const role of ['support', 'editor'] as const) {
      const { send } = await as(role);
      expect((await send('GET', `${path}/users`)).text).toContain(user.userCode);
      expect((await send('GET', `${path}/requests`)).status).toBe(200);
      expect((await send('GET', `${path}/keys/${keyUid}/counts`)).text).toContain('Privet Drive');
      expect((await send('GET', `${path}/keys/${keyUid}/insights/csv`)).text).toContain('Privet Drive');
    }
    expect(await audited(application)).toHaveLength(2);
  });

  test('a plan does not reveal user input to callers without access', async () => {
    const { as, path } = await makeUser();
    const planned = async (role: Role, pattern: string) => {
      const file = structuredClone(EXAMPLE);
      const motto = file.groups.flatMap(({ keys = [] }) => keys).find(({ name }) => name === 'motto');
      Object.assign(motto ?? {}, { constraint: { pattern, max_length: 100 } });
      const { json } = await (await as(role)).send('POST', `${path}/catalog/plan`, file);
      return (json.breaking as { selections: number }[]).map(({ selections }) => selections);
    };
    expect([await planned('editor', 'Privet.*'), await planned('editor', 'Other.*')]).toEqual([[0], [1]]);
    for (const role of ['viewer', 'translator'] as const) {
      expect([await planned(role, 'Privet.*'), await planned(role, 'Other.*')]).toEqual([[1], [1]]);
    }
  });

  test('a plan of a key that closes or opens does not reveal user input either', async () => {
    const { as, path } = await makeUser();
    const withMotto = (motto: object) => {
      const file = structuredClone(EXAMPLE);
      for (const { keys = [] } of file.groups) {
        const at = keys.findIndex(({ name }) => name === 'motto');
        if (at >= 0) keys[at] = { name: 'motto', type: 'string', ...motto };
      }
      return file;
    };
    const editor = await as('editor');
    /** The affected selections: of the change, and of each breaking detail. */
    const planned = async (role: Role, motto: object) => {
      const { send } = role === 'editor' ? editor : await as(role);
      const { status, json } = await send('POST', `${path}/catalog/plan`, withMotto(motto));
      expect(status).toBe(200);
      const [ofChange, ofBreaking] = [json.changes, json.breaking].map((list) =>
        (list as { path: string; selections: number }[])
          .filter((each) => each.path.endsWith('/motto'))
          .map(({ selections }) => selections),
      );
      return { ofChange, ofBreaking };
    };
    const expectSame = async (right: object, wrong: object, breaking = 1) => {
      expect(await planned('editor', right)).not.toEqual(await planned('editor', wrong));
      for (const role of ['viewer', 'translator'] as const) {
        const all = { ofChange: [1], ofBreaking: Array.from({ length: breaking }, () => 1) };
        expect(await planned(role, right)).toEqual(all);
        expect(await planned(role, wrong)).toEqual(all);
      }
    };
    await expectSame({ values: ['wrong', 'Privet Drive'] }, { values: ['wrong'] });
    const closed = { values: ['listed'] };
    const owner = await manageWith(server);
    const published = await owner.send('PUT', `${path}/catalog?allow_breaking=true`, withMotto(closed), {
      'if-match': '*',
    });
    expect(published.status).toBe(200);
    await expectSame({ constraint: { pattern: 'P.*' } }, { constraint: { pattern: 'x.*' } });
    await expectSame({ values: ['listed', 'Privet Drive'] }, { values: ['listed', 'wrong'] }, 0);
    // Listed values stay exact.
    expect(await planned('viewer', { values: ['another', 'listed'] })).toMatchObject({ ofBreaking: [] });
    expect(await planned('viewer', { values: ['another'] })).toMatchObject({ ofBreaking: [0] });
  });

  test('the audit log names users only to callers with access', async () => {
    const { as, path, user } = await makeUser();
    const support = await as('support');
    expect((await support.send('DELETE', `${path}/users/${user.userCode}/tokens`)).status).toBe(204);
    const revoked = async ({ send }: typeof support, query = '') => {
      const { status, json } = await send('GET', `${path}/audit?action=user.allTokensRevoked${query}`);
      return { status, userUid: (json.items as Entry[] | undefined)?.[0]?.userUid };
    };
    const byUser = `&userUid=${user.userCode}`;
    expect(await revoked(support)).toEqual({ status: 200, userUid: user.userCode });
    expect(await revoked(support, byUser)).toEqual({ status: 200, userUid: user.userCode });
    for (const role of ['viewer', 'translator'] as const) {
      const member = await as(role);
      expect(await revoked(member)).toEqual({ status: 200, userUid: null });
      expect((await revoked(member, byUser)).status).toBe(403);
    }
  });

  test('support manages only users', async () => {
    const { as, path, user } = await makeUser();
    const { send } = await as('support');
    expect((await send('POST', `${path}/users/${user.userCode}/special-token`)).status).toBe(201);
    for (const [method, rest, body] of [
      ['PUT', '/catalog', {}],
      ['PATCH', '/catalog/translations', { texts: [] }],
      ['POST', '/catalog/draft/publish', {}],
      ['PATCH', '', { name: 'Mine' }],
      ['POST', '/secrets', {}],
      ['GET', '/members', undefined],
      ['POST', '/try', {}],
    ] as const) {
      expect([rest, (await send(method, path + rest, body, undefined)).status]).toEqual([rest, 403]);
    }
    expect((await send('DELETE', `${path}/users/${user.userCode}`)).status).toBe(204);
  });

  test("a translator's token for users opens neither texts nor users", async () => {
    const { as, path, application } = await makeUser();
    const { accountId } = await as('translator');
    const token = await manageWith(server, { accountId, access: 'users', appIds: [application.appId] });
    expect((await token.get(path)).json).toMatchObject({ access: 'read' });
    expect((await token.get(`${path}/users`)).status).toBe(403);
  });

  test('reading one user is audited once in 15 minutes per reader', async () => {
    const { as, path, user, application } = await makeUser();
    const [ada, eve] = [await as('support'), await as('owner')];
    const one = `${path}/users/${user.userCode}`;
    const look = ({ send }: typeof ada) =>
      Promise.all(['', '/options', '/options?offset=2&limit=2', '/history'].map((rest) => send('GET', one + rest)));
    for (const { status } of [...(await look(ada)), ...(await look(ada))]) expect(status).toBe(200);
    expect(await audited(application)).toEqual([['user.read', ada.email, user.userCode]]);
    await look(eve);
    offset += 14 * MINUTE;
    await look(ada);
    expect(await audited(application)).toHaveLength(2);
    offset += MINUTE;
    await look(ada);
    expect(await audited(application)).toEqual([
      ['user.read', ada.email, user.userCode],
      ['user.read', eve.email, user.userCode],
      ['user.read', ada.email, user.userCode],
    ]);
    // There is no such user, so there is no entry.
    expect((await ada.send('GET', `${path}/users/${application.clientId}`)).status).toBe(404);
    expect(await audited(application)).toHaveLength(3);
  });

  test('reading a user is audited again after the clock was set back', async () => {
    const { as, path, user, application } = await makeUser();
    const { send } = await as('support');
    for (const byMs of [0, -16 * MINUTE, 16 * MINUTE]) {
      offset += byMs;
      expect((await send('GET', `${path}/users/${user.userCode}`)).status).toBe(200);
    }
    expect(await audited(application)).toHaveLength(3);
  });

  test('every export is audited, and so is the list', async () => {
    const { path, user, application } = await makeUser();
    const { get } = await manageWith(server, { name: 'reports' });
    for (const _ of [1, 2]) {
      expect((await get(`${path}/users/${user.userCode}/export`)).status).toBe(200);
      expect((await get(`${path}/users?search=nobody-of-that-name`)).json.items).toEqual([]);
      expect((await get(`${path}/users`)).json.items).toHaveLength(1);
      expect((await get(`${path}/events`)).json.items).not.toEqual([]);
    }
    expect(await audited(application)).toEqual([
      ['user.exported', byToken('reports'), user.userCode],
      ['users.listed', byToken('reports'), null],
      ['user.exported', byToken('reports'), user.userCode],
    ]);
  });

  test('support sees no addresses of members in an export of a user, in either format', async () => {
    const { as, path, user, choice } = await makeUser();
    const [owner, support] = [await as('owner'), await as('support')];
    const at = `${path}/users/${user.userCode}`;
    const saved = await owner.send('PUT', `${at}/options`, { options: [{ ...choice, value: ['Hogwarts'] }] });
    expect(saved.status).toBe(200);
    const name = owner.email.split('@')[0];
    for (const format of ['json', 'html']) {
      const { text } = await support.send('GET', `${at}/export?format=${format}`);
      expect([format, text.includes(`${name}@…`), text.includes(owner.email)]).toEqual([format, true, false]);
      expect((await owner.send('GET', `${at}/export?format=${format}`)).text).toContain(owner.email);
    }
  });

  test('no export begins after the entry that it would need', async () => {
    const { as, path, application } = await makeUser();
    const { send } = await as('editor');
    const { json } = await send('POST', `${path}/users/import`, { lines: [] });
    for (const filter of ['', '&status=active']) {
      const answer = await send('GET', `${path}/users/export?after=${json.import}${filter}`);
      expect(answer).toMatchObject({ status: 400, json: { code: '9400', errors: [{ field: 'after' }] } });
    }
    expect(await audited(application)).toEqual([]);
  });

  test('a list of events without users is not', async () => {
    const application = await server.application();
    const { get } = await manageWith(server, { name: 'watcher' });
    const path = `/applications/${application.clientId}`;
    expect((await get(`${path}/events`)).status).toBe(200);
    expect(await audited(application)).toEqual([]);
  });

  test('a list of events is, because it contains user input; support sees no addresses of members in it', async () => {
    const { as, path, application } = await makeUser();
    const [owner, { send, email }] = [await as('owner'), await as('support')];
    const group = await owner.send(
      'POST',
      `${path}/catalog/groups`,
      { name: 'more' },
      { ...fromPortal, 'if-match': '*' },
    );
    expect(group.status).toBe(201);
    const { text } = await send('GET', `${path}/events`);
    expect(text).toContain('Privet Drive');
    expect(text).not.toContain(owner.email);
    expect(text).toContain(`"by":"${owner.email.split('@')[0]}@…"`);
    expect((await owner.send('GET', `${path}/events`)).text).toContain(`"by":"${owner.email}"`);
    expect(await audited(application)).toEqual([
      ['users.listed', owner.email, null],
      ['users.listed', email, null],
    ]);
  });

  test("reading a user's requests is audited too", async () => {
    const { as, path, user, application } = await makeUser();
    const { send, email } = await as('support');
    const logged = await vi.waitFor(
      async () => {
        const { items } = (await send('GET', `${path}/requests?limit=200`)).json as { items: Entry[] };
        const found = items.find(({ userUid }) => userUid === user.userCode);
        expect(found).toBeDefined();
        return found as unknown as { requestUid: string };
      },
      { timeout: 30_000, interval: 100 },
    );
    expect(await audited(application)).toEqual([]);
    expect((await send('GET', `${path}/requests/${logged.requestUid}`)).status).toBe(200);
    expect((await send('GET', `${path}/requests?userUid=${user.userCode}`)).status).toBe(200);
    expect(await audited(application)).toEqual([['user.read', email, user.userCode]]);
  });
});
