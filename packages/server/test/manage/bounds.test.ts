import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { startTestServer, type TestServer } from '../http/start.ts';
import { editor, manageWith } from './manage.ts';

const languages = [{ name: 'English', tag: 'en' }];
const values = Array.from({ length: 2000 }, (_, value) => value);

/** What a catalog may cost: what goes beyond is told, nothing is published, and the service goes on. */
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
      'a bound that is no date',
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

  test('patterns are counted over all groups, also those that an edit leaves alone', async () => {
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
        errors: [{ field: 'constraint.pattern', message: 'is one too many: a catalog has at most 1000 patterns' }],
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
  ])('a name is proposed for %s', async (tag, name) => {
    const manage = await manageWith(server);
    const answer = await manage.get(`/languages/suggestions?tag=${tag}`);
    expect(answer).toMatchObject({ status: 200, json: { tag, name: expect.stringContaining(name) } });
  });
});
