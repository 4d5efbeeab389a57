import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import type { Wire } from '../http/options/example-catalog.ts';
import { bearer, makeSignedInUser, startTestServer, type TestServer } from '../http/start.ts';
import { editor, manageWith } from './manage.ts';

const CATALOG = {
  languages: [{ name: 'English', tag: 'en', default: true }],
  groups: [
    {
      name: 'look',
      keys: [
        {
          name: 'theme',
          type: 'string',
          default: 'dark',
          values: [
            { value: '=1+1', translations: { English: 'Formula' } },
            { value: 'dark', translations: { English: 'Dark, "very"' } },
            { value: 'light' },
          ],
        },
        { name: 'fruit', type: 'string', multiple: true, values: ['apple', 'cherry'] },
        { name: 'motto', type: 'string' },
        { name: 'unused', type: 'boolean' },
      ],
    },
  ],
};

describe.each(databases)('insights of /manage/v1 on $kind', (database) => {
  let server: TestServer;
  let at: Awaited<ReturnType<typeof editor>>;
  const today = new Date().toISOString().slice(0, 10);
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
    at = await editor(server, CATALOG);
    await choose({ theme: ['dark'], fruit: ['apple', 'cherry'], motto: ['=HYPERLINK("http://x")'] });
    await choose({ theme: ['=1+1'], fruit: ['apple'], motto: ['b'] });
    await choose({ theme: ['dark'], motto: ['b'] });
    await choose({});
  });
  afterAll(() => server.close());

  const choose = async (choices: Record<string, unknown[]>) => {
    const user = await makeSignedInUser(server, at.application);
    const tree = await at.tree();
    for (const [name, value] of Object.entries(choices)) {
      const group = tree.groups[0] as Wire;
      const key = (group.keys as Wire[]).find((each) => each.name === name) as Wire;
      const body = { option_group_uid: group.groupUid, option_key_uid: key.keyUid, value };
      const headers = { apiKey: at.application.clientId, ...bearer(user.accessToken) };
      expect((await server.post('/api/user_options', body, headers)).status).toBe(201);
    }
    return user;
  };
  const insights = async (name: string, query = 'last=2') =>
    (await at.get(`/keys/${(await at.key(name)).keyUid}/insights?${query}`)).json;
  const csv = async (name: string, query = 'last=1') => {
    const answer = await at.get(`/keys/${(await at.key(name)).keyUid}/insights/csv?${query}`);
    return { ...answer, lines: answer.text.split('\r\n') };
  };

  test('count all keys at once, with the most common choice', async () => {
    const { counted, users, items } = (await at.get('/insights')).json as Wire;
    expect([counted, users]).toEqual([1, 4]);
    const of = async (name: string) => {
      const { keyUid } = await at.key(name);
      return (items as Wire[]).find((each) => each.keyUid === keyUid);
    };
    expect(await of('theme')).toEqual({
      keyUid: (await at.key('theme')).keyUid,
      chose: 3,
      neverChose: 1,
      defaultValue: 'dark',
      mostCommon: { value: 'dark', count: 2 },
    });
    expect(await of('fruit')).toMatchObject({ chose: 2, neverChose: 2, mostCommon: { value: 'apple', count: 2 } });
    expect(await of('motto')).toMatchObject({ chose: 3, mostCommon: { value: 'b', count: 2 } });
    expect(await of('unused')).toMatchObject({ chose: 0, neverChose: 4, mostCommon: null });
    expect((await at.get('/insights?wait=61')).status).toBe(400);
  });

  test('count each value in catalog order, users who never chose, and by day', async () => {
    expect(await insights('theme')).toEqual({
      keyUid: (await at.key('theme')).keyUid,
      at: expect.any(String),
      users: 4,
      chose: 3,
      neverChose: 1,
      defaultValue: 'dark',
      values: [
        { value: '=1+1', label: 'Formula', count: 1, offered: true },
        { value: 'dark', label: 'Dark, "very"', count: 2, offered: true },
        { value: 'light', label: 'light', count: 0, offered: true },
      ],
      otherValues: 0,
      earlier: { total: 0, counts: [0, 0, 0] },
      periods: [
        { from: expect.any(String), total: 0, counts: [0, 0, 0] },
        { from: today, total: 3, counts: [1, 2, 0] },
      ],
    });
    const weeks = (await insights('fruit', 'period=week&last=3')).periods as Wire[];
    expect(weeks.map(({ total, counts }) => [total, counts])).toEqual([
      [0, [0, 0]],
      [0, [0, 0]],
      [2, [2, 1]],
    ]);
    expect(await insights('motto')).toMatchObject({
      chose: 3,
      values: [{ value: 'b', label: 'b', count: 2, offered: true }, { count: 1 }],
      periods: [
        { total: 0, counts: [] },
        { total: 3, counts: [] },
      ],
    });
    expect(await insights('unused')).toMatchObject({ users: 4, chose: 0, neverChose: 4, defaultValue: null });
    expect((await insights('theme', '')).periods).toHaveLength(30);
    expect(await insights('theme', 'last=0')).toMatchObject({
      chose: 3,
      values: [{ count: 1 }, { count: 2 }, { count: 0 }],
      earlier: { total: 3, counts: [1, 2, 0] },
      periods: [],
    });
    expect(await insights('motto', 'last=0')).toMatchObject({
      chose: 3,
      values: [{ value: 'b', count: 2 }, { count: 1 }],
    });
  });

  test('are current: a new selection is counted in the next response', async () => {
    const own = await editor(server, CATALOG);
    const { keyUid } = await own.key('unused');
    const chose = async () => (await own.get(`/keys/${keyUid}/insights`)).json.chose;
    expect(await chose()).toBe(0);
    const user = await makeSignedInUser(server, own.application);
    const { groupUid } = await own.group('look');
    const body = { option_group_uid: groupUid, option_key_uid: keyUid, value: [true] };
    const headers = { apiKey: own.application.clientId, ...bearer(user.accessToken) };
    await server.post('/api/user_options', body, headers);
    expect(await chose()).toBe(1);
  });

  test('are available as CSV that no spreadsheet takes for formulas', async () => {
    const theme = await csv('theme');
    expect(theme.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(theme.headers.get('content-disposition')).toBe('attachment; filename="look-theme.csv"');
    expect(theme.lines).toEqual([
      "from,'=1+1,dark,light,chose,never chose",
      'now,1,2,0,3,1',
      'earlier,0,0,0,0,',
      `${today},1,2,0,3,`,
      '',
    ]);
    expect((await csv('motto')).lines[0]).toBe('from,b,"\'=HYPERLINK(""http://x"")",chose,never chose');
  });

  test('are rejected for unknown keys and invalid periods', async () => {
    const { keyUid } = await at.key('theme');
    const elsewhere = await editor(server);
    for (const path of ['insights', 'insights/csv']) {
      expect((await elsewhere.get(`/keys/${keyUid}/${path}`)).json.code).toBe('9404');
      expect((await at.get(`/keys/x/${path}`)).json.code).toBe('9404');
      for (const query of ['period=year', 'last=-1', 'last=367', 'last=1.5', 'last=0x2', 'last=', 'last=1&last=2']) {
        expect((await at.get(`/keys/${keyUid}/${path}?${query}`)).json.code).toBe('9400');
      }
    }
  });

  test('are available to everyone who may read', async () => {
    const reader = await manageWith(server, { access: 'read' });
    const { keyUid } = await at.key('theme');
    expect((await reader.get(`${at.path}/keys/${keyUid}/insights`)).status).toBe(200);
  });
});
