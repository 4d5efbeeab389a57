import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import type { Wire } from '../http/options/example-catalog.ts';
import { startTestServer, type TestServer } from '../http/start.ts';
import { editor } from './manage.ts';

const NOBODY = '0198c0de-0000-7000-8000-000000000000';

describe.each(databases)('finer edits of /manage/v1 on $kind', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
  });
  afterAll(() => server.close());

  const names = (items: { name: string; archived: boolean }[]) =>
    items.map(({ name, archived }) => (archived ? `(${name})` : name));
  const fields = ({ json }: { json: Wire }) => (json.errors as Wire[]).map(({ field }) => field);

  test('every edit requires If-Match and returns the new ETag', async () => {
    const { send, key, group } = await editor(server);
    const { keyUid } = await key('fruit');
    const { groupUid } = await group('kitchen');
    for (const [method, rest, body] of [
      ['PUT', '/languages', { languages: [] }],
      ['POST', '/groups', { name: 'x' }],
      ['PATCH', `/groups/${groupUid}`, {}],
      ['DELETE', `/groups/${groupUid}`, undefined],
      ['POST', `/groups/${groupUid}/keys`, {}],
      ['PATCH', `/keys/${keyUid}`, {}],
      ['DELETE', `/keys/${keyUid}`, undefined],
      ['PUT', `/keys/${keyUid}/values`, { values: [] }],
      ['PUT', '/order', { groups: [] }],
      ['PATCH', '/translations', { texts: [] }],
      ['POST', '/translations/import', { file: 'path,English\n' }],
    ] as const) {
      expect((await send(method, `/catalog${rest}`, body)).json.code).toBe('9428');
      const stale = await send(method, `/catalog${rest}`, body, { 'if-match': '"0"' });
      expect([method, rest, stale.status]).toEqual([method, rest, 412]);
    }
    const nothing = await send('PATCH', `/catalog/keys/${keyUid}`, {}, { 'if-match': '"1"' });
    expect(nothing).toMatchObject({ status: 200, json: { revision: 1, changed: false } });
    const moved = await send('PATCH', `/catalog/keys/${keyUid}`, { position: 0 }, { 'if-match': '"1"' });
    expect(moved).toMatchObject({ status: 200, json: { revision: 2, changed: true } });
    expect(moved.headers.get('etag')).toBe('"2"');
    const rename = (ifMatch: string, name: string) =>
      send('PATCH', `/catalog/keys/${keyUid}`, { name }, { 'if-match': ifMatch });
    expect(await rename('"1", W/"2",', 'berries')).toMatchObject({ status: 200, json: { revision: 3 } });
    expect((await rename('"1", "2"', 'fruit')).status).toBe(412);
    expect((await rename('"of-something-else"', 'fruit')).status).toBe(412);
    expect((await rename('3', 'fruit')).json.code).toBe('9400');
  });

  test('the tree shows everything with its UID, archived or not', async () => {
    const { tree, edit, key, get } = await editor(server);
    const { keyUid } = await key('portions');
    await edit('DELETE', `/keys/${keyUid}`, undefined);
    const { groups, revision, languages } = await tree();
    expect(revision).toBe(2);
    expect(languages[0]).toEqual({ name: 'English', tag: 'en', default: true });
    expect(names(groups)).toEqual(['kitchen', 'open', 'empty']);
    expect(names(groups[0]?.keys ?? [])).toEqual(['vegetarian', 'fruit', 'ratio', '(portions)']);
    expect(groups[0]?.keys.at(-1)).toEqual({
      keyUid,
      archived: true,
      name: 'portions',
      type: 'integer',
      values: [1, 2, 4],
    });
    expect((await get('/catalog/tree', { 'if-none-match': '"2"' })).status).toBe(304);
  });

  test('groups are added, changed, moved, archived and restored', async () => {
    const { edit, tree, group, key } = await editor(server);
    const made = await edit('POST', '/groups', {
      name: 'sound',
      translations: { de: 'Ton', English: 'Sound' },
      keys: [{ name: 'muted', type: 'boolean' }],
      position: 1,
    });
    expect(made).toMatchObject({ status: 201, json: { revision: 2, groupUid: expect.any(String) } });
    expect(names((await tree()).groups)).toEqual(['kitchen', 'sound', 'open', 'empty']);
    const groupUid = made.json.groupUid as string;
    const patched = await edit('PATCH', `/groups/${groupUid}`, {
      name: 'audio',
      translations: { Deutsch: 'Klang', en: null },
      position: 99,
    });
    expect(patched.json.changes).toEqual([
      {
        kind: 'renamed',
        subject: 'group',
        path: 'audio',
        details: ['was sound', 'English: "Sound" → none', 'Deutsch: "Ton" → "Klang"'],
        facts: [
          { what: 'name', from: 'sound', to: 'audio' },
          { what: 'text', language: 'English', from: 'Sound', to: null },
          { what: 'text', language: 'Deutsch', from: 'Ton', to: 'Klang' },
        ],
      },
      {
        kind: 'changed',
        subject: 'group',
        path: 'groups',
        details: ['order: kitchen, open, empty, audio'],
        facts: [{ what: 'order', to: ['kitchen', 'open', 'empty', 'audio'] }],
      },
    ]);
    expect(await group('audio')).toMatchObject({ groupUid, translations: { Deutsch: 'Klang' } });
    const { keyUid } = await key('muted');
    expect((await edit('DELETE', `/groups/${groupUid}`, undefined)).status).toBe(200);
    expect(names((await tree()).groups)).toEqual(['kitchen', 'open', 'empty', '(audio)']);
    expect((await edit('DELETE', `/groups/${groupUid}`, undefined)).json.code).toBe('9404');
    expect((await edit('PATCH', `/keys/${keyUid}`, { archived: false })).json).toMatchObject({
      code: '9422',
      errors: [{ field: 'archived', message: expect.stringContaining('audio') }],
    });
    const back = await edit('PATCH', `/groups/${groupUid}`, { archived: false, position: 0 });
    expect(back).toMatchObject({ status: 200, json: { changed: true } });
    expect(names((await tree()).groups)).toEqual(['audio', 'kitchen', 'open', 'empty']);
    expect(await key('muted')).toMatchObject({ keyUid, archived: false });
    await edit('DELETE', `/groups/${groupUid}`, undefined);
    const again = await edit('POST', '/groups', { name: 'audio' });
    expect(again).toMatchObject({ status: 201, json: { groupUid } });
  });

  test('problems of a group are reported relative to the group', async () => {
    const { edit, group } = await editor(server);
    const { groupUid } = await group('open');
    const cases: [method: string, rest: string, body: unknown, code: string, field: string][] = [
      ['POST', '/groups', {}, '9422', 'name'],
      ['POST', '/groups', { name: 'kitchen' }, '9422', 'name'],
      ['POST', '/groups', { name: 'x', keys: 7 }, '9422', 'keys'],
      ['POST', '/groups', { name: 'x', keys: [{ name: 'k', type: 'y' }] }, '9422', 'keys[0].type'],
      ['POST', '/groups', { name: 'x', translations: { Klingon: 'x' } }, '9422', 'translations.Klingon'],
      ['POST', '/groups', { name: 'x', was: 'open' }, '9400', 'was'],
      ['POST', '/groups', { name: 'x', position: -1 }, '9400', 'position'],
      ['PATCH', `/groups/${groupUid}`, { name: ' ' }, '9422', 'name'],
      ['PATCH', `/groups/${groupUid}`, { name: null }, '9422', 'name'],
      ['PATCH', `/groups/${groupUid}`, { translations: 7 }, '9422', 'translations'],
      ['PATCH', `/groups/${groupUid}`, { translations: { en: '' } }, '9422', 'translations.en'],
      ['PATCH', `/groups/${groupUid}`, { translations: { ['__proto__']: 'x' } }, '9422', 'translations.__proto__'],
      ['PATCH', `/groups/${groupUid}`, { archived: true }, '9400', 'archived'],
    ];
    for (const [method, rest, body, code, field] of cases) {
      const answer = await edit(method, rest, body);
      expect([body, answer.json.code, fields(answer)[0]]).toEqual([body, code, field]);
    }
    for (const uid of [NOBODY, 'x', '%00']) {
      expect((await edit('PATCH', `/groups/${uid}`, { name: 'x' })).json.code).toBe('9404');
      expect((await edit('POST', `/groups/${uid}/keys`, { name: 'x', type: 'date' })).json.code).toBe('9404');
    }
  });

  test('keys are added, changed, moved, archived and restored', async () => {
    const { edit, group, key, application } = await editor(server);
    const { groupUid } = await group('kitchen');
    const made = await edit('POST', `/groups/${groupUid}/keys`, {
      name: 'spice',
      type: 'integer',
      constraint: { min: 0, max: 5 },
      default: 2,
      translations: { Deutsch: 'Schärfe' },
      position: 0,
    });
    expect(made).toMatchObject({ status: 201, json: { keyUid: expect.any(String), revision: 2 } });
    const keyUid = made.json.keyUid as string;
    expect((await group('kitchen')).keys[0]).toEqual({
      keyUid,
      archived: false,
      name: 'spice',
      type: 'integer',
      default: 2,
      constraint: { min: 0, max: 5 },
      translations: { Deutsch: 'Schärfe' },
    });
    const shown = await server.send('GET', `/api/option_keys/${keyUid}`, { headers: { apiKey: application.clientId } });
    expect(shown.json).toMatchObject({ name: 'spice', default_value: 2, position: 0 });

    await edit('PATCH', `/keys/${keyUid}`, { name: 'heat', default: null, translations: { en: 'Heat' }, position: 4 });
    expect((await group('kitchen')).keys.at(-1)).toEqual({
      keyUid,
      archived: false,
      name: 'heat',
      type: 'integer',
      constraint: { min: 0, max: 5 },
      translations: { English: 'Heat', Deutsch: 'Schärfe' },
    });
    // Settings that only apply to open keys are removed when a key gets values, and the other way round.
    await edit('PATCH', `/keys/${keyUid}?allow_breaking=true`, { values: [1, 2, 3] });
    expect(await key('heat')).toMatchObject({ values: [1, 2, 3] });
    expect(await key('heat')).not.toHaveProperty('constraint');
    await edit('PATCH', `/keys/${keyUid}`, { constraint: { min: 1 } });
    expect(await key('heat')).not.toHaveProperty('values');
    const fruit = await key('fruit');
    const single = await edit('PATCH', `/keys/${fruit.keyUid}?allow_breaking=true`, {
      multiple: false,
      default: 'apple',
    });
    expect(single.status).toBe(200);
    expect(await key('fruit')).not.toHaveProperty('min');

    expect((await edit('DELETE', `/keys/${keyUid}`, undefined)).status).toBe(200);
    expect((await edit('PATCH', `/keys/${keyUid}`, { name: 'x' })).json.code).toBe('9404');
    expect((await edit('PATCH', `/keys/${keyUid}`, { archived: false, name: 'warmth' })).status).toBe(200);
    expect(await key('warmth')).toMatchObject({ keyUid, archived: false });
  });

  test('problems of a key are reported relative to the key', async () => {
    const { edit, group, key, get } = await editor(server);
    const { groupUid } = await group('kitchen');
    const { keyUid } = await key('fruit');
    const cases: [method: string, rest: string, body: unknown, code: string, field: string][] = [
      ['POST', `/groups/${groupUid}/keys`, { name: 'x' }, '9422', 'type'],
      ['POST', `/groups/${groupUid}/keys`, { name: 'fruit', type: 'date' }, '9422', 'name'],
      ['POST', `/groups/${groupUid}/keys`, { name: 'x', type: 'integer', values: [1, 'b'] }, '9422', 'values[1]'],
      [
        'POST',
        `/groups/${groupUid}/keys`,
        { name: 'x', type: 'string', constraint: { pattern: '(' } },
        '9422',
        'constraint.pattern',
      ],
      ['POST', `/groups/${groupUid}/keys`, { name: 'x', type: 'date', keyUid }, '9400', 'keyUid'],
      ['POST', `/groups/${groupUid}/keys`, { name: '', type: 'date' }, '9422', 'name'],
      ['POST', `/groups/${groupUid}/keys`, { name: ' ', type: 'date' }, '9422', 'name'],
      ['POST', '/groups', { name: '\u200b' }, '9422', 'name'],
      ['PATCH', `/groups/${groupUid}`, { name: '\t' }, '9422', 'name'],
      ['PATCH', `/keys/${keyUid}`, { min: 3 }, '9422', 'max'],
      ['PATCH', `/keys/${keyUid}`, { type: null }, '9422', 'type'],
      ['PATCH', `/keys/${keyUid}`, { default: ['kiwi'] }, '9422', 'default[0]'],
      ['PATCH', `/keys/${keyUid}`, { was: 'x' }, '9400', 'was'],
      ['PUT', `/keys/${keyUid}/values`, { values: [] }, '9422', 'values'],
      ['PUT', `/keys/${keyUid}/values`, { values: null }, '9400', 'values'],
      ['PUT', `/keys/${keyUid}/values`, { values: ['apple', ''] }, '9422', 'values[1]'],
      [
        'PUT',
        `/keys/${keyUid}/values?draft=true`,
        { values: ['apple', { value: ' \u200b' }] },
        '9422',
        'values[1].value',
      ],
      [
        'PUT',
        `/keys/${keyUid}/values`,
        { values: ['apple', { value: 'kiwi', colour: 1 }] },
        '9422',
        'values[1].colour',
      ],
    ];
    for (const [method, rest, body, code, field] of cases) {
      const answer = await edit(method, rest, body);
      expect([body, answer.json.code, fields(answer)[0]]).toEqual([body, code, field]);
    }
    for (const [method, rest] of [
      ['PATCH', ''],
      ['DELETE', ''],
      ['PUT', '/values'],
    ] as const) {
      expect((await edit(method, `/keys/${NOBODY}${rest}`, { values: [] })).json.code).toBe('9404');
    }
    expect((await get('/catalog')).headers.get('etag')).toBe('"1"');
  });

  test('values are set as a whole, with their texts', async () => {
    const { edit, key } = await editor(server);
    const { keyUid } = await key('fruit');
    const values = [
      'fig',
      { value: 'apple', translations: { English: 'Apple', Deutsch: 'Apfel' } },
      { value: 'cherry', retired: true, replacement: 'fig' },
      { value: 'apricot', translations: { 'Deutsch (Österreich)': 'Marille' } },
    ];
    const answer = await edit('PUT', `/keys/${keyUid}/values`, { values });
    expect(answer.status).toBe(200);
    expect((await key('fruit')).values).toEqual(values);
    expect((answer.json.changes as Wire[])[0]?.details).toEqual(
      expect.arrayContaining(['value added: "fig"', 'value retired: "cherry"']),
    );
  });

  test('groups and keys are reordered', async () => {
    const { edit, tree, group } = await editor(server);
    const [kitchen, open, empty] = [await group('kitchen'), await group('open'), await group('empty')];
    const keys = kitchen.keys.map(({ keyUid }) => keyUid).reverse();
    const order = [
      { groupUid: empty.groupUid, keys: [] },
      { groupUid: kitchen.groupUid, keys },
      { groupUid: open.groupUid },
    ];
    const answer = await edit('PUT', '/order', { groups: order });
    expect(answer).toMatchObject({ status: 200, json: { changed: true, breaking: [] } });
    const after = await tree();
    expect(names(after.groups)).toEqual(['empty', 'kitchen', 'open']);
    expect(names(after.groups[1]?.keys ?? [])).toEqual(['ratio', 'portions', 'fruit', 'vegetarian']);
    expect((await edit('PUT', '/order', { groups: order })).json).toMatchObject({ changed: false });

    const twice = [...order.slice(0, 2), order[0]];
    expect(fields(await edit('PUT', '/order', { groups: twice }))).toEqual(['groups[2].groupUid', 'groups']);
    const foreign = [{ groupUid: empty.groupUid, keys: [keys[0]] }, ...order.slice(1)];
    expect(fields(await edit('PUT', '/order', { groups: foreign }))).toEqual(['groups[0].keys[0]']);
    for (const groups of [undefined, 'x', [7], [null]]) {
      expect((await edit('PUT', '/order', { groups })).json.code).toBe('9400');
    }
    expect(names((await tree()).groups)).toEqual(['empty', 'kitchen', 'open']);
  });
});
