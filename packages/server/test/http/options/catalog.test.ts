import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../databases.ts';
import { startTestServer, type TestServer } from '../start.ts';
import { EXAMPLE, type Wire, withCatalog } from './example-catalog.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe.each(databases)('option groups and keys on $kind', (database) => {
  let server: TestServer;
  let shop: Awaited<ReturnType<typeof withCatalog>>;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
    shop = await withCatalog(server);
  });
  afterAll(() => server.close());

  const PATHS = [
    '/api/option_groups',
    '/api/option_keys',
    `/api/option_keys/${crypto.randomUUID()}`,
    '/api/user_options',
  ];

  test.each(PATHS)('%s: apiKey missing is 1001, unknown is 1002, both 401', async (path) => {
    for (const [headers, code] of [
      [{}, '1001'],
      [{ apiKey: '' }, '1001'],
      [{ apiKey: '1_nobody' }, '1002'],
      [{ apiKey: shop.application.clientId.toUpperCase() }, '1002'],
    ] as [Record<string, string>, string][]) {
      const { status, json } = await server.send('GET', path, { headers });
      expect({ status, json }).toEqual({ status: 401, json: { code, message: expect.any(String) } });
    }
  });

  test('groups are listed in order with the fields of the contract', async () => {
    const { status, json, headers } = await shop.get('/api/option_groups');
    expect(status).toBe(200);
    expect(json).toMatchObject({ total: 3, offset: 0, limit: 50 });
    const [kitchen, open] = json.items as Wire[];
    expect(kitchen).toEqual({
      option_group_uid: expect.stringMatching(UUID),
      name: 'kitchen',
      label: 'Kitchen',
      label_language: 'English',
      description: null,
      description_language: null,
      position: 0,
      translations: [
        ['Kitchen', 'English'],
        ['Küche', 'Deutsch'],
      ].map(([name, language]) => ({
        option_group_translation_uid: expect.stringMatching(UUID),
        name,
        description: null,
        language,
      })),
    });
    expect(open).toMatchObject({ name: 'open', label: 'open', label_language: null, position: 1, translations: [] });
    expect(headers.get('vary')).toContain('Accept-Language');

    const one = await shop.get(`/api/option_groups/${kitchen?.option_group_uid}`);
    expect(one.json).toEqual(kitchen);
  });

  test('a key has its type, counts, default, values or constraint, and translations', async () => {
    const fruit = await shop.keyNamed('fruit');
    expect(fruit).toEqual({
      option_key_uid: expect.stringMatching(UUID),
      option_group_uid: expect.stringMatching(UUID),
      option_group_name: 'kitchen',
      name: 'fruit',
      label: 'Fruit',
      label_language: 'English',
      description: null,
      description_language: null,
      position: 1,
      value_type: 'string',
      multiple: true,
      min_selected: 1,
      max_selected: 2,
      default_value: ['apple'],
      allowed_values: [
        {
          value: 'apple',
          label: 'Apple',
          translations: [
            { language: 'English', value: 'Apple' },
            { language: 'Deutsch', value: 'Apfel' },
          ],
          retired: false,
        },
        {
          value: 'apricot',
          label: 'apricot',
          translations: [
            { language: 'Deutsch', value: 'Aprikose' },
            { language: 'Deutsch (Österreich)', value: 'Marille' },
          ],
          retired: false,
        },
        { value: 'cherry', label: 'cherry', translations: [], retired: false },
      ],
      archived: false,
      translations: [
        {
          option_key_translation_uid: expect.stringMatching(UUID),
          language: 'English',
          name: 'Fruit',
          description: null,
        },
        {
          option_key_translation_uid: expect.stringMatching(UUID),
          language: 'Deutsch',
          name: 'Obst',
          description: null,
        },
      ],
    });
    expect(await shop.keyNamed('vegetarian')).toMatchObject({
      value_type: 'boolean',
      multiple: false,
      default_value: false,
      allowed_values: [{ value: true }, { value: false }],
    });
    const volume = await shop.keyNamed('volume');
    expect(volume).toMatchObject({ constraint: { min: 0, max: 10, step: 5, pattern: null, max_length: null } });
    expect(volume).not.toHaveProperty('allowed_values');
    expect((await shop.get(`/api/option_keys/${fruit.option_key_uid}`)).json).toEqual(fruit);
  });

  test('language by name or tag in any case: translations contain only it, labels fall back', async () => {
    for (const language of ['Deutsch', 'deutsch', 'DE', 'de', 'DEUTSCH']) {
      const { json } = await shop.get(`/api/option_keys?option_group_name=kitchen&language=${language}`);
      const [vegetarian, fruit] = json.items as Wire[];
      expect(vegetarian).toMatchObject({ label: 'Vegetarisch', label_language: 'Deutsch' });
      expect(fruit?.translations).toMatchObject([{ language: 'Deutsch', name: 'Obst' }]);
    }
    const austria = await shop.get('/api/option_keys?option_group_name=kitchen&language=de-AT');
    expect((austria.json.items as Wire[])[1]).toMatchObject({
      label: 'Obst',
      label_language: 'Deutsch',
      translations: [],
      allowed_values: [{ label: 'Apfel' }, { label: 'Marille' }, { label: 'cherry' }],
    });
  });

  test.each([
    ['de', 'Küche'],
    ['de-CH, en;q=0.5', 'Küche'],
    ['fr, de;q=0.3, en;q=0.2', 'Küche'],
    ['fr', 'Kitchen'],
    ['*', 'Kitchen'],
    [';;q=x,,', 'Kitchen'],
    ['de;q=0, en', 'Kitchen'],
  ])('without language, Accept-Language %s labels the group %s and translations contain all', async (header, label) => {
    const { json } = await shop.get('/api/option_groups', { 'accept-language': header });
    const [kitchen] = json.items as Wire[];
    expect(kitchen?.label).toBe(label);
    expect(kitchen?.translations).toHaveLength(2);
  });

  test('an unknown language is 1003 and lists the available ones', async () => {
    for (const path of ['/api/option_groups', '/api/option_keys']) {
      const { status, json } = await shop.get(`${path}?language=Klingon`);
      expect({ status, code: json.code }).toEqual({ status: 400, code: '1003' });
      expect(json.errors).toEqual([
        { field: 'language', message: expect.any(String), allowed: expect.arrayContaining(['Deutsch', 'de-AT']) },
      ]);
    }
  });

  test('a group by uid or name; 1004 if there is none, 1010 if they disagree', async () => {
    const { json } = await shop.get('/api/option_groups');
    const [kitchen, open] = json.items as Wire[];
    const uid = kitchen?.option_group_uid;
    const byUid = await shop.get(`/api/option_keys?option_group_uid=${uid}`);
    const byName = await shop.get('/api/option_keys?option_group_name=kitchen');
    const byBoth = await shop.get(`/api/option_keys?option_group_uid=${uid}&option_group_name=kitchen`);
    expect(byUid.json).toEqual(byName.json);
    expect(byBoth.json).toEqual(byName.json);
    expect(byName.json.total).toBe(4);
    expect((await shop.get('/api/option_keys?option_group_name=empty')).json).toMatchObject({ items: [], total: 0 });

    const other = await withCatalog(server);
    const foreign = ((await other.get('/api/option_groups')).json.items as Wire[])[0]?.option_group_uid;
    for (const path of [
      '/api/option_keys?option_group_name=Kitchen',
      `/api/option_keys?option_group_uid=${crypto.randomUUID()}`,
      '/api/option_keys?option_group_uid=nonsense',
      `/api/option_keys?option_group_uid=${foreign}`,
      `/api/option_groups/${foreign}`,
      '/api/option_groups/nonsense',
    ]) {
      const answer = await shop.get(path);
      expect({ path, status: answer.status, code: answer.json.code }).toEqual({ path, status: 404, code: '1004' });
    }
    const disagree = await shop.get(
      `/api/option_keys?option_group_uid=${open?.option_group_uid}&option_group_name=kitchen`,
    );
    expect({ status: disagree.status, code: disagree.json.code }).toEqual({ status: 400, code: '1010' });
  });

  test('an unknown key is 1005, also one of another application', async () => {
    const other = await withCatalog(server);
    const foreign = (await other.keyNamed('fruit')).option_key_uid;
    for (const uid of [crypto.randomUUID(), 'nonsense', '%20', foreign]) {
      const { status, json } = await shop.get(`/api/option_keys/${uid}`);
      expect({ status, code: json.code }).toEqual({ status: 404, code: '1005' });
      expect(json.errors).toEqual([{ field: 'option_key_uid', message: 'does not match any key' }]);
    }
  });

  test('paging: defaults, clamping, links, and 1009 for an invalid number', async () => {
    const page = await shop.get('/api/option_keys?offset=2&limit=3');
    expect(page.json).toMatchObject({ total: 8, offset: 2, limit: 3 });
    expect((page.json.items as Wire[]).map(({ name }) => name)).toEqual(['portions', 'ratio', 'volume']);
    const link = page.headers.get('link') as string;
    expect(link).toContain('</api/option_keys?offset=5&limit=3>; rel="next"');
    expect(link).toContain('offset=0&limit=3>; rel="prev"');
    expect(link).toContain('offset=6&limit=3>; rel="last"');
    const cluttered = await shop.get(`/api/option_keys?limit=2&${'junk&'.repeat(500)}language=DE`);
    expect(cluttered.headers.get('link')).toContain('</api/option_keys?language=DE&offset=2&limit=2>; rel="next"');
    expect(cluttered.headers.get('link')).not.toContain('junk');
    for (const tag of ['de', 'DE', 'de']) {
      const { headers } = await shop.get(`/api/option_keys?limit=2&language=${tag}`);
      expect(headers.get('link')).toContain(`?language=${tag}&offset=2&limit=2>; rel="next"`);
    }
    expect((await shop.get('/api/option_keys?limit=5000')).json.limit).toBe(200);
    expect((await shop.get('/api/option_keys?offset=999')).json).toMatchObject({ items: [], total: 8, offset: 999 });
    expect((await shop.get('/api/option_keys?limit=0')).json).toMatchObject({ items: [], limit: 0 });
    for (const query of [
      'limit=-1',
      'limit=1.5',
      'limit=x',
      'limit=',
      'offset=-1',
      'offset=1e3',
      'limit=1&limit=2',
      'offset=0x1',
      'option_group_uid=',
      'option_group_uid=%20',
    ]) {
      const { status, json } = await shop.get(`/api/option_keys?${query}`);
      expect({ query, status, code: json.code }).toEqual({ query, status: 400, code: '1009' });
      expect((json.errors as Wire[])[0]?.field).toBe(query.split('=')[0]);
    }
  });

  test('every GET has an ETag and returns 304 if it matches', async () => {
    const fruit = await shop.keyNamed('fruit');
    for (const path of [
      '/api/option_groups',
      '/api/option_keys?language=de',
      `/api/option_keys/${fruit.option_key_uid}`,
    ]) {
      const etag = (await shop.get(path)).headers.get('etag') as string;
      expect(etag).toMatch(/^"[\w-]+"$/);
      for (const held of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const { status, text, headers } = await shop.get(path, { 'if-none-match': held });
        expect({ status, text, etag: headers.get('etag') }).toEqual({ status: 304, text: '', etag });
      }
      expect((await shop.get(path, { 'if-none-match': '"other"' })).status).toBe(200);
    }
  });

  test('an application without a catalog has empty lists', async () => {
    const { clientId } = await server.application();
    for (const path of ['/api/option_groups', '/api/option_keys']) {
      const { json } = await server.send('GET', path, { headers: { apiKey: clientId } });
      expect(json).toEqual({ items: [], total: 0, offset: 0, limit: 50 });
    }
  });

  test('items that a later file omits are archived: readable by uid, no longer listed', async () => {
    const cellar = await withCatalog(server);
    const fruit = await cellar.keyNamed('fruit');
    const open = await cellar.keyNamed('motto');
    const [kitchen] = EXAMPLE.groups as [(typeof EXAMPLE.groups)[0]];
    await cellar.publish({
      ...EXAMPLE,
      groups: [{ ...kitchen, keys: kitchen.keys?.filter(({ name }) => name !== 'fruit') ?? [] }],
    });
    await expect.poll(async () => (await cellar.get('/api/option_keys')).json.total, { interval: 20 }).toBe(3);
    expect((await cellar.get('/api/option_groups')).json.total).toBe(1);
    for (const key of [fruit, open]) {
      expect((await cellar.get(`/api/option_keys/${key.option_key_uid}`)).json).toMatchObject({
        name: key.name,
        archived: true,
      });
    }
    // Once restored, they are the same as before.
    await cellar.publish(EXAMPLE);
    await expect.poll(async () => (await cellar.get('/api/option_keys')).json.total, { interval: 20 }).toBe(8);
    expect(await cellar.keyNamed('fruit')).toEqual(fruit);
  });
});
