import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CatalogFile } from '../../../src/domain/catalog/file-schema.ts';
import { databases } from '../../databases.ts';
import { bearer, makeSignedInUser, startTestServer, type TestServer } from '../start.ts';
import { type Wire, withCatalog } from './example-catalog.ts';

const MIB = 1024 ** 2;

/** Ten keys of 400 kB each, and one with a growing list. */
const LARGE: CatalogFile = {
  languages: [{ name: 'English', tag: 'en', default: true }],
  groups: [
    {
      name: 'large',
      keys: [
        { name: 'tags', type: 'string', multiple: true },
        ...Array.from({ length: 10 }, (_, at) => ({
          name: `k${at}`,
          type: 'string' as const,
          values: Array.from({ length: 200 }, (_, no) => `${no}${'x'.repeat(950)}`),
        })),
      ],
    },
  ],
};

describe.each(databases)('large items on $kind', (database) => {
  let server: TestServer;
  let at: Awaited<ReturnType<typeof withCatalog>>;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
    at = await withCatalog(server, LARGE);
  });
  afterAll(() => server.close());

  /** Reads all pages of a list by their links. */
  const readAll = async (path: string, headers: Record<string, string>) => {
    const pages: Wire[][] = [];
    for (let next: string | undefined = path; next !== undefined; ) {
      const { json, text, headers: sent } = await server.send('GET', next, { headers });
      expect(text.length).toBeLessThan(2 * MIB);
      const items = json.items as Wire[];
      if (sent.get('link')?.includes('rel="next"')) expect(json.limit).toBe(items.length);
      pages.push(items);
      next = /<([^>]+)>; rel="next"/.exec(sent.get('link') ?? '')?.[1];
    }
    return pages;
  };

  test('pages of keys end early at any limit, and no key is missed', async () => {
    const pages = await readAll('/api/option_keys?limit=200', at.apiKey);
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.flat().map(({ name }) => name)).toEqual(['tags', ...Array.from({ length: 10 }, (_, no) => `k${no}`)]);
  });

  test("a user's selections are bounded, regardless of concurrent requests", async () => {
    const lists = {
      name: 'lists',
      keys: Array.from({ length: 60 }, (_, no) => ({ name: `l${no}`, type: 'string' as const, multiple: true })),
    };
    const shop = await withCatalog(server, { languages: [{ name: 'English', tag: 'en' }], groups: [lists] });
    const { accessToken } = await makeSignedInUser(server, shop.application);
    const headers = { ...shop.apiKey, ...bearer(accessToken) };
    const long = Array.from({ length: 15 }, (_, no) => `${no}`.padEnd(3_900, 'x'));
    const choices = await Promise.all(lists.keys.map(({ name }) => shop.choice(name, long)));
    // Not all at once: on a busy machine, requests that wait for half a second are refused.
    const save = (choice: Wire) => server.post('/api/user_options', choice, headers);
    const answers: Awaited<ReturnType<typeof save>>[] = [];
    for (let at = 0; at < choices.length; at += 10) {
      answers.push(...(await Promise.all(choices.slice(at, at + 10).map(save))));
    }
    const refused = answers.filter(({ status }) => status !== 201);
    // 58 kB each.
    expect(answers.length - refused.length).toBe(35);
    const message = "value would make the user's selections longer than 2097152 characters together.";
    for (const { status, json } of refused) expect([status, json.code, json.message]).toEqual([422, '1008', message]);
    const many = choices.slice(-1).map((choice) => ({ ...choice, value: ['a'.repeat(600)] }));
    const put = await server.send('PUT', '/api/user_options', { headers, body: JSON.stringify({ options: many }) });
    expect(put.status).toBe(200);
    // The size is checked before the types of the values.
    const odd = { ...choices[0], value: [{ toString: 1 }, 'x'.repeat(600)] };
    expect((await server.post('/api/user_options', odd, headers)).json.code).toBe('1008');
    // An existing selection can be made smaller.
    const saved = choices[answers.findIndex(({ status }) => status === 201)] as Wire;
    expect((await server.post('/api/user_options', { ...saved, value: long.slice(1) }, headers)).status).toBe(200);
  });

  test('a list grows to what one request could send, and no further', async () => {
    const { accessToken } = await makeSignedInUser(server, at.application);
    const headers = { ...at.apiKey, ...bearer(accessToken) };
    const key = await at.choice('tags', undefined);
    const add = (values: string[]) => server.post('/api/user_options', { ...key, add: values }, headers);
    const texts = (no: number) => Array.from({ length: 10 }, (_, index) => `${no}.${index}`.padEnd(3_900, 'y'));
    expect((await add(texts(1))).status).toBe(201);
    const full = await add(texts(2));
    expect(full.status).toBe(422);
    expect(full.json).toMatchObject({
      code: '1008',
      errors: [{ field: 'add', message: 'must leave a list of at most 65536 characters' }],
    });
    const swapped = { ...key, add: ['z'], remove: texts(1).slice(1) };
    expect((await server.post('/api/user_options', swapped, headers)).status).toBe(200);
  });
});
