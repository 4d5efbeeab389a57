import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SelectionRecord } from '../../src/storage/port.ts';
import { databases } from '../databases.ts';
import type { Wire } from '../http/options/example-catalog.ts';
import { bearer, makeSignedInUser, startTestServer, type TestServer } from '../http/start.ts';
import { editor } from './manage.ts';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
const NOBODY = '0198c0de-0000-7000-8000-000000000000';

describe.each(databases)('users of /manage/v1 on $kind', (database) => {
  let server: TestServer;
  let at: Awaited<ReturnType<typeof editor>>;
  let apiKey: Record<string, string>;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
    at = await editor(server);
    apiKey = { apiKey: at.application.clientId };
  });
  afterAll(() => server.close());

  const addUser = async (clientUserId: string, clientUserName: string) => {
    const { clientId, clientSecret } = at.application;
    const body = { clientId, clientSecret, clientUserId, clientUserName };
    expect((await server.post('/api/v2/app/create-user', body)).status).toBe(200);
  };
  const save = async (user: { accessToken: string }, keyName: string, value: unknown[]) => {
    const { json } = await server.send('GET', '/api/option_keys', { headers: apiKey });
    const key = (json.items as Wire[]).find(({ name }) => name === keyName) as Wire;
    const { option_group_uid, option_key_uid } = key;
    const body = { option_group_uid, option_key_uid, value };
    const saved = await server.post('/api/user_options', body, { ...apiKey, ...bearer(user.accessToken) });
    expect(saved.status).toBeLessThan(300);
    return saved.json.user_options_uid as string;
  };
  const search = async (query: string) => (await at.get(`/users?${query}`)).json as Found;
  type Found = { items: { clientUserId: string }[]; next: string | null; limit: number; code?: string };
  const ids = ({ items }: Found) => items.map(({ clientUserId }) => clientUserId);

  test('are created once, with an event and an audit entry', async () => {
    const made = await at.send('POST', '/users', { clientUserId: 'grace@example.com', clientUserName: 'Grace Hopper' });
    expect(made.status).toBe(201);
    expect(made.json).toMatchObject({
      clientUserId: 'grace@example.com',
      email: 'grace@example.com',
      status: 'active',
    });
    const { userUid } = made.json as { userUid: string };
    expect((await at.get(`/users/${userUid}`)).json).toMatchObject({ clientUserName: 'Grace Hopper' });
    expect((await at.get(`/events?userUid=${userUid}`)).json.items).toMatchObject([{ type: 'user.created' }]);
    expect((await at.get(`/audit?action=user.created&userUid=${userUid}`)).json.items).toMatchObject([{ userUid }]);
    const again = await at.send('POST', '/users', { clientUserId: 'grace@example.com', clientUserName: 'Other' });
    expect([again.status, again.json.code]).toEqual([409, '9409']);
    for (const [member, value] of [
      ['clientUserId', ' '],
      ['clientUserName', 'x'.repeat(256)],
      ['clientUserName', 'a\u0000'],
    ] as const) {
      const body = { clientUserId: 'new', clientUserName: 'New', [member]: value };
      const refused = await at.send('POST', '/users', body);
      expect([refused.status, refused.json.errors]).toMatchObject([400, [{ field: member }]]);
    }
    expect((await at.send('DELETE', `/users/${userUid}`)).status).toBe(204);
  });

  test('are found by part of their id or name, ids with that prefix first, or by uid', async () => {
    await addUser('zoe@example.com', 'Zoë Žižek');
    await addUser('zed', '<script>alert(1)</script>');
    await addUser('other-zo', 'Someone ZOE-like');
    await addUser('zoe2', 'Two');
    expect(ids(await search('search=zoe'))).toEqual(['zoe2', 'zoe@example.com', 'other-zo']);
    expect(ids(await search('search=EXAMPLE.com'))).toEqual(['zoe@example.com']);
    expect(await search('search=E-lik&partial=true')).toMatchObject({
      items: [{ clientUserId: 'other-zo' }],
      next: null,
    });
    expect(await search('status=active&search=R-ZO&partial=true')).toMatchObject({
      items: [{ clientUserId: 'other-zo' }],
      searched: expect.any(Number),
    });
    expect(ids(await search('search=Žižek'))).toEqual(['zoe@example.com']);
    expect(ids(await search('search=%3Cscript'))).toEqual(['zed']);
    expect(ids(await search('search=%25'))).toEqual([]);
    const one = (await search('search=zed')).items[0] as Wire;
    expect(one).toEqual({
      userUid: expect.any(String),
      clientUserId: 'zed',
      clientUserName: '<script>alert(1)</script>',
      email: '',
      status: 'active',
      createdAt: TIME,
      updatedAt: TIME,
    });
    expect(await search(`search=${one.userUid}`)).toMatchObject({ items: [one], next: null });
    const upper = String(one.userUid).toUpperCase();
    expect(await search(`search=${upper}`)).toMatchObject({ items: [one], next: null });
    expect((await at.get(`/users/${upper}`)).json).toMatchObject({ userUid: one.userUid });
    expect(await search(`search=${NOBODY}`)).toMatchObject({ items: [], next: null });
    const elsewhere = await editor(server);
    expect((await elsewhere.get(`/users?search=${one.userUid}`)).json).toMatchObject({ items: [] });
    expect((await elsewhere.get(`/users/${one.userUid}`)).json.code).toBe('9404');
  });

  test('are paged by a cursor, each once, also in a search', async () => {
    for (let index = 0; index < 7; index++) {
      await addUser(`page-${index}`, `Paged ${index}`);
      await addUser(`x-${index}`, `has page-like name ${index}`);
    }
    for (const [query, expected] of [
      ['search=page-', 14],
      ['search=', undefined],
    ] as const) {
      const whole = ids(await search(`${query}&limit=200`));
      const seen: string[] = [];
      let after: string | null = '';
      for (let rounds = 0; after !== null && rounds < 50; rounds++) {
        const answer = await at.get(`/users?${query}&limit=3${after && `&after=${after}`}`);
        const page = answer.json as Found;
        seen.push(...ids(page));
        expect(answer.headers.get('link') === null).toBe(page.next === null);
        after = page.next;
      }
      expect(seen).toEqual(whole);
      expect(new Set(seen).size).toBe(seen.length);
      if (expected !== undefined) expect(seen).toHaveLength(expected);
    }
    for (const query of ['after=nonsense', 'limit=0', 'limit=x', `search=${'x'.repeat(300)}`, 'search=%00']) {
      expect((await search(query)).code).toBe('9400');
    }
  });

  test('are sorted by creation time, in pages, filtered and searched too', async () => {
    for (const name of ['sort-b', 'sort-c', 'sort-a']) await addUser(name, 'Sorted');
    const paged = async (query: string) => {
      const seen: string[] = [];
      for (let after: string | null = ''; after !== null; ) {
        const page = await search(`${query}&limit=2&partial=true${after && `&after=${after}`}`);
        seen.push(...ids(page));
        after = page.next;
      }
      return seen;
    };
    const newest = await paged('sort=newest');
    expect(newest.slice(0, 3)).toEqual(['sort-a', 'sort-c', 'sort-b']);
    expect(await paged('sort=oldest')).toEqual(newest.toReversed());
    expect(await paged('sort=newest&search=SORT-')).toEqual(['sort-a', 'sort-c', 'sort-b']);
    expect(await paged('sort=oldest&status=active&search=orte')).toEqual(['sort-b', 'sort-c', 'sort-a']);
    for (const query of ['sort=x', 'sort=newest&where=kitchen.vegetarian']) {
      expect((await search(query)).code).toBe('9400');
    }
    expect(await search('search=ORT-&count=true&limit=1')).toMatchObject({ total: 3 });
    const exported = await at.get('/users/export?search=ORT-');
    const lines = exported.json.lines as { clientUserId: string }[];
    expect(lines.map(({ clientUserId }) => clientUserId)).toEqual(['sort-b', 'sort-c', 'sort-a']);
    // The number of all users would be wrong here, and the text may be personal data.
    const { items } = (await at.get('/audit?action=users.exported')).json as { items: { after: unknown }[] };
    expect(items[0]?.after).toEqual({ filters: ['search'] });
  });

  test('are filtered by creation day, including imported ones', async () => {
    const lines = ['2001-02-03', '2001-02-04', '2001-03-01', '1999-01-01'].map((day, index) => ({
      line: index + 1,
      text: JSON.stringify({
        clientUserId: `born-${day}`,
        clientUserName: 'Born',
        created_at: `${day} 10:00:00`,
        options: [],
      }),
    }));
    expect((await at.send('POST', '/users/import', { lines })).json).toMatchObject({ counts: { created: 4 } });
    const february = 'from=2001-02-03&to=2001-03-01';
    expect(await search(`${february}&count=true`)).toMatchObject({ total: 2, next: null });
    expect(ids(await search(february))).toEqual(['born-2001-02-03', 'born-2001-02-04']);
    expect(ids(await search(`${february}&sort=newest`))).toEqual(['born-2001-02-04', 'born-2001-02-03']);
    expect(ids(await search('to=2001-02-03%2010:00:01&search=ORN-'))).toEqual(['born-1999-01-01', 'born-2001-02-03']);
    expect(ids(await search(`${february}&status=active&where=!kitchen.vegetarian&count=true`))).toHaveLength(2);
    expect(await search(`${february}&status=suspended&count=true`)).toMatchObject({ total: 0 });
    // Sorted by creation time, not by id: the imported users were added last.
    expect(ids(await search('sort=oldest&limit=2'))).toEqual(['born-1999-01-01', 'born-2001-02-03']);
    const first = await at.get(`/users?${february}&limit=1`);
    const next = /<(.*)>/.exec(first.headers.get('link') ?? '')?.[1] as string;
    expect(ids((await at.manage.get(next.replace('/manage/v1', ''))).json as Found)).toEqual(['born-2001-02-04']);
    const { lines: exported } = (await at.get(`/users/export?${february}`)).json as {
      lines: { clientUserId: string }[];
    };
    expect(exported.map(({ clientUserId }) => clientUserId)).toEqual(['born-2001-02-03', 'born-2001-02-04']);
    for (const query of ['from=x', 'from=2001-02-31', 'from=2002-01-01&to=2001-01-01']) {
      expect((await search(query)).code).toBe('9400');
      expect((await at.get(`/users/export?${query}`)).json.code).toBe('9400');
    }
  });

  test('are filtered by selection and status, combined with a search', async () => {
    const [chose, other] = [
      await makeSignedInUser(server, at.application, 'where-1'),
      await makeSignedInUser(server, at.application, 'where-2'),
    ];
    await save(chose, 'vegetarian', [true]);
    await save(other, 'vegetarian', [true]);
    await at.send('PATCH', `/users/${other.userCode}`, { status: 'suspended' });
    const where = 'where=kitchen.vegetarian%3Dtrue';
    expect(ids(await search(`${where}&count=true`))).toEqual(['where-1', 'where-2']);
    expect(await search(`${where}&count=true&limit=1`)).toMatchObject({
      total: 2,
      items: [{}],
      next: expect.any(String),
    });
    expect(ids(await search(`${where}&search=where-2`))).toEqual(['where-2']);
    expect(ids(await search('status=suspended'))).toEqual(['where-2']);
    expect(ids(await search(`${where}&status=active&search=TEST%20USER`))).toEqual(['where-1']);
    for (const query of ['where=nothing.here', 'where=kitchen.vegetarian%3D7', 'status=x']) {
      expect((await search(query)).code).toBe('9400');
    }
    const reason = '"x": there is no option key "x". Write group.key=value, group.key!=value, group.key or !group.key';
    for (const path of ['/users', '/users/export']) {
      expect((await at.get(`${path}?where=x`)).json).toEqual({
        ...{ code: '9400', message: `where ${reason}.` },
        errors: [{ field: 'where', message: reason }],
      });
    }
    const answer = await at.get(`/users?${where}&limit=1`);
    const next = /<(.*)>/.exec(answer.headers.get('link') ?? '')?.[1] as string;
    expect(ids((await at.manage.get(next.replace('/manage/v1', ''))).json as Found)).toEqual(['where-2']);
  });

  test('are renamed, suspended and resumed, audited without their names', async () => {
    const { userCode, clientUserId } = await makeSignedInUser(server, at.application);
    const taken = await makeSignedInUser(server, at.application);
    const change = (body: unknown) => at.send('PATCH', `/users/${userCode}`, body);
    const renamed = { clientUserName: 'Renamed Person', clientUserId: `${clientUserId}-2`, status: 'suspended' };
    expect(await change(renamed)).toMatchObject({ status: 200, json: { userUid: userCode, ...renamed } });
    expect((await change({ status: 'active' })).json.status).toBe('active');
    for (const body of [{ status: 'x' }, { clientUserName: '' }, { clientUserId: null }, { colour: 'red' }]) {
      expect((await change(body)).json.code).toBe('9400');
    }
    expect(await change({ clientUserId: taken.clientUserId })).toMatchObject({ status: 409, json: { code: '9409' } });
    expect((await at.send('PATCH', `/users/${NOBODY}`, {})).json.code).toBe('9404');
    const { json } = await at.get('/audit?limit=3');
    const reported = (json.items as Wire[]).map(({ action, userUid, after }) => ({ action, userUid, after }));
    expect(reported).toEqual([
      { action: 'user.resumed', userUid: userCode, after: null },
      { action: 'user.suspended', userUid: userCode, after: null },
      { action: 'user.changed', userUid: userCode, after: { changed: ['clientUserName', 'clientUserId'] } },
    ]);
  });

  test('are shown with their tokens, which can be revoked individually', async () => {
    const user = await makeSignedInUser(server, at.application, 'ada@example.com');
    const path = `/users/${user.userCode}`;
    const { json } = await at.get(path);
    expect(json).toEqual({
      userUid: user.userCode,
      clientUserId: 'ada@example.com',
      clientUserName: 'Test user',
      email: 'ada@example.com',
      status: 'active',
      createdAt: TIME,
      updatedAt: TIME,
      accessTokens: [{ tokenId: expect.any(String), issuedAt: TIME, expiresAt: TIME }],
    });
    expect(JSON.stringify(json)).not.toContain(user.accessToken);
    const [token] = json.accessTokens as { tokenId: string }[];
    const other = await makeSignedInUser(server, at.application);
    const foreign = await at.send('DELETE', `/users/${other.userCode}/tokens/${token?.tokenId}`);
    expect(foreign).toMatchObject({ status: 404, json: { code: '9404' } });
    const read = () => server.send('GET', '/api/user_options', { headers: { ...apiKey, ...bearer(user.accessToken) } });
    expect((await read()).status).toBe(200);
    expect((await at.send('DELETE', `${path}/tokens/${token?.tokenId.toUpperCase()}`)).status).toBe(204);
    expect((await read()).json.code).toBe('1007');
    expect((await at.send('DELETE', `${path}/tokens/${token?.tokenId}`)).json.code).toBe('9404');
    expect((await at.send('DELETE', `${path}/tokens/x`)).json.code).toBe('9404');
  });

  test('lose all their tokens at once', async () => {
    const user = await makeSignedInUser(server, at.application);
    const { specialToken } = (await at.send('POST', `/users/${user.userCode}/special-token`)).json;
    expect((await at.send('DELETE', `/users/${user.userCode}/tokens`)).status).toBe(204);
    const headers = { ...apiKey, ...bearer(user.accessToken) };
    expect((await server.send('GET', '/api/user_options', { headers })).json.code).toBe('1007');
    const { clientSecret } = at.application;
    expect((await server.post('/oauth/v2/get-access-token', { clientSecret, specialToken })).json.code).toBe('0008');
    expect((await at.get(`/users/${user.userCode}`)).json.accessTokens).toEqual([]);
    expect((await at.send('DELETE', `/users/${NOBODY}/tokens`)).json.code).toBe('9404');
  });

  test('get a new specialToken, valid for one exchange', async () => {
    const user = await makeSignedInUser(server, at.application);
    const issued = await at.send('POST', `/users/${user.userCode}/special-token`);
    expect(issued).toMatchObject({
      status: 201,
      json: { specialToken: expect.stringMatching(/^st_/), expiresAt: TIME },
    });
    expect(issued.headers.get('cache-control')).toBe('no-store');
    const exchange = () =>
      server.post('/oauth/v2/get-access-token', {
        clientSecret: at.application.clientSecret,
        specialToken: issued.json.specialToken,
      });
    expect((await exchange()).json.service_user_code).toBe(user.userCode);
    expect((await exchange()).json.code).toBe('0008');
  });

  test('have options with marked defaults, a history, and a complete export', async () => {
    const user = await makeSignedInUser(server, at.application, '"odd" <id> ünï');
    const fruit = await save(user, 'fruit', ['cherry']);
    const motto = await save(user, 'motto', ['Hello']);
    await save(user, 'fruit', ['cherry', 'apple']);
    const headers = { ...apiKey, ...bearer(user.accessToken) };
    expect((await server.send('DELETE', `/api/user_options/${motto}`, { headers })).status).toBe(204);

    const path = `/users/${user.userCode}`;
    const options = (await at.get(`${path}/options`)).json;
    expect(options).toMatchObject({ total: 3, offset: 0, limit: 50 });
    expect(options.items).toMatchObject([
      { groupName: 'kitchen', keyName: 'vegetarian', value: false, isDefault: true, userOptionsUid: null },
      { keyName: 'fruit', valueType: 'string', value: ['apple', 'cherry'], isDefault: false, userOptionsUid: fruit },
      { groupName: 'open', keyName: 'volume', value: 5, isDefault: true, archived: false },
    ]);
    const history = (await at.get(`${path}/history`)).json;
    expect(history.total).toBe(4);
    // Within one second, the chain of replaced values defines the order.
    expect(history.items).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          action: 'save',
          keyName: 'fruit',
          by: 'access_token',
          fromValue: null,
          toValue: ['cherry'],
        }),
        expect.objectContaining({
          action: 'save',
          keyName: 'fruit',
          fromValue: ['cherry'],
          toValue: ['apple', 'cherry'],
        }),
        expect.objectContaining({
          action: 'unset',
          keyName: 'motto',
          groupName: 'open',
          fromValue: 'Hello',
          toValue: null,
        }),
      ]),
    );
    expect((await at.get(`${path}/history?limit=1&offset=1`)).json).toMatchObject({
      total: 4,
      items: [(history.items as Wire[])[1]],
    });

    const exported = await at.get(`${path}/export`);
    expect(exported.headers.get('content-disposition')).toBe(`attachment; filename="user-${user.userCode}.json"`);
    expect(exported.json).toMatchObject({
      clientId: at.application.clientId,
      user: { userUid: user.userCode, clientUserId: '"odd" <id> ünï' },
      accessTokens: [{ tokenId: expect.any(String) }],
      options: [{ keyName: 'fruit', value: ['apple', 'cherry'] }],
      history: expect.arrayContaining(history.items as Wire[]),
    });
    // By selection, each with its latest change first.
    const reported = (exported.json.history as Wire[]).map(({ userOptionsUid, toValue }) => [userOptionsUid, toValue]);
    const ofMotto = [
      [motto, null],
      [motto, 'Hello'],
    ];
    expect(reported).toEqual([...ofMotto, [fruit, ['apple', 'cherry']], [fruit, ['cherry']]]);
  });

  test('with a large history are exported as a stream, and listed in pages that end early', async () => {
    const user = await makeSignedInUser(server, at.application);
    const selectionId = (await save(user, 'motto', ['Hello'])) as string;
    const { selections } = server.service.storage;
    const { appId } = at.application;
    const [record] = await selections.list(user.userCode);
    const large = JSON.stringify('x'.repeat(400_000));
    for (let times = 0; times < 10; times++) {
      for (const value of [large, '"short"']) {
        const change = { ...(record as SelectionRecord), value };
        await selections.save(appId, user.userCode, [change], { at: server.service.now(), authMethod: 'manage' });
      }
    }
    const path = `/users/${user.userCode}`;
    const exported = await at.get(`${path}/export`);
    expect(exported.headers.get('content-length')).toBeNull();
    expect(exported.json.history).toHaveLength(21);
    const page = await at.get(`${path}/export?format=html`);
    expect(page.headers.get('content-length')).toBeNull();
    // Before and after the change, in the history and in the events.
    expect(page.text.match(/x{400000}/g)).toHaveLength(40);
    expect(page.text.trimEnd().endsWith('</html>')).toBe(true);

    const headers = { ...apiKey, ...bearer(user.accessToken) };
    const lists = [
      () => at.get(`${path}/history?limit=10`),
      () => server.send('GET', `/api/user_options/${selectionId}/history?limit=10`, { headers }),
    ];
    for (const list of lists) {
      const { json, headers: sent } = await list();
      expect((json.items as Wire[]).length).toBe(3);
      expect(json).toMatchObject({ total: 21, offset: 0, limit: 3 });
      expect(sent.get('link')).toContain('offset=3&limit=3>; rel="next"');
    }
  });

  test('are deleted with all data, and their tokens fail immediately', async () => {
    const user = await makeSignedInUser(server, at.application);
    await save(user, 'volume', [10]);
    const path = `/users/${user.userCode}`;
    expect((await at.send('DELETE', path)).status).toBe(204);
    for (const rest of ['', '/options', '/history', '/export']) {
      expect((await at.get(path + rest)).json.code).toBe('9404');
    }
    expect((await at.send('DELETE', path)).json.code).toBe('9404');
    expect((await at.send('POST', `${path}/special-token`)).json.code).toBe('9404');
    const headers = { ...apiKey, ...bearer(user.accessToken) };
    expect((await server.send('GET', '/api/user_options', { headers })).json.code).toBe('1007');
    for (const uid of ['x', NOBODY]) expect((await at.get(`/users/${uid}`)).json.code).toBe('9404');
  });

  test('are counted by selection', async () => {
    const { key, get, edit, application } = await editor(server);
    const own = { apiKey: application.clientId };
    const vote = async (keyName: string, value: unknown[]) => {
      const user = await makeSignedInUser(server, application);
      const { json } = await server.send('GET', '/api/option_keys', { headers: own });
      const { option_group_uid, option_key_uid } = (json.items as Wire[]).find(({ name }) => name === keyName) as Wire;
      const body = { user_uid: user.userCode, option_group_uid, option_key_uid, value };
      expect((await server.post('/api/user_options', body, own)).status).toBe(201);
    };
    for (const value of [['apple'], ['cherry'], ['apple', 'cherry']]) await vote('fruit', value);
    for (const value of [['Hi'], ['Hi'], ['Ho']]) await vote('motto', value);
    const { keyUid } = await key('fruit');
    expect((await get(`/keys/${keyUid}/counts`)).json).toEqual({
      keyUid,
      total: 3,
      items: [
        { value: 'apple', count: 2, offered: true },
        { value: 'apricot', count: 0, offered: true },
        { value: 'cherry', count: 2, offered: true },
      ],
      otherValues: 0,
    });
    const values = ['apple', { value: 'apricot', retired: true }];
    await edit('PUT', `/keys/${keyUid}/values?allow_breaking=true`, { values });
    expect((await get(`/keys/${keyUid}/counts`)).json.items).toEqual([
      { value: 'apple', count: 2, offered: true },
      { value: 'apricot', count: 0, offered: false },
      { value: 'cherry', count: 2, offered: false },
    ]);
    const motto = await key('motto');
    expect((await get(`/keys/${motto.keyUid}/counts`)).json).toMatchObject({
      total: 3,
      items: [
        { value: 'Hi', count: 2, offered: true },
        { value: 'Ho', count: 1, offered: true },
      ],
    });
    expect((await get(`/keys/${NOBODY}/counts`)).json.code).toBe('9404');
  });
});
