import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import type { Wire } from '../http/options/example-catalog.ts';
import { startTestServer, type TestServer } from '../http/start.ts';
import { editor, manageWith } from './manage.ts';

describe.each(databases)('languages and texts of /manage/v1 on $kind', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
  });
  afterAll(() => server.close());

  const fields = ({ json }: { json: Wire }) => (json.errors as Wire[]).map(({ field }) => field);

  test('languages are listed with their progress, set as a whole, renamed by tag', async () => {
    const { edit, get, file } = await editor(server);
    expect((await get('/catalog/languages')).json).toMatchObject({
      total: 3,
      items: [
        { name: 'English', tag: 'en', default: true, missing: 0 },
        { name: 'Deutsch', tag: 'de', default: false, texts: 14, missing: 9 },
        { name: 'Deutsch (Österreich)', tag: 'de-AT', default: false, texts: 14, missing: 13 },
      ],
    });
    const languages = [
      { name: 'German', tag: 'de', default: true },
      { name: 'Inglés', tag: 'en' },
      { name: 'Español', tag: 'es' },
    ];
    const answer = await edit('PUT', '/languages', { languages });
    expect(answer.status).toBe(200);
    expect(answer.json.changes).toContainEqual(
      expect.objectContaining({ kind: 'removed', subject: 'language', path: 'Deutsch (Österreich)' }),
    );
    const after = await file();
    expect(after.languages).toEqual(languages);
    const [kitchen] = after.groups as Wire[];
    expect(kitchen?.translations).toEqual({ German: 'Küche', Inglés: 'Kitchen' });
    expect(JSON.stringify(after)).not.toContain('Marille');

    expect(fields(await edit('PUT', '/languages', { languages: [...languages, { name: 'x', tag: '!' }] }))).toEqual([
      'languages[3].tag',
    ]);
    for (const bad of [undefined, [], {}, [null], ['de']]) {
      const refused = await edit('PUT', '/languages', { languages: bad });
      expect(refused).toMatchObject({ status: 422, json: { code: '9422' } });
    }
    expect((await edit('PUT', '/languages', { languages, more: 1 })).json.code).toBe('9400');
    expect((await edit('PUT', '/languages', { languages })).json).toMatchObject({ changed: false, changes: [] });
  });

  test('names are suggested for languages', async () => {
    const manage = await manageWith(server);
    const suggest = async (tag: string) =>
      (await manage.get(`/languages/suggestions?tag=${encodeURIComponent(tag)}`)).json;
    expect(await suggest('de')).toEqual({ tag: 'de', name: 'Deutsch', englishName: 'German' });
    expect(await suggest('ES')).toEqual({ tag: 'es', name: 'Español', englishName: 'Spanish' });
    expect(await suggest('pt-br')).toMatchObject({ tag: 'pt-BR', englishName: 'Brazilian Portuguese' });
    expect(await suggest('zh-hant')).toMatchObject({ tag: 'zh-Hant', name: '繁體中文' });
    expect(await suggest('qaa')).toMatchObject({ tag: 'qaa' });
    for (const tag of ['', 'not a tag', '!']) expect(await suggest(tag)).toMatchObject({ code: '9400' });
  });

  test('texts are listed by path, filtered, and changed in bulk', async () => {
    const { get, edit, file } = await editor(server);
    const list = async (query = '') => (await get(`/catalog/translations?limit=500${query}`)).json;
    const all = await list();
    expect(all).toMatchObject({ total: 14, offset: 0, limit: 500 });
    const rows = all.items as Wire[];
    expect(rows[0]).toEqual({
      path: 'kitchen',
      uid: expect.any(String),
      source: 'Kitchen',
      texts: { en: 'Kitchen', de: 'Küche' },
      missing: ['de-AT'],
      outdated: [],
      reviewed: [],
    });
    expect(rows.map(({ path }) => path)).toEqual([
      'kitchen',
      'kitchen/vegetarian',
      'kitchen/fruit',
      'kitchen/fruit=apple',
      'kitchen/fruit=apricot',
      'kitchen/fruit=cherry',
      'kitchen/portions',
      'kitchen/ratio',
      'open',
      'open/volume',
      'open/motto',
      'open/birthday',
      'open/tags',
      'empty',
    ]);
    expect(((await list('&missing=Deutsch')).items as Wire[]).map(({ path }) => path)).not.toContain('kitchen');
    expect((await list('&missing=de')).total).toBe(9);
    expect(((await list('&search=MARILLE')).items as Wire[]).map(({ path }) => path)).toEqual([
      'kitchen/fruit=apricot',
    ]);
    expect((await list('&missing=Klingon')).code).toBe('9400');
    const page = await get('/catalog/translations?limit=5&offset=10');
    expect((page.json.items as Wire[]).length).toBe(4);
    expect(page.headers.get('link')).toContain('rel="prev"');

    const texts = [
      { path: 'kitchen/fruit=cherry', language: 'Deutsch', text: 'Kirsche' },
      { path: 'kitchen/fruit=apricot', language: 'DE-at', text: null },
      { path: 'kitchen/portions', language: 'de', text: 'Portionen' },
      { path: 'kitchen', language: 'English', text: 'The kitchen' },
      { path: 'kitchen/portions=4', language: 'de', text: 'vier' },
    ];
    const changed = await edit('PATCH', '/translations', { texts }, 1);
    expect(changed).toMatchObject({ status: 200, json: { revision: 2, breaking: [] } });
    const after = (await list()).items as { path: string; texts: Wire }[];
    const textsAt = (path: string) => after.find((row) => row.path === path)?.texts;
    expect(textsAt('kitchen')).toEqual({ en: 'The kitchen', de: 'Küche' });
    expect(textsAt('kitchen/fruit=cherry')).toEqual({ de: 'Kirsche' });
    expect(textsAt('kitchen/fruit=apricot')).toEqual({ de: 'Aprikose' });
    expect(textsAt('kitchen/portions=4')).toEqual({ de: 'vier' });
    const uidAt = async (path: string) =>
      ((await list('&search=fruit')).items as Wire[]).find((row) => row.path === path)?.uid;
    const uid = await uidAt('kitchen/fruit');
    expect(await uidAt('kitchen/fruit=apple')).toBe(uid);
    expect((await edit('PATCH', `/keys/${uid}`, { name: 'fruits' })).status).toBe(200);
    expect(await uidAt('kitchen/fruits=apple'), 'stays when the path changes').toBe(uid);
    expect((await edit('PATCH', `/keys/${uid}`, { name: 'fruit' })).status).toBe(200);
    const before = await file();

    const bad = await edit('PATCH', '/translations', {
      texts: [
        { path: 'kitchen', language: 'de', text: 'Gut' },
        { path: 'nowhere', language: 'de', text: 'x' },
        { path: 'open', language: 'Klingon', text: 'x' },
        { path: 'open', language: 'de', text: ' ' },
        { path: 'open', language: 'de', text: 'x'.repeat(2_001) },
        { path: 'kitchen', language: 'Deutsch', text: 'Nochmals' },
      ],
    });
    expect(bad).toMatchObject({ status: 422, json: { code: '9422' } });
    expect(fields(bad)).toEqual([
      'texts[1].path',
      'texts[2].language',
      'texts[3].text',
      'texts[4].text',
      'texts[5].path',
    ]);
    const unreadable = await edit('PATCH', '/translations', { texts: [{ path: 'open', language: 'de', text: 7 }, {}] });
    expect(unreadable).toMatchObject({ status: 400, json: { code: '9400' } });
    expect(fields(unreadable)).toEqual(['texts[0].text', 'texts[1].path', 'texts[1].language', 'texts[1].text']);
    expect((await edit('PATCH', '/translations', { texts: {} })).json.code).toBe('9400');
    expect(await file()).toEqual(before);
    const missing = await get('/catalog/translations?missing=de&limit=1');
    expect(missing.headers.get('link')).toContain('?missing=de&offset=1&limit=1>; rel="next"');
  });
});
