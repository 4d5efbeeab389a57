import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { startTestServer, type TestServer } from '../http/start.ts';
import { memberWith } from '../portal/portal.ts';
import { editor } from './manage.ts';

const FILE = {
  languages: [
    { name: 'English', tag: 'en', default: true },
    { name: 'Deutsch', tag: 'de' },
    { name: 'Español', tag: 'es' },
  ],
  groups: [
    {
      name: 'look',
      translations: { English: 'Look', Deutsch: 'Aussehen', Español: 'Aspecto' },
      keys: [{ name: 'theme', type: 'boolean', translations: { English: 'Theme', Deutsch: 'Thema' } }],
    },
    { name: 'bare', translations: { Deutsch: 'Nackt' } },
  ],
};

type Row = { path: string; outdated: string[]; reviewed: string[] };

describe.each(databases)('states of texts on $kind', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
  });
  afterAll(() => server.close());

  const open = async () => {
    const made = await editor(server, FILE);
    const list = async (query = '') => (await made.get(`/catalog/translations?${query}`)).json.items as Row[];
    /** The outdated and reviewed languages of one text. */
    const stateOf = async (path: string, query = '') => {
      const { outdated, reviewed } = (await list(query)).find((row) => row.path === path) as Row;
      return { outdated, reviewed };
    };
    const change = async (texts: [path: string, language: string, text: string | null][], draft = false) => {
      const body = { texts: texts.map(([path, language, text]) => ({ path, language, text })) };
      expect((await made.edit('PATCH', `/translations${draft ? '?draft=true' : ''}`, body)).status).toBe(200);
    };
    const review = (texts: [path: string, language: string, text: string, source: string][], more = {}, query = '') =>
      made.send('POST', `/catalog/translations/review${query}`, {
        texts: texts.map(([path, language, text, source]) => ({ path, language, text, source })),
        ...more,
      });
    return { ...made, list, stateOf, change, review };
  };

  test('a text is outdated when its source changes after it, until one of the two changes again', async () => {
    const { stateOf, change, list } = await open();
    expect(await stateOf('look')).toEqual({ outdated: [], reviewed: [] });
    await change([['look', 'en', 'Appearance']]);
    expect(await stateOf('look')).toEqual({ outdated: ['de', 'es'], reviewed: [] });
    expect(await stateOf('look/theme')).toEqual({ outdated: [], reviewed: [] });
    expect((await list('outdated=Deutsch')).map(({ path }) => path)).toEqual(['look']);
    // A new translation belongs to the current source, and so do translations that change together with it.
    await change([['look', 'de', 'Erscheinungsbild']]);
    expect(await stateOf('look')).toEqual({ outdated: ['es'], reviewed: [] });
    await change([
      ['look', 'en', 'Design'],
      ['look', 'de', 'Design'],
    ]);
    expect(await stateOf('look')).toEqual({ outdated: ['es'], reviewed: [] });
    await change([['look', 'en', 'Look']]);
    expect(await stateOf('look')).toEqual({ outdated: ['de'], reviewed: [] });
    // A name that was shown instead of a missing source does not count as a source.
    await change([['bare', 'en', 'Bare']]);
    expect(await stateOf('bare')).toEqual({ outdated: [], reviewed: [] });
  });

  test('a draft has its own states, discarded or published with it', async () => {
    const { stateOf, change, edit } = await open();
    await change([['look', 'de', 'Optik']], true);
    await change([['look', 'en', 'Appearance']], true);
    expect(await stateOf('look', 'draft=true')).toEqual({ outdated: ['de', 'es'], reviewed: [] });
    expect(await stateOf('look')).toEqual({ outdated: [], reviewed: [] });
    expect((await edit('POST', '/draft/undo', undefined)).status).toBe(200);
    expect(await stateOf('look', 'draft=true')).toEqual({ outdated: [], reviewed: [] });
    expect((await edit('POST', '/draft/redo', undefined)).status).toBe(200);
    expect((await edit('POST', '/draft/publish', {})).status).toBe(200);
    expect(await stateOf('look')).toEqual({ outdated: ['de', 'es'], reviewed: [] });
  });

  test('a review applies to a text and its source: a change of either ends it, and it can be withdrawn', async () => {
    const { stateOf, change, review, list } = await open();
    const done = await review([
      ['look', 'Deutsch', 'Aussehen', 'Look'],
      ['look', 'de', 'Aussehen', 'Look'],
      ['look', 'es', 'Otro', 'Look'],
      ['look/theme', 'de', 'Thema', 'Colours'],
      ['gone', 'de', 'Weg', 'Gone'],
      ['look', 'en', 'Look', 'Look'],
      ['look', 'Klingon', 'Look', 'Look'],
    ]);
    expect([done.status, done.json.count]).toEqual([200, 1]);
    expect((done.json.changed as Row[]).map(({ path }) => path)).toEqual([
      'look',
      'look/theme',
      'gone',
      'look',
      'look',
    ]);
    expect(await stateOf('look')).toEqual({ outdated: [], reviewed: ['de'] });
    expect((await list('unreviewed=de')).map(({ path }) => path)).toEqual(['look/theme', 'bare']);

    await change([['look', 'de', 'Optik']]);
    expect(await stateOf('look')).toEqual({ outdated: [], reviewed: [] });
    await change([['look', 'de', 'Aussehen']]);
    expect(await stateOf('look')).toEqual({ outdated: [], reviewed: ['de'] });
    await change([['look', 'en', 'Appearance']]);
    expect(await stateOf('look')).toEqual({ outdated: ['de', 'es'], reviewed: [] });
    // Reviewed: the translation also fits the new source.
    expect((await review([['look', 'de', 'Aussehen', 'Appearance']])).json.count).toBe(1);
    expect(await stateOf('look')).toEqual({ outdated: ['es'], reviewed: ['de'] });
    expect((await review([['look', 'de', 'Aussehen', 'Appearance']], { reviewed: false })).json.count).toBe(1);
    expect(await stateOf('look')).toEqual({ outdated: ['es'], reviewed: [] });
  });

  test('texts keep their states when their group or key gets another name or place', async () => {
    const { stateOf, change, review, edit, get } = await open();
    const rows = (await get('/catalog/translations')).json.items as { path: string; uid: string }[];
    const uidOf = (path: string) => rows.find((row) => row.path === path)?.uid;
    await review([['look', 'de', 'Aussehen', 'Look']]);
    await review([['look/theme', 'de', 'Thema', 'Theme']]);
    await change([['look', 'en', 'Appearance']]);
    const query = '?draft=true';
    const done = [
      await edit('PATCH', `/groups/${uidOf('look')}${query}`, { name: 'appearance' }),
      await edit('PATCH', `/keys/${uidOf('look/theme')}${query}`, { name: 'colours' }),
      await edit('PATCH', `/keys/${uidOf('look/theme')}${query}`, { groupUid: uidOf('bare') }),
    ];
    expect(done.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await stateOf('appearance', 'draft=true')).toEqual({ outdated: ['de', 'es'], reviewed: [] });
    expect(await stateOf('bare/colours', 'draft=true')).toEqual({ outdated: [], reviewed: ['de'] });
    // A new name and a new source in one edit.
    const both = { name: 'shades', translations: { English: 'Shades', Deutsch: 'Thema' } };
    expect((await edit('PATCH', `/keys/${uidOf('look/theme')}${query}`, both)).status).toBe(200);
    expect(await stateOf('bare/shades', 'draft=true')).toEqual({ outdated: ['de'], reviewed: [] });
    expect((await edit('POST', '/draft/publish?allow_breaking=true', {})).status).toBe(200);
    expect(await stateOf('appearance')).toEqual({ outdated: ['de', 'es'], reviewed: [] });
    expect(await stateOf('bare/shades')).toEqual({ outdated: ['de'], reviewed: [] });
  });

  test('changing the default language outdates nothing', async () => {
    const { stateOf, change, review, edit } = await open();
    await review([['look', 'de', 'Aussehen', 'Look']]);
    await change([['look/theme', 'en', 'Colours']]);
    const languages = FILE.languages.map(({ name, tag }) => ({ name, tag, default: tag === 'es' }));
    expect((await edit('PUT', '/languages', { languages })).status).toBe(200);
    expect(await stateOf('look')).toEqual({ outdated: [], reviewed: [] });
    expect(await stateOf('look/theme')).toEqual({ outdated: [], reviewed: [] });
  });

  test('reviews are for translators, in their languages only, and audited', async () => {
    const { application, path, review, get } = await open();
    const { appId } = application;
    const send = async (role: 'viewer' | 'translator', language: string, text: string) => {
      const who = await memberWith(server, [{ appId, role, ...(role === 'translator' && { languages: ['de'] }) }]);
      const body = { texts: [{ path: 'look', language, text, source: 'Look' }] };
      return (await who.send('POST', `${path}/catalog/translations/review`, body)).status;
    };
    expect(await send('viewer', 'de', 'Aussehen')).toBe(403);
    expect(await send('translator', 'es', 'Aspecto')).toBe(403);
    expect(await send('translator', 'de', 'Aussehen')).toBe(200);
    await review([['look', 'es', 'Aspecto', 'Look']]);
    const { items } = (await get('/audit?action=catalog.textsReviewed')).json as { items: object[] };
    expect(items).toMatchObject([
      { subject: 'es', after: { texts: 1, reviewed: true } },
      { subject: 'de', after: { texts: 1, reviewed: true } },
    ]);
    for (const query of ['outdated=xx', 'unreviewed=xx']) {
      expect((await get(`/catalog/translations?${query}`)).json).toMatchObject({
        code: '9400',
        message: `${query.split('=')[0]} is not a language of this application.`,
      });
    }
  });
});
