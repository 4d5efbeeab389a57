import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { EXAMPLE, type Wire } from '../http/options/example-catalog.ts';
import { makeSignedInUser, startTestServer, type TestServer } from '../http/start.ts';
import { byToken, editor, editorOf, manageWith } from './manage.ts';

const SMALL = {
  languages: [
    { name: 'English', tag: 'en', default: true },
    { name: 'Deutsch', tag: 'de' },
  ],
  groups: [{ name: 'look', keys: [{ name: 'theme', type: 'string', values: ['light', 'dark'] }] }],
};

describe.each(databases)('the catalog of /manage/v1 on $kind', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
  });
  afterAll(() => server.close());

  /** Creates a user who has chosen a value of a key. */
  const choose = async ({ application }: Awaited<ReturnType<typeof editor>>, keyName: string, value: unknown) => {
    const user = await makeSignedInUser(server, application);
    const { json } = await server.send('GET', '/api/option_keys', { headers: { apiKey: application.clientId } });
    const key = (json.items as Wire[]).find(({ name }) => name === keyName) as Wire;
    const { option_group_uid, option_key_uid } = key;
    const body = { user_uid: user.userCode, option_group_uid, option_key_uid, value: [value].flat() };
    const saved = await server.post('/api/user_options', body, { apiKey: application.clientId });
    expect(saved.status).toBe(201);
    return user;
  };

  test('is empty at first, with revision 0', async () => {
    const application = await server.application();
    const manage = await manageWith(server);
    const answer = await manage.get(`/applications/${application.clientId}/catalog`);
    expect(answer.headers.get('etag')).toBe('"0"');
    expect(answer.json).toEqual({ languages: [], groups: [] });
  });

  test('is published from a file, visible immediately, and exported as sent', async () => {
    const { application, manage, path, get } = await editor(server);
    const listed = async () =>
      (
        (await server.send('GET', '/api/option_groups', { headers: { apiKey: application.clientId } })).json
          .items as Wire[]
      ).map(({ name }) => name);
    expect(await listed()).toEqual(['kitchen', 'open', 'empty']);
    const answer = await get('/catalog');
    expect(answer.headers.get('etag')).toBe('"1"');
    const again = await manage.send('PUT', `${path}/catalog`, answer.json, { 'if-match': '"1"' });
    expect(again).toMatchObject({ status: 200, json: { revision: 1, changed: false, changes: [], breaking: [] } });
    const [kitchen, ...others] = answer.json.groups as Wire[];
    const renamed = { ...answer.json, groups: [{ ...kitchen, name: 'food', was: 'kitchen' }, ...others] };
    const changed = await manage.send('PUT', `${path}/catalog`, renamed, { 'if-match': 'W/"1"' });
    expect(changed).toMatchObject({ status: 200, json: { revision: 2, changed: true } });
    expect(changed.headers.get('etag')).toBe('"2"');
    expect(changed.json.changes).toMatchObject([
      { kind: 'renamed', subject: 'group', path: 'food', details: ['was kitchen'] },
    ]);
    expect(await listed()).toEqual(['food', 'open', 'empty']);
    expect((await get('/catalog', { 'if-none-match': '"2"' })).status).toBe(304);
  });

  test('is not published without If-Match: 9428, nor with an invalid one: 9400', async () => {
    const { manage, path } = await editor(server);
    const missing = await manage.send('PUT', `${path}/catalog`, EXAMPLE);
    expect(missing).toMatchObject({ status: 428, json: { code: '9428' } });
    for (const tag of ['7', 'W/1', '"1", 2']) {
      const bad = await manage.send('PUT', `${path}/catalog`, EXAMPLE, { 'if-match': tag });
      expect(bad).toMatchObject({ status: 400, json: { code: '9400', errors: [{ field: 'If-Match' }] } });
    }
    const any = await manage.send('PUT', `${path}/catalog`, SMALL, { 'if-match': '*' });
    expect(any).toMatchObject({ status: 200, json: { revision: 2 } });
  });

  test('two editors: the second sees what the first changed, and nothing is lost', async () => {
    const { manage, path, edit, file } = await editor(server, SMALL);
    const seen = await file();
    const first = { ...seen, languages: [...(seen.languages as Wire[]), { name: 'Español', tag: 'es' }] };
    const second = { ...seen, groups: [...(seen.groups as Wire[]), { name: 'sound' }] };
    expect((await manage.send('PUT', `${path}/catalog`, first, { 'if-match': '"1"' })).status).toBe(200);
    expect((await edit('POST', '/groups', { name: 'third' })).status).toBe(201);

    const refused = await manage.send('PUT', `${path}/catalog`, second, { 'if-match': '"1"' });
    expect(refused).toMatchObject({ status: 412, json: { code: '9412', revision: 3 } });
    expect(refused.headers.get('etag')).toBe('"3"');
    expect(refused.json.revisions).toMatchObject([
      {
        revision: 3,
        author: byToken(),
        createdAt: expect.stringMatching(/^\d{4}-/),
        changes: [{ kind: 'added', subject: 'group', path: 'third', details: expect.any(Array) }],
      },
      {
        revision: 2,
        author: byToken(),
        createdAt: expect.stringMatching(/^\d{4}-/),
        changes: [{ path: 'Español', details: ['tag es'], facts: [{ what: 'tag', to: 'es' }] }],
      },
    ]);
    const now = await file();
    expect((now.groups as Wire[]).map(({ name }) => name)).toEqual(['look', 'third']);
    expect(now.languages).toEqual(first.languages);

    // A revision that no longer exists, after the database was restored, also counts as changed.
    const future = await manage.send('PUT', `${path}/catalog`, second, { 'if-match': '"99"' });
    expect(future).toMatchObject({ status: 412, json: { code: '9412', revision: 3, revisions: [] } });
    const finer = await edit('POST', '/groups', { name: 'late' }, 1);
    expect(finer).toMatchObject({ status: 412, json: { revision: 3, revisions: [{ revision: 3 }, { revision: 2 }] } });
  });

  test('of many editors at one revision exactly one wins', async () => {
    const { edit, file } = await editor(server, SMALL);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => edit('POST', '/groups', { name: `g${index}` }, 1)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 412, 412, 412, 412, 412, 412, 412]);
    expect((await file()).groups).toHaveLength(2);
  });

  test('edits with If-Match: * follow each other, and none is lost', async () => {
    const { edit, file } = await editor(server, SMALL);
    const answers = await Promise.all(
      Array.from({ length: 4 }, (_, index) => edit('POST', '/groups', { name: `g${index}` })),
    );
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(((await file()).groups as Wire[]).map(({ name }) => name).sort()).toEqual(['g0', 'g1', 'g2', 'g3', 'look']);
  });

  test('changes that break saved selections are rejected with 9409 and counted, unless allowed', async () => {
    const made = await editor(server, SMALL);
    const { manage, path, edit, key } = made;
    await choose(made, 'theme', 'dark');
    await choose(made, 'theme', 'dark');
    const narrower = {
      ...SMALL,
      groups: [{ name: 'look', keys: [{ name: 'theme', type: 'string', values: ['light'] }] }],
    };
    const plan = await manage.send('POST', `${path}/catalog/plan`, narrower);
    const breaking = [{ path: 'look/theme', text: 'value removed: "dark"', selections: 2 }];
    const changes = [{ kind: 'changed', path: 'look/theme', selections: 2 }];
    expect(plan).toMatchObject({ status: 200, json: { revision: 1, changes, breaking, notes: [] } });
    const refused = await manage.send('PUT', `${path}/catalog`, narrower, { 'if-match': '"1"' });
    expect(refused).toMatchObject({ status: 409, json: { code: '9409', breaking } });
    const { keyUid } = await key('theme');
    expect((await edit('DELETE', `/keys/${keyUid}`, undefined, 1)).json.code).toBe('9409');
    expect((await edit('PUT', `/keys/${keyUid}/values`, { values: ['light'] }, 1)).json.code).toBe('9409');
    const allowed = await manage.send('PUT', `${path}/catalog?allow_breaking=true`, narrower, { 'if-match': '"1"' });
    expect(allowed).toMatchObject({ status: 200, json: { revision: 2, breaking } });
    const flag = await manage.send('PUT', `${path}/catalog?allow_breaking=perhaps`, SMALL, { 'if-match': '*' });
    expect(flag).toMatchObject({ status: 400, json: { code: '9400', errors: [{ field: 'allow_breaking' }] } });
  });

  test('a plan changes nothing, and lists missing texts', async () => {
    const { manage, path, get } = await editor(server, SMALL);
    const plan = await manage.send('POST', `${path}/catalog/plan`, {
      ...SMALL,
      groups: [{ name: 'new', was: 'elsewhere' }],
    });
    expect(plan.json).toMatchObject({
      revision: 1,
      changes: [
        { kind: 'added', subject: 'group', path: 'new' },
        { kind: 'archived', subject: 'group', path: 'look' },
        { kind: 'archived', subject: 'key', path: 'look/theme', selections: 0 },
      ],
      notes: [{ path: 'new', text: expect.stringContaining('was elsewhere') }],
      missing: [{ language: 'Deutsch', total: 1, missing: ['new'] }],
    });
    expect((await get('/catalog')).headers.get('etag')).toBe('"1"');
  });

  test('invalid catalogs are reported by field with 9422, and not published', async () => {
    const { manage, path, get } = await editor(server, SMALL);
    const cases: [unknown, string[]][] = [
      [{}, ['languages', 'groups']],
      [{ languages: [], groups: [] }, ['languages']],
      [{ ...SMALL, colour: 1 }, ['colour']],
      [
        {
          languages: [...SMALL.languages, { name: 'English', tag: 'en-GB' }],
          groups: [
            {
              name: 'g',
              translations: { Français: 'g' },
              keys: [
                { name: 'k', type: 'string', values: ['a', 'a'] },
                { name: 'k', type: 'integer', values: ['1'] },
              ],
            },
          ],
        },
        [
          'languages[2]',
          'groups[0].keys[1].name',
          'groups[0].translations.Français',
          'groups[0].keys[0].values[1]',
          'groups[0].keys[1].values[0]',
        ],
      ],
      [{ ...SMALL, groups: [{ name: 'g', keys: [{ name: 'k', type: 'colour' }] }] }, ['groups[0].keys[0].type']],
      [{ ...SMALL, groups: [{ name: 'g', translations: { 'a b': 'x' } }] }, ['groups[0].translations["a b"]']],
    ];
    for (const [body, fields] of cases) {
      for (const [method, rest] of [
        ['PUT', '/catalog'],
        ['POST', '/catalog/plan'],
      ] as const) {
        const answer = await manage.send(method, path + rest, body, { 'if-match': '"1"' });
        expect(answer).toMatchObject({ status: 422, json: { code: '9422' } });
        expect((answer.json.errors as Wire[]).map(({ field }) => field).sort()).toEqual([...fields].sort());
      }
    }
    expect((await get('/catalog')).headers.get('etag')).toBe('"1"');
  });

  test('a catalog may be far larger than other bodies, for authorised callers', async () => {
    const { manage, path, application } = await editor(server, SMALL);
    const keys = Array.from({ length: 2_000 }, (_, index) => ({
      name: `key-${index}`,
      type: 'string',
      values: [{ value: 'a', translations: { English: `A ${index}`, Deutsch: `Ä ${index}` } }, 'b'],
      translations: { English: `Key ${index}`, Deutsch: `Schlüssel ${index}` },
    }));
    const file = { ...SMALL, groups: [...SMALL.groups, { name: 'many', keys }] };
    expect(JSON.stringify(file).length).toBeGreaterThan(256 * 1024);
    const answer = await manage.send('PUT', `${path}/catalog`, file, { 'if-match': '"1"' });
    expect(answer).toMatchObject({ status: 200, json: { revision: 2 } });
    const stranger = await server.send('PUT', `/manage/v1${path}/catalog`, {
      body: JSON.stringify(file),
      headers: { authorization: 'Bearer nobody', 'if-match': '*' },
    });
    expect(stranger.status).toBe(401);
    const elsewhere = await manage.send('PATCH', `/applications/${application.clientId}`, { name: 'x'.repeat(70_000) });
    expect(elsewhere).toMatchObject({ status: 413, json: { code: '9413' } });
  });

  test('unusual texts are stored and served unchanged', async () => {
    const odd = [
      '<script>alert(1)</script>',
      '"><img src=x onerror=alert(1)>',
      "'; drop table catalog_items; --",
      '{{constructor.constructor("alert(1)")()}}',
      '=HYPERLINK("http://evil.example")',
      '𝕏 👩‍👩‍👧 עברית \u202etxt',
      'line\nbreak\ttab',
      '\\u0000 %00 &amp; \\"',
    ];
    const file = {
      languages: [{ name: '<b>English</b>', tag: 'en', default: true }],
      groups: odd.map((text, index) => ({
        name: `group ${index} %<i>`,
        translations: { en: text },
        keys: [
          {
            name: `key "${index}"`,
            type: 'string',
            values: [{ value: text, translations: { en: `${text}!` } }],
            translations: { en: text },
          },
        ],
      })),
    };
    const made = await editor(server, file);
    const { application, get, edit } = made;
    const { json } = await get('/catalog');
    expect((json.groups as Wire[]).map(({ translations }) => translations)).toEqual(
      odd.map((text) => ({ '<b>English</b>': text })),
    );
    const public_ = await server.send('GET', '/api/option_keys', { headers: { apiKey: application.clientId } });
    expect(public_.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect((public_.json.items as Wire[]).map(({ label }) => label)).toEqual(odd);
    const rows = (await get('/catalog/translations?limit=100')).json.items as { path: string }[];
    const texts = rows.map(({ path }) => ({ path, language: 'en', text: `<u>${path}` }));
    expect((await edit('PATCH', '/translations', { texts })).status).toBe(200);
    const after = (await get('/catalog/translations?limit=100')).json.items as { path: string; texts: Wire }[];
    expect(after.map((row) => row.texts.en)).toEqual(texts.map(({ text }) => text));
    // Exporting and applying everything changes nothing.
    const { languages } = (await get('/catalog')).json;
    expect((await edit('PUT', '/languages', { languages })).json).toMatchObject({ changed: false, changes: [] });
  });

  test('a publication is visible in another process within a second', async () => {
    const url = await database.fresh();
    const [here, there] = [await startTestServer(url), await startTestServer(url)];
    try {
      const { application, edit } = await editor(here, SMALL);
      const groups = async () =>
        (
          (await there.send('GET', '/api/option_groups', { headers: { apiKey: application.clientId } })).json
            .items as Wire[]
        ).map(({ name }) => name);
      expect(await groups()).toEqual(['look']);
      await edit('POST', '/groups', { name: 'new' });
      await expect.poll(groups, { interval: 50 }).toEqual(['look', 'new']);
    } finally {
      await Promise.all([here.close(), there.close()]);
    }
  });

  test('revisions are listed, shown, compared and restored', async () => {
    const made = await editor(server, SMALL);
    const { manage, path, get, edit, key, tree, send } = made;
    const { keyUid } = await key('theme');
    await edit('PATCH', `/keys/${keyUid}`, { name: 'design' });
    await edit('DELETE', `/keys/${keyUid}`, undefined);
    const list = await get('/revisions');
    expect(list.json).toMatchObject({
      total: 3,
      offset: 0,
      limit: 50,
      items: [
        { revision: 3, author: byToken(), changes: [{ kind: 'archived', path: 'look/design' }] },
        { revision: 2, changes: [{ kind: 'renamed', path: 'look/design', details: ['was theme'] }] },
        { revision: 1 },
      ],
    });
    const page = await get('/revisions?limit=1&offset=1');
    expect((page.json.items as Wire[]).map(({ revision }) => revision)).toEqual([2]);
    expect(page.headers.get('link')).toContain('rel="next"');
    const first = (await get('/revisions/1')).json;
    expect(first).toMatchObject({ revision: 1, author: byToken(), catalog: SMALL });
    expect((await get('/revisions/compare?from=1&to=2')).json).toMatchObject({
      from: 1,
      to: 2,
      changes: [{ kind: 'renamed', subject: 'key', path: 'look/design', details: ['was theme'] }],
    });
    expect(((await get('/revisions/compare?from=0&to=1')).json.changes as Wire[]).map(({ kind }) => kind)).toEqual([
      'added',
      'added',
      'added',
      'added',
    ]);
    for (const [rest, code] of [
      ['/revisions/4', '9404'],
      ['/revisions/0', '9400'],
      ['/revisions/x', '9400'],
      ['/revisions/compare?from=1&to=9', '9404'],
      ['/revisions/compare?from=1', '9400'],
    ] as const) {
      expect([rest, (await get(rest)).json.code]).toEqual([rest, code]);
    }

    expect((await send('POST', '/revisions/1/restore', {})).json.code).toBe('9428');
    const stale = await manage.send('POST', `${path}/revisions/1/restore`, undefined, { 'if-match': '"2"' });
    expect(stale).toMatchObject({ status: 412, json: { revisions: [{ revision: 3 }] } });
    expect((await send('POST', '/revisions/9/restore', {}, { 'if-match': '*' })).json.code).toBe('9404');
    const restored = await manage.send('POST', `${path}/revisions/1/restore`, undefined, { 'if-match': '"3"' });
    expect(restored).toMatchObject({ status: 200, json: { revision: 4, changed: true } });
    expect((await get('/catalog')).json).toEqual(first.catalog);
    expect((await key('theme')).keyUid).toBe(keyUid);
    expect((await tree()).groups).toHaveLength(1);
  });

  test('another application has its own catalog', async () => {
    const [one, other] = [await editor(server, SMALL), await editor(server)];
    const { keyUid } = await one.key('theme');
    const foreign = editorOf(other.manage, other.path);
    expect((await foreign.edit('PATCH', `/keys/${keyUid}`, { name: 'x' })).json.code).toBe('9404');
    expect((await other.get(`/keys/${keyUid}/counts`)).json.code).toBe('9404');
  });
});
