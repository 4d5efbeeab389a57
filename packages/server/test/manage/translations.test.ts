import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import type { Wire } from '../http/options/example-catalog.ts';
import { startTestServer, type TestServer } from '../http/start.ts';
import { editor } from './manage.ts';

describe.each(databases)('files of texts over /manage/v1 on $kind', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
  });
  afterAll(() => server.close());

  const csv = (rows: string[], head = 'path,Deutsch') => [head, ...rows, ''].join('\r\n');
  const messages = ({ json }: { json: Wire }) => (json.errors as Wire[]).map(({ message }) => message);

  async function translator() {
    const made = await editor(server);
    const preview = async (file: string, name?: string) =>
      made.send('POST', '/catalog/translations/preview', { file, ...(name !== undefined && { name }) });
    const take = (body: Wire, revision: number | string = '*') =>
      made.edit('POST', '/translations/import', body, revision);
    const texts = async () => {
      const { json } = await made.get('/catalog/translations?limit=500');
      return new Map((json.items as { path: string; texts: Wire }[]).map((row) => [row.path, row.texts]));
    };
    const download = (query: string) => made.get(`/catalog/translations/export?${query}`);
    return { ...made, preview, take, texts, download };
  }

  test('texts are downloaded as CSV of all or some languages, and as XLIFF of one', async () => {
    const { download, application, edit } = await translator();
    const all = await download('');
    expect(all.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(all.headers.get('content-disposition')).toBe('attachment; filename="test-texts-r1.csv"');
    // fetch removes the byte order mark.
    expect(all.text.split('\r\n', 2)).toEqual([
      `path (${application.clientId}@1),source,English,Deutsch,Deutsch (Österreich)`,
      'kitchen,Kitchen,Kitchen,Küche,',
    ]);
    const two = await download('format=csv&language=de,English');
    expect(two.headers.get('content-disposition')).toContain('"test-de-en-r1.csv"');
    expect(two.text.split('\r\n', 1)[0]).toContain('source,Deutsch,English');
    const xliff = await download('format=xliff&language=DE-at');
    expect(xliff.headers.get('content-type')).toBe('application/xliff+xml; charset=utf-8');
    expect(xliff.headers.get('content-disposition')).toContain('"test-de-AT-r1.xlf"');
    expect(xliff.text).toContain('trgLang="de-AT"');

    const etag = all.headers.get('etag') as string;
    const again = await translator();
    expect((await again.get('/catalog/translations/export', { 'if-none-match': etag })).status).toBe(200);
    await edit('PATCH', '/translations', { texts: [{ path: 'kitchen', language: 'de', text: '=1+1' }] });
    expect((await download('format=csv&language=de')).text).toContain("\r\nkitchen,Kitchen,'=1+1\r\n");
  });

  test('invalid downloads are reported', async () => {
    const { download, manage } = await translator();
    const cases = [
      ['format=xls', 'format must be one of csv, xliff.'],
      ['language=Klingon', 'language "Klingon" is not a language of this application.'],
      ['format=xliff', 'language must name one language: an XLIFF file contains one.'],
      ['revision=1&draft=true', 'revision cannot be combined with draft.'],
      ['format=xliff&language=de,en', 'language must name one language: an XLIFF file contains one.'],
      ['format=csv&format=csv', 'format must be given once.'],
    ];
    for (const [query, message] of cases) {
      expect((await download(query as string)).json).toMatchObject({ code: '9400', message });
    }
    const { clientId } = await server.application();
    const empty = `/applications/${clientId}/catalog/translations/export`;
    expect((await manage.get(empty)).text).toBe(`path (${clientId}@0),source\r\n`);
    expect((await manage.get(`${empty}?format=xliff`)).json.code).toBe('9400');
  });

  test('a file is previewed: new, changed, conflicting, outdated and invalid texts', async () => {
    const { download, preview, edit, get } = await translator();
    const exported = (await download('format=csv&language=de')).text;
    await edit('PATCH', '/translations', {
      texts: [
        { path: 'kitchen', language: 'de', text: 'Die Küche' },
        { path: 'kitchen/fruit=apple', language: 'en', text: 'An apple' },
      ],
    });
    const file = exported
      .replace('kitchen,Kitchen,Küche', 'kitchen,Kitchen,Kochen')
      .replace('kitchen/fruit=apple,Apple,Apfel', 'kitchen/fruit=apple,Apple,Äpfel')
      .replace('open,open,', 'open,open,Offen')
      .concat('nowhere,x,Nirgends\r\nopen/motto,motto,Wahlspruch\r\nopen/tags,tags,  \r\n');
    const answer = await preview(file);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('etag')).toBe('"2"');
    const lineOf = (start: string) => file.split('\r\n').findIndex((line) => line.startsWith(start)) + 1;
    const common = { language: 'de', source: null };
    expect(answer.json).toEqual({
      revision: 2,
      exportedRevision: 1,
      same: 3,
      texts: [
        {
          ...common,
          path: 'kitchen',
          line: 2,
          kind: 'conflict',
          before: 'Die Küche',
          text: 'Kochen',
          exported: 'Küche',
        },
        {
          ...common,
          path: 'kitchen/fruit=apple',
          line: lineOf('kitchen/fruit=apple'),
          kind: 'changed',
          before: 'Apfel',
          text: 'Äpfel',
          exported: 'Apfel',
          source: { was: 'Apple', is: 'An apple' },
        },
        {
          ...common,
          path: 'open',
          line: lineOf('open,'),
          kind: 'new',
          before: null,
          text: 'Offen',
          exported: null,
        },
        {
          ...common,
          path: 'open/motto',
          line: lineOf('nowhere') + 1,
          kind: 'new',
          before: null,
          text: 'Wahlspruch',
          exported: null,
        },
      ],
      problems: [
        { line: lineOf('nowhere'), path: 'nowhere', language: null, message: 'is not in the catalog' },
        {
          line: lineOf('nowhere') + 2,
          path: 'open/tags',
          language: 'de',
          message: 'in Deutsch is blank: remove it instead',
        },
      ],
    });
    expect((await get('/catalog')).headers.get('etag'), 'nothing was changed').toBe('"2"');
  });

  test('an invalid line is one problem, and so is an invalid column', async () => {
    const { preview } = await translator();
    const file = [
      'path,English,Deutsch,Klingon',
      'nowhere,a,b,c',
      'open,Open,Offen',
      'kitchen,Kitchen, Küche ,x',
      'open/motto,Motto,Motto,y',
      'open/tags,Tags,Tags,Tags,Tags,Tags',
    ].join('\n');
    const { json } = await preview(file);
    expect(json.problems).toEqual([
      { line: 2, path: 'nowhere', language: null, message: 'is not in the catalog' },
      { line: 3, path: 'open', language: null, message: 'has 3 columns instead of 4' },
      { line: 4, path: 'kitchen', language: null, message: '"Klingon" is not a language of the catalog' },
      { line: 6, path: 'open/tags', language: null, message: 'has 6 columns instead of 4' },
    ]);
    expect(json.texts).toContainEqual(expect.objectContaining({ path: 'kitchen', language: 'de', text: ' Küche ' }));
  });

  test('a file is imported as a whole, preferring one side in conflicts, or in part', async () => {
    const { download, take, edit, texts } = await translator();
    const exported = (await download('format=xliff&language=de')).text;
    await edit('PATCH', '/translations', { texts: [{ path: 'kitchen', language: 'de', text: 'Die Küche' }] });
    const file = exported.replace('Küche', 'Kochen').replace('<target>Apfel', '<target>Äpfel');
    expect(file).not.toBe(exported);

    const conflict = await take({ file }, 2);
    expect(conflict).toMatchObject({
      status: 409,
      json: {
        code: '9409',
        conflicts: [{ path: 'kitchen', language: 'Deutsch', inFile: 'Kochen', inCatalog: 'Die Küche' }],
      },
    });
    const kept = await take({ file, name: 'de.xlf', prefer: 'catalog' }, 2);
    expect(kept).toMatchObject({ status: 200, json: { revision: 3, changed: true, outdated: [] } });
    expect(kept.headers.get('etag')).toBe('"3"');
    expect((await texts()).get('kitchen')).toMatchObject({ de: 'Die Küche' });
    expect((await texts()).get('kitchen/fruit=apple')).toMatchObject({ de: 'Äpfel' });
    expect((await take({ file, prefer: 'catalog' }, 3)).json).toMatchObject({ revision: 3, changed: false });
    expect((await take({ file }, 2)).json, 'somebody else was first').toMatchObject({ code: '9412', revision: 3 });

    const chosen = await take({ file, take: [{ path: 'kitchen', language: 'Deutsch' }] }, 3);
    expect(chosen).toMatchObject({ status: 200, json: { revision: 4 } });
    expect((await texts()).get('kitchen')).toMatchObject({ de: 'Kochen' });
    expect((await take({ file: exported, prefer: 'file' })).json, 'nothing was changed in it').toMatchObject({
      changed: false,
    });
  });

  test('only selected texts are imported', async () => {
    const { take, texts } = await translator();
    const file = csv(['nowhere,x', 'open,Offen', 'kitchen/fruit=apple,Aprikose', 'empty,=Leer', 'open,Zwei']);
    const refused = await take({ file });
    expect(refused).toMatchObject({ status: 422, json: { code: '9422' } });
    expect(messages(refused)).toEqual([
      'line 2: nowhere is not in the catalog',
      'line 6: open already has a text in Deutsch, in line 3',
      'line 4: kitchen/fruit=apple has the text "Aprikose" in de, which already belongs to another value',
    ]);
    const one = await take({ file, take: [{ path: 'empty', language: 'DE' }] });
    expect(one).toMatchObject({ status: 200, json: { changed: true } });
    expect((await texts()).get('empty')).toEqual({ de: '=Leer' });
    expect((await texts()).get('open')).toEqual({});
    for (const path of ['open', 'nowhere', 'kitchen/fruit=apple', 'not there']) {
      expect((await take({ file, take: [{ path, language: 'de' }] })).json.code).toBe('9422');
    }
    expect((await take({ file, take: [] })).json).toMatchObject({ changed: false });
  });

  test('texts from an older source are imported, and listed', async () => {
    const { take } = await translator();
    const { json } = await take({ file: csv(['kitchen,Kitchin,Kombüse'], 'path,source,Deutsch') });
    expect(json.outdated).toEqual([{ path: 'kitchen', language: 'Deutsch', line: 2, was: 'Kitchin', is: 'Kitchen' }]);
  });

  test('unreadable files and invalid bodies are reported with their lines', async () => {
    const { preview, take, send } = await translator();
    const broken = [
      ['a,b\n', 'line 1: the first line must name the columns: path, then languages, separated by commas'],
      ['path,Deutsch\na,"b\n', 'line 2: quote Not Closed'],
      [
        '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"/>',
        'is XLIFF 1.2: only XLIFF 2 is supported',
      ],
      ['', 'line 1: the first line must name the columns'],
    ] as const;
    for (const [file, message] of broken) {
      for (const answer of [await preview(file), await take({ file })]) {
        expect(answer).toMatchObject({ status: 422, json: { code: '9422' } });
        expect(messages(answer)[0]).toContain(message);
      }
    }
    expect(messages(await preview('path,Deutsch\n', 'texts.xlf'))[0]).toContain('outside of root');
    const bodies: Wire[] = [{}, { file: 7 }, { file: 'path,x\n', name: 1 }, { file: 'path,x\n', more: 1 }];
    for (const body of bodies) {
      expect((await send('POST', '/catalog/translations/preview', body)).json.code).toBe('9400');
      expect((await take(body)).json.code).toBe('9400');
    }
    const file = csv(['open,Offen']);
    for (const more of [{ prefer: 'mine' }, { take: {} }, { take: [7] }, { take: [{ path: 'open' }] }]) {
      expect((await take({ file, ...more })).json.code).toBe('9400');
    }
    expect((await take({ file, prefer: 'file', take: [] })).json.code).toBe('9400');
  });

  test('a file is imported into the draft and exported from it; published texts stay', async () => {
    const { take, get, send, edit, application } = await translator();
    const draftTexts = async (path: string) => {
      const { json } = await get(`/catalog/translations?draft=true&limit=500&search=${encodeURIComponent(path)}`);
      return (json.items as Wire[])[0]?.texts;
    };
    await edit('PATCH', '/translations?draft=true', { texts: [{ path: 'empty', language: 'de', text: 'Leer' }] });
    const exported = await get('/catalog/translations/export?draft=true&language=de');
    expect(exported.text).toContain(`path (${application.clientId}@1)`);
    expect(exported.text).toContain('empty,empty,Leer');
    expect((await get('/catalog/translations/export?language=de')).text).not.toContain('Leer');

    const file = exported.text.replace('Leer', 'Nichts darin');
    const preview = await send('POST', '/catalog/translations/preview?draft=true', { file });
    expect(preview.json).toMatchObject({ texts: [{ path: 'empty', before: 'Leer', text: 'Nichts darin' }] });
    const etag = preview.headers.get('etag') as string;
    const body = { file, take: [{ path: 'empty', language: 'de' }] };
    const taken = await send('POST', '/catalog/translations/import?draft=true', body, { 'if-match': etag });
    expect(taken).toMatchObject({ status: 200, json: { revision: 1, changed: true, outdated: [] } });
    expect(await draftTexts('empty')).toEqual({ de: 'Nichts darin' });
    expect((await get('/catalog')).headers.get('etag')).toBe('"1"');
    const late = await send('POST', '/catalog/translations/import?draft=true', body, { 'if-match': etag });
    expect(late.json.code, 'the draft is another one by now').toBe('9412');
    // If the text was changed in the draft, and the file does not contain the earlier one, the draft is the conflict.
    expect((await take({ file: csv(['empty,Anders']) }, 1)).json, 'what is published').toMatchObject({ revision: 2 });
  });

  test('a file of another application says nothing about changes here', async () => {
    const [ours, theirs] = [await translator(), await translator()];
    const file = (await theirs.download('language=de')).text.replace('Küche', 'Herd');
    const { json } = await ours.preview(file);
    expect(json).toMatchObject({ exportedRevision: null, texts: [{ path: 'kitchen', kind: 'changed' }] });
  });

  test('naming the replaced text prevents overwriting another', async () => {
    const { edit, texts } = await translator();
    const change = (text: string | null, was: unknown, path = 'kitchen') =>
      edit('PATCH', '/translations', { texts: [{ path, language: 'Deutsch', text, was }] });
    expect((await change('Herd', 'Küche')).status).toBe(200);
    const late = await change('Ofen', 'Küche');
    expect(late).toMatchObject({
      status: 412,
      json: { code: '9412', revision: 2, texts: [{ path: 'kitchen', language: 'de', text: 'Herd' }] },
    });
    expect(late.headers.get('etag')).toBe('"2"');
    expect((await change('Herd', 'Küche')).json, 'it is so already').toMatchObject({ changed: false });
    expect((await change('Leer', null, 'empty')).status).toBe(200);
    expect((await change(null, null, 'empty')).json).toMatchObject({ code: '9412', texts: [{ text: 'Leer' }] });
    expect((await change(null, 'Leer', 'empty')).status).toBe(200);
    expect((await change('x', 7)).json).toMatchObject({ code: '9400', errors: [{ field: 'texts[0].was' }] });
    const both = await Promise.all(['A', 'B'].map((text) => change(text, 'Herd')));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412]);
    expect(['A', 'B']).toContain((await texts()).get('kitchen')?.de);
  });

  test('a text used for two values is reported to its sender', async () => {
    const { edit } = await translator();
    const fieldsOf = async (texts: Wire[]) => {
      const { json } = await edit('PATCH', '/translations', { texts });
      return [json.code, (json.errors as Wire[] | undefined)?.map(({ field }) => field)];
    };
    const other = { path: 'open', language: 'de', text: 'Offen' };
    const apple = { path: 'kitchen/fruit=apple', language: 'de', text: 'Aprikose' };
    expect(await fieldsOf([other, apple])).toEqual(['9422', ['texts[1].text']]);
    const apricot = { path: 'kitchen/fruit=apricot', language: 'de', text: 'Apfel' };
    expect(await fieldsOf([other, apricot])).toEqual(['9422', ['texts[1].text']]);
    expect(await fieldsOf([apple, apricot]), 'they change places').toEqual([undefined, undefined]);
  });
});
