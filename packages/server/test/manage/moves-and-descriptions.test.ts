import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CatalogFile } from '../../src/domain/catalog/file-schema.ts';
import { databases } from '../databases.ts';
import type { Wire } from '../http/options/example-catalog.ts';
import { makeSignedInUser, startTestServer, type TestServer } from '../http/start.ts';
import { editor, editorOf, manageWith, type Tree } from './manage.ts';

const LANGUAGES = [
  { name: 'English', tag: 'en', default: true },
  { name: 'Deutsch', tag: 'de' },
];
const FILE: CatalogFile = {
  languages: LANGUAGES,
  groups: [
    {
      name: 'ads',
      translations: { Deutsch: 'Werbung' },
      keys: [
        { name: 'consent', type: 'boolean', translations: { Deutsch: 'Einwilligung' } },
        { name: 'topics', type: 'string', values: ['cars', 'food'] },
      ],
    },
    { name: 'privacy', keys: [{ name: 'level', type: 'integer', values: [1, 2] }] },
  ],
};

describe.each(databases)('moved, renamed and described parts of a catalog on $kind', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
  });
  afterAll(() => server.close());

  async function make(file: CatalogFile = FILE) {
    const made = await editor(server, file);
    const { edit, get, send, application } = made;
    const apiKey = { apiKey: application.clientId };
    const user = await makeSignedInUser(server, application);
    return {
      ...made,
      put: (next: unknown, query = '') => edit('PUT', query, next),
      change: (method: string, rest: string, body: unknown) => edit(method, `${rest}?draft=true`, body),
      draftTree: async () => (await get('/catalog/tree?draft=true')).json as unknown as Tree,
      publish: () => send('POST', '/catalog/draft/publish', { allowBreaking: true }, { 'if-match': '*' }),
      step: (kind: 'undo' | 'redo') => send('POST', `/catalog/draft/${kind}`, undefined, { 'if-match': '*' }),
      offered: async (path: string) => (await server.send('GET', path, { headers: apiKey })).json,
      save: (key: { keyUid: string }, groupUid: string, value: unknown[]) =>
        server.send('POST', '/api/user_options', {
          headers: apiKey,
          body: JSON.stringify({
            user_uid: user.userCode,
            option_group_uid: groupUid,
            option_key_uid: key.keyUid,
            value,
          }),
        }),
      counts: async (key: { keyUid: string }) => (await get(`/keys/${key.keyUid}/counts`)).json,
    };
  }

  test('a file moves a key to another group with its UID and selections; the file can be applied again', async () => {
    const { put, key, group, save, tree, get } = await make();
    const consent = await key('consent');
    expect((await save(consent, (await group('ads')).groupUid, [true])).status).toBe(201);
    const moved = {
      languages: LANGUAGES,
      groups: [
        { name: 'ads', translations: { Deutsch: 'Werbung' }, keys: FILE.groups[0]?.keys?.slice(1) },
        {
          name: 'privacy',
          keys: [
            ...(FILE.groups[1]?.keys ?? []),
            { name: 'agreed', was: 'ads/consent', type: 'boolean', translations: { Deutsch: 'Einwilligung' } },
          ],
        },
      ],
    };
    const answer = await put(moved);
    expect(answer).toMatchObject({
      status: 200,
      json: {
        revision: 2,
        breaking: [],
        notes: [],
        changes: [
          { kind: 'renamed', path: 'privacy/agreed', selections: 1, details: ['moved from ads', 'was consent'] },
        ],
      },
    });
    const privacy = (await tree()).groups.find(({ name }) => name === 'privacy');
    expect(privacy?.keys.find(({ name }) => name === 'agreed')?.keyUid).toBe(consent.keyUid);
    expect(await key('agreed')).toMatchObject({ keyUid: consent.keyUid, archived: false });
    expect((await save(consent, privacy?.groupUid as string, [false])).status).toBe(200);
    expect((await put(moved)).json).toMatchObject({ changed: false });
    expect((await put((await get('/catalog')).json)).json).toMatchObject({ changed: false });
  });

  test('a draft moves a key back and forth, and publishes it in its final group', async () => {
    const { change, step, publish, key, group, draftTree, tree, send } = await make();
    const [consent, privacy, ads] = [await key('consent'), await group('privacy'), await group('ads')];
    const where = async (read: () => Promise<Tree>) =>
      (await read()).groups.find(({ keys }) => keys.some(({ keyUid }) => keyUid === consent.keyUid))?.name;
    const moved = await change('PATCH', `/keys/${consent.keyUid}`, { groupUid: privacy.groupUid, position: 0 });
    expect(moved).toMatchObject({ status: 200, json: { changed: true } });
    expect((await draftTree()).groups.find(({ name }) => name === 'privacy')?.keys[0]?.name).toBe('consent');
    expect((await step('undo')).status).toBe(200);
    expect([await where(draftTree), await where(tree)]).toEqual(['ads', 'ads']);
    expect((await step('redo')).status).toBe(200);
    expect([await where(draftTree), await where(tree)]).toEqual(['privacy', 'ads']);
    expect(await publish()).toMatchObject({ status: 200, json: { revision: 2 } });
    expect(await where(tree)).toBe('privacy');
    const back = await send(
      'PATCH',
      `/catalog/keys/${consent.keyUid}`,
      { groupUid: ads.groupUid },
      { 'if-match': '*' },
    );
    expect(back.status).toBe(200);
    expect(await where(tree)).toBe('ads');
    const nowhere = { groupUid: '00000000-0000-4000-8000-000000000000' };
    expect((await change('PATCH', `/keys/${consent.keyUid}`, nowhere)).status).toBe(404);
    expect((await change('PATCH', `/keys/${consent.keyUid}`, { groupUid: 7 })).status).toBe(400);
  });

  test('a draft publishes its new key, not an old one of the same name, with its editors', async () => {
    const { change, publish, key, group, save, draftTree, tree, path, get, counts } = await make();
    const consent = await key('consent');
    const { groupUid } = await group('ads');
    expect((await save(consent, groupUid, [true])).status).toBe(201);
    await change('PATCH', `/keys/${consent.keyUid}`, { name: 'consent_2025' });
    await change('DELETE', `/keys/${consent.keyUid}`, undefined);
    const second = editorOf(await manageWith(server, { name: 'second' }), path);
    const made = await second.edit('POST', `/groups/${groupUid}/keys?draft=true`, { name: 'consent', type: 'boolean' });
    expect(made.status).toBe(201);
    const shown = (await draftTree()).groups.find(({ name }) => name === 'ads')?.keys;
    const published = await publish();
    expect(published.status).toBe(200);
    const ads = (await tree()).groups.find(({ name }) => name === 'ads');
    expect(ads?.keys).toEqual(shown);
    expect(ads?.keys.find(({ name }) => name === 'consent')?.keyUid).toBe(made.json.keyUid);
    expect(ads?.keys.find(({ name }) => name === 'consent_2025')).toMatchObject({
      keyUid: consent.keyUid,
      archived: true,
    });
    expect(await counts({ keyUid: made.json.keyUid as string })).toMatchObject({ total: 0 });
    const revision = (await get('/revisions/2')).json;
    expect(revision.authors).toEqual([expect.stringMatching(/^token:tests /), expect.stringMatching(/^token:second /)]);
    const { json: audit } = await get('/audit?limit=10');
    const edits = (audit.items as Wire[]).filter(({ action }) => action === 'catalog.draftEdited');
    expect(edits.map(({ actor }) => String(actor).split(' ')[0])).toEqual([
      'token:second',
      'token:tests',
      'token:tests',
    ]);
  });

  test('a group is restored with the keys active when it was archived, and export then apply changes nothing', async () => {
    const { edit, key, group, tree, get, put } = await make();
    const [consent, ads] = [await key('consent'), await group('ads')];
    await edit('DELETE', `/keys/${consent.keyUid}`, undefined);
    await edit('DELETE', `/groups/${ads.groupUid}`, undefined);
    // Restoring a group does not restore texts of a language that was removed.
    await edit('PUT', '/languages', { languages: LANGUAGES.slice(0, 1) });
    const back = await edit('PATCH', `/groups/${ads.groupUid}`, { archived: false });
    expect(back).toMatchObject({
      json: {
        changes: [
          { kind: 'restored', path: 'ads' },
          { kind: 'restored', path: 'ads/topics' },
        ],
      },
    });
    const keys = (await tree()).groups.find(({ name }) => name === 'ads')?.keys;
    expect(keys?.map(({ name, archived }) => [name, archived])).toEqual([
      ['topics', false],
      ['consent', true],
    ]);
    expect((await put((await get('/catalog')).json)).json).toMatchObject({ changed: false });
    await edit('PUT', '/languages', { languages: LANGUAGES });
    expect((await get('/catalog')).text).not.toContain('Werbung');
    await edit('PATCH', `/keys/${consent.keyUid}`, { archived: false });
    expect((await get('/catalog')).text).not.toContain('Einwilligung');
  });

  test('help texts are published from the file, and translated like names', async () => {
    const { put, offered, get, key, group, edit, send, tree } = await make();
    const file = structuredClone(FILE);
    Object.assign(file.groups[0] ?? {}, { descriptions: { English: 'What we show you' } });
    Object.assign(file.groups[0]?.keys?.[0] ?? {}, { descriptions: { English: 'May we?', Deutsch: 'Dürfen wir?' } });
    expect((await put(file)).json).toMatchObject({
      changes: [
        { path: 'ads', details: ['description in English: none → "What we show you"'] },
        { path: 'ads/consent', facts: [{ what: 'description' }, { what: 'description', language: 'Deutsch' }] },
      ],
    });
    expect((await put((await get('/catalog')).json)).json).toMatchObject({ changed: false });
    expect((await tree()).groups[0]).toMatchObject({ descriptions: { English: 'What we show you' } });
    const groups = (await offered('/api/option_groups?language=de')).items as Wire[];
    expect(groups[0]).toMatchObject({
      description: 'What we show you',
      description_language: 'English',
      translations: [{ name: 'Werbung', description: null }],
    });
    expect(groups[1]).toMatchObject({ description: null, description_language: null });
    const { keyUid } = await key('consent');
    const described = await offered(`/api/option_keys/${keyUid}`);
    expect(described).toMatchObject({
      description: 'May we?',
      description_language: 'English',
      translations: [
        { language: 'English', name: 'consent', description: 'May we?' },
        { language: 'Deutsch', name: 'Einwilligung', description: 'Dürfen wir?' },
      ],
    });

    await edit('PATCH', `/keys/${keyUid}`, { descriptions: { en: 'Do you agree?', de: null } });
    await edit('PATCH', `/groups/${(await group('privacy')).groupUid}`, { descriptions: { English: 'Your data' } });
    const grid = (await get('/catalog/translations?missing=de')).json.items as Wire[];
    expect(grid).toContainEqual(expect.objectContaining({ path: 'ads/consent//description', source: 'Do you agree?' }));
    const csv = (await get('/catalog/translations/export?format=csv')).text;
    const translated = `${csv.replace('Do you agree?,Do you agree?,', 'Do you agree?,Do you agree?,Einverstanden?')}\r\n\r\n`;
    const taken = await send(
      'POST',
      '/catalog/translations/import',
      { file: translated, name: 'x.csv' },
      { 'if-match': '*' },
    );
    expect(taken).toMatchObject({ status: 200, json: { changed: true } });
    expect(await offered(`/api/option_keys/${keyUid}?language=de`)).toMatchObject({ description: 'Einverstanden?' });
    const long = { descriptions: { en: 'x'.repeat(2001) } };
    expect(await edit('PATCH', `/keys/${keyUid}`, long)).toMatchObject({
      status: 422,
      json: { errors: [{ field: 'descriptions.en' }] },
    });
  });

  test('an application without a catalog exports an applicable file; another cannot lose all its languages', async () => {
    const application = await server.application();
    const { get, edit } = editorOf(await manageWith(server), `/applications/${application.clientId}`);
    const { json } = await get('/catalog');
    expect(json).toEqual({ languages: [], groups: [] });
    expect(await edit('PUT', '', json)).toMatchObject({ status: 200, json: { changed: false, revision: 0 } });
    expect((await edit('PUT', '', FILE)).status).toBe(200);
    expect(await edit('PUT', '', json)).toMatchObject({ status: 422, json: { errors: [{ field: 'languages' }] } });
  });

  test('all problems are reported at once: structure, meaning, names, and languages that differ only in accents', async () => {
    const { put } = await make();
    const answer = await put({
      languages: [...LANGUAGES, { name: 'Español', tag: 'es' }, { name: 'Espan\u0303ol', tag: 'es-MX' }],
      groups: [
        {
          name: 'a.b',
          keys: [
            { name: 'x=y', type: 'sting' },
            { name: 'k', type: 'integer', default: 'a' },
          ],
        },
        {
          name: 'c',
          colour: 1,
          keys: [{ name: 'k', type: 'string', values: ['a', { value: 'b', retired: true, replacement: 'z' }] }],
        },
      ],
    });
    expect(answer.status).toBe(422);
    expect((answer.json.errors as Wire[]).map(({ field }) => field).sort()).toEqual([
      'groups[0].keys[0].name',
      'groups[0].keys[0].type',
      'groups[0].keys[1].default',
      'groups[0].name',
      'groups[1].colour',
      'groups[1].keys[0].values[1].replacement',
      'languages[3]',
    ]);
  });
});
