import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { bearer, startTestServer, type TestServer } from '../http/start.ts';
import { editor, manageWith } from './manage.ts';

const languages = [{ name: 'English', tag: 'en' }];
const values = Array.from({ length: 2000 }, (_, value) => value);

const join = (length: number, item: (at: number) => string) => Array.from({ length }, (_, at) => item(at)).join();

/**
 * Limits on the cost of a catalog: beyond them the request fails, nothing is published, and the service keeps running.
 */
describe.each(databases)('bounds of a catalog on $kind', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
  });
  afterAll(() => server.close());

  test.each([
    ['a large pattern', { type: 'string', constraint: { pattern: '(a?){1000}' } }, 'constraint.pattern', /too large/],
    [
      'a pattern that is large once compiled',
      { type: 'string', constraint: { pattern: '(abcde?){900}' }, default: 'a'.repeat(4000) },
      'constraint.pattern',
      /too large/,
    ],
    [
      'a default that is too long',
      { type: 'integer', multiple: true, values, default: Array(2001).fill(1999) },
      'default',
      /2000/,
    ],
    [
      'a bound of the wrong type',
      { type: 'integer', constraint: { min: 'x', step: 5 }, default: 5 },
      'constraint.min',
      /whole/,
    ],
    [
      'a bound that is not a date',
      { type: 'date', constraint: { max: 7 }, default: '2026-01-01' },
      'constraint.max',
      /date/,
    ],
  ])('%s', async (_, key, field, message) => {
    const { edit, send, tree } = await editor(server, { languages, groups: [{ name: 'g', keys: [] }] });
    const [group] = (await tree()).groups;
    const one = await edit('POST', `/groups/${group?.groupUid}/keys`, { name: 'k', ...key });
    expect(one).toMatchObject({
      status: 422,
      json: { code: '9422', errors: [{ field, message: expect.stringMatching(message) }] },
    });
    const file = { languages, groups: [{ name: 'g', keys: [{ name: 'k', ...key }] }] };
    for (const [method, path] of [
      ['PUT', '/catalog'],
      ['POST', '/catalog/plan'],
    ] as const) {
      const whole = await send(method, path, file, { 'if-match': '"1"' });
      expect(whole, path).toMatchObject({ status: 422, json: { code: '9422' } });
      expect(whole.json.errors).toMatchObject([{ field: `groups[0].keys[0].${field}` }]);
    }
    expect(await tree()).toMatchObject({ revision: 1, groups: [{ keys: [] }] });
  });

  test.each([
    ['nested without end', () => '['.repeat(8_000_000), 'nested deeper than 32 levels'],
    ['nested and closed', () => '['.repeat(4_000_000) + ']'.repeat(4_000_000), 'nested deeper than 32 levels'],
    [
      'with too many members in one object',
      () => `{${join(1_000_000, (at) => `"${at}":0`)}}`,
      'more than 10000 members',
    ],
    ['with too many members', () => `[${join(200_000, () => '{"a":0,"b":0,"c":0,"d":0,"e":0,"f":0}')}]`, '1000000'],
    ['with too many objects', () => `{"groups":[${join(2_000_000, () => '{}')}]}`, 'more than 250000 objects'],
  ])('a body %s is rejected before it is parsed', async (_, make, message) => {
    const manage = await manageWith(server);
    const { clientId } = await server.application();
    const body = make();
    const path = `/manage/v1/applications/${clientId}/catalog`;
    const headers = { ...bearer(manage.token), 'if-match': '*' };
    for (const [method, at] of [
      ['PUT', path],
      ['POST', `${path}/plan`],
    ] as const) {
      const answer = await server.send(method, at, { body, headers });
      expect(answer).toMatchObject({ status: 400, json: { code: '9400', message: expect.stringContaining(message) } });
    }
  });

  test('groups and keys are limited, and only the first of many problems are reported', async () => {
    const { send } = await editor(server, { languages, groups: [] });
    const groups = Array.from({ length: 10_001 }, (_, at) => ({ name: `g${at}` }));
    const many = await send('POST', '/catalog/plan', { languages, groups });
    expect(many).toMatchObject({
      status: 422,
      json: { errors: [{ field: 'groups', message: expect.stringContaining('10000') }] },
    });
    const unknown = Object.fromEntries(groups.slice(1).map(({ name }) => [name, 1]));
    const reported = await send('PATCH', '/catalog/translations', unknown, { 'if-match': '*' });
    expect(reported.status).toBe(400);
    expect(reported.json.errors).toHaveLength(200);
  });

  test('a catalog of hundreds of invalid groups or keys is rejected', async () => {
    const { edit, send } = await editor(server, { languages, groups: [] });
    const anything = Array(300).fill('a');
    for (const groups of [anything, [{ name: 'g', keys: anything }], [...anything.map(() => ({})), { name: 7 }]]) {
      for (const [method, path] of [
        ['PUT', '/catalog'],
        ['PUT', '/catalog/draft'],
        ['POST', '/catalog/plan'],
      ] as const) {
        const refused = await send(method, path, { languages, groups }, { 'if-match': '*' });
        expect([path, refused.status, (refused.json.errors as unknown[]).length]).toEqual([path, 422, 200]);
      }
    }
    for (const keys of [[null], ['a'], [7], [[]], {}, null, 'a', anything]) {
      const refused = await edit('POST', '/groups', { name: 'g', keys });
      expect([keys, refused.status, refused.json.code]).toEqual([keys, 422, '9422']);
    }
  });

  test('a body of too many members or entries is rejected unread, and of unknown ones only so many are taken in', async () => {
    const { send } = await editor(server, { languages, groups: [] });
    const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, 1]));
    const many = (objects: number) => Array.from({ length: objects }, () => members(10_000));
    const imported = await send('POST', '/users/import', { lines: [], x: many(16) });
    expect(imported).toMatchObject({
      status: 400,
      json: { message: expect.stringMatching(/more than 150000 members/) },
    });
    const entries = { status: 400, json: { message: expect.stringMatching(/more than 250000 entries/) } };
    for (const entry of ['', 1]) {
      const earlierIds = Array(300_000).fill(entry);
      expect(await send('POST', '/users/import', { lines: [], earlierIds })).toMatchObject(entries);
    }
    for (const [more, field] of [
      [{ x: many(2) }, 'x'],
      [{ take: [{ path: 'g', language: 'en', x: many(2) }] }, 'take[0].x'],
      [{ take: [{ path: many(2), language: 'en' }] }, 'take[0].path'],
    ] as const) {
      const sent = { file: 'path,en\ng,x\n', ...more };
      const answer = await send('POST', '/catalog/translations/import', sent, { 'if-match': '*' });
      expect(answer).toMatchObject({ status: 400, json: { errors: [{ field }] } });
    }
  });

  test('a revision beyond the number range does not exist', async () => {
    const { get, send } = await editor(server, { languages, groups: [] });
    for (const revision of ['2147483648', '99999999999999999999']) {
      for (const path of [`/revisions/${revision}`, `/catalog/translations/export?revision=${revision}`]) {
        expect([path, (await get(path)).status]).toEqual([path, 404]);
      }
      expect((await send('POST', `/revisions/${revision}/restore`, {}, { 'if-match': '*' })).status).toBe(404);
      expect((await get(`/revisions/compare?from=0&to=${revision}`)).status).toBe(404);
    }
  });

  test('of many invalid or changed texts, the first are reported', async () => {
    const { edit } = await editor(server, { languages, groups: [{ name: 'g', keys: [] }] });
    const wrong = { path: '', language: '', text: '' };
    const refused = await edit('PATCH', '/translations', { texts: Array(3_000).fill(wrong) });
    expect(refused).toMatchObject({ status: 422, json: { code: '9422' } });
    expect((refused.json.errors as unknown[]).length).toBeLessThan(210);
    const keys = Array.from({ length: 1_000 }, (_, at) => ({ name: `k${at}`, type: 'boolean' }));
    const many = await editor(server, { languages, groups: [{ name: 'g', keys }] });
    const texts = keys.map(({ name }) => ({ path: `g/${name}`, language: 'en', text: 'new', was: 'old' }));
    const changed = await many.edit('PATCH', '/translations', { texts });
    expect(changed).toMatchObject({ status: 412, json: { code: '9412' } });
    expect(changed.json.texts).toHaveLength(200);
    expect(await many.tree()).toMatchObject({ revision: 1 });
  });

  test('patterns are counted over all groups, including those that an edit leaves alone', async () => {
    const key = (pattern: string, at: number) => ({ name: `k${at}`, type: 'string', constraint: { pattern } });
    const patterns = Array.from({ length: 1000 }, (_, at) => `a|${at}`);
    const groups = [{ name: 'full', keys: patterns.map(key) }, { name: 'other' }];
    const { edit, send, group } = await editor(server, { languages, groups });
    const { groupUid } = await group('other');
    const add = (pattern: string) => edit('POST', `/groups/${groupUid}/keys`, { ...key(pattern, 0), name: pattern });
    expect(await add('b')).toMatchObject({
      status: 422,
      json: {
        code: '9422',
        errors: [{ field: 'constraint.pattern', message: 'exceeds the maximum of 1000 patterns in a catalog' }],
      },
    });
    expect((await add('a|7')).status).toBe(201);
    const all = { languages, groups: [...groups, { name: 'third', keys: [key('b', 0)] }] };
    const refused = await send('PUT', '/catalog', all, { 'if-match': '*' });
    expect(refused.json.errors).toMatchObject([{ field: 'groups[2].keys[0].constraint.pattern' }]);
  });

  test.each([
    ['de-u-co-phonebk', 'Deutsch'],
    ['en-t-de', 'English'],
    ['de-x-private', 'Deutsch'],
  ])('a name is suggested for %s', async (tag, name) => {
    const manage = await manageWith(server);
    const answer = await manage.get(`/languages/suggestions?tag=${tag}`);
    expect(answer).toMatchObject({ status: 200, json: { tag, name: expect.stringContaining(name) } });
  });
});
