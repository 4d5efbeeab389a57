import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CatalogFile } from '../../../src/domain/catalog/file-schema.ts';
import { databases } from '../../databases.ts';
import { awaitedProcessorTime } from '../../processor-time.ts';
import { bearer, makeSignedInUser, startTestServer, type TestServer } from '../start.ts';
import { type Wire, withCatalog } from './example-catalog.ts';

/** The maximum number of values of a key. */
const VALUES = 2_000;
const PATH = '/api/user_options';

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);

/** Displayed in a language without texts. */
const LARGE: CatalogFile = {
  languages: [
    { name: 'English', tag: 'en', default: true },
    { name: 'Deutsch', tag: 'de' },
    { name: 'Deutsch (Österreich)', tag: 'de-AT' },
  ],
  groups: [
    {
      name: 'large',
      keys: [
        {
          ...{ name: 'translated', type: 'string', multiple: true },
          values: numbers(VALUES).map((at) => ({ value: `v${at}`, translations: { Deutsch: `d${at}` } })),
        },
      ],
    },
  ],
};

/** Limit for the server's thread. These requests take tens of milliseconds each; they once took seconds. */
const MAX_MS = 1_000;

/** The longest turn of this thread's event loop, in milliseconds of work. */
async function longestTurn(requests: () => Promise<unknown>): Promise<number> {
  let [longest, isOver] = [0, false];
  const done = requests().finally(() => (isOver = true));
  while (!isOver) longest = Math.max(longest, (await awaitedProcessorTime(() => turn())).ms);
  await done;
  return longest;
}

describe.each(databases)('keys with many values on $kind', (database) => {
  let server: TestServer;
  let shop: Awaited<ReturnType<typeof withCatalog>>;
  let user: Awaited<ReturnType<typeof makeSignedInUser>>;
  let headers: Record<string, string>;
  let choice: Wire;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
    shop = await withCatalog(server, LARGE);
    user = await makeSignedInUser(server, shop.application);
    headers = { ...shop.apiKey, ...bearer(user.accessToken) };
    const { value: _, ...rest } = (await shop.choice('translated', [])) as Wire;
    choice = { ...rest, language: 'de-AT' };
  });
  afterAll(() => server.close());

  test('values to remove are looked up once each, however many are sent', async () => {
    const remove = numbers(15_000).map(() => 'a');
    const { ms } = await awaitedProcessorTime(async () => {
      const answer = await server.post(PATH, { ...choice, remove }, headers);
      expect([answer.status, answer.json.option]).toMatchObject([201, { value: [] }]);
    });
    expect(ms).toBeLessThan(MAX_MS);
  });

  test('translated values are found, the last as fast as the first', async () => {
    const value = numbers(VALUES).map((at) => `d${VALUES - 1 - at}`);
    const { ms } = await awaitedProcessorTime(async () => {
      const answer = await server.post(PATH, { ...choice, value }, headers);
      expect([answer.status, answer.json.option]).toMatchObject([
        200,
        { value: numbers(VALUES).map((at) => `v${at}`) },
      ]);
    });
    expect(ms).toBeLessThan(MAX_MS);
  });

  test('unknown values of many options are rejected', async () => {
    const value = numbers(9).map((at) => `unknown${at}`);
    const body = JSON.stringify({ options: numbers(200).map(() => ({ ...choice, value })) });
    const { ms } = await awaitedProcessorTime(async () => {
      expect((await server.send('PUT', PATH, { body, headers })).json.code).toBe('1008');
    });
    expect(ms).toBeLessThan(MAX_MS);
  });

  test('ten readers of a value of 2,000 in 200 languages take turns with others', async () => {
    const tag = (at: number) => `x${String.fromCharCode(97 + Math.floor(at / 26), 97 + (at % 26))}`;
    const value = numbers(VALUES).map((at) => `v${at}`);
    const wide = await withCatalog(server, {
      languages: numbers(200).map((at) => ({ name: `Language ${at}`, tag: tag(at) })),
      groups: [{ name: 'wide', keys: [{ name: 'wide', type: 'string', multiple: true, values: value }] }],
    });
    const { accessToken } = await makeSignedInUser(server, wide.application);
    const own = { ...wide.apiKey, ...bearer(accessToken) };
    const body = JSON.stringify(await wide.choice('wide', value));
    const saved = await fetch(server.url + PATH, { method: 'POST', body, headers: own });
    const { user_options_uid: uid } = (await saved.json()) as Wire;
    const read = (path: string) => fetch(server.url + path, { headers: own }).then((answer) => answer.text());
    const paths = [`${PATH}/${uid}`, `${PATH}?effective=true`, PATH];
    const longest = await longestTurn(() => Promise.all(numbers(10).map((at) => read(paths[at % 3] as string))));
    // They once took 150 ms each.
    expect(longest).toBeLessThan(500);
  });

  test('ten readers of keys of 2,000 values in many languages take turns with others', async () => {
    const tag = (at: number) => `x${String.fromCharCode(97 + Math.floor(at / 26), 97 + (at % 26))}`;
    const tags = numbers(34).map(tag);
    const wide = await withCatalog(server, {
      languages: tags.map((tag) => ({ name: tag.padEnd(34, '.'), tag })),
      groups: [
        {
          name: 'wide',
          keys: numbers(2).map((no) => ({
            ...{ name: `k${no}`, type: 'string' as const },
            values: numbers(VALUES).map((at) => ({
              ...{ value: `v${at}`, translations: Object.fromEntries(tags.map((tag) => [tag, `v${at}`])) },
            })),
          })),
        },
      ],
    });
    const first = (await (await fetch(`${server.url}/api/option_keys?limit=1`, { headers: wide.apiKey })).json()) as {
      items: Wire[];
    };
    // Each asks for other labels; what is made for it is not sent.
    const read = (path: string, at: number) =>
      fetch(server.url + path, { headers: { ...wide.apiKey, 'accept-language': tag(at), 'if-none-match': '*' } });
    for (const path of [`/api/option_keys/${first.items[0]?.option_key_uid}`, '/api/option_keys']) {
      const longest = await longestTurn(async () => {
        const answers = await Promise.all(numbers(10).map((at) => read(path, at + 10)));
        expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 304));
      });
      // They once took 300 ms together.
      expect([path, longest < 120 ? 0 : longest]).toEqual([path, 0]);
    }
  });

  test('receipts of a value of 2,000 take little longer than its record', async () => {
    const value = numbers(VALUES).map((at) => `v${String(at).padStart(27, 'a')}`);
    const long = await withCatalog(server, {
      languages: [{ name: 'English', tag: 'en' }],
      groups: [{ name: 'long', keys: [{ name: 'long', type: 'string', multiple: true, values: value }] }],
    });
    const { accessToken } = await makeSignedInUser(server, long.application);
    const own = { ...long.apiKey, ...bearer(accessToken) };
    const saved = await server.post(PATH, await long.choice('long', value), own);
    const read = (path: string) =>
      awaitedProcessorTime(async () => {
        for (const _ of numbers(30)) {
          const answer = await fetch(`${server.url}${PATH}/${saved.json.user_options_uid}${path}`, { headers: own });
          expect([answer.status, (await answer.text()).length > 50_000]).toEqual([200, true]);
        }
      });
    await read('/receipt');
    const plain = await read('');
    const { ms } = await read('/receipt');
    // They take 150 ms, and once took 1,400.
    expect(ms < 400 + 2 * plain.ms ? 0 : ms).toBe(0);
  });

  test('flags with defaults of megabytes are sent in parts, and ten readers take turns with others', async () => {
    const texts = numbers(VALUES).map((at) => `${'d'.repeat(480)}${at}`);
    const keys = numbers(8).map((no) => ({
      ...{ name: `k${no}`, type: 'string' as const, multiple: true, default: texts },
    }));
    const long = await withCatalog(server, {
      languages: [{ name: 'English', tag: 'en' }],
      groups: [{ name: 'long', keys }],
    });
    const own = bearer((await makeSignedInUser(server, long.application)).accessToken);
    const read = (more = {}) =>
      fetch(`${server.url}/ofrep/v1/evaluate/flags`, { method: 'POST', body: '{}', headers: { ...own, ...more } });
    const answer = await read();
    expect([answer.status, answer.headers.get('content-length')]).toEqual([200, null]);
    const { flags } = (await answer.json()) as { flags: Wire[] };
    expect(flags.map(({ key, value }) => [key, value])).toEqual(keys.map(({ name }) => [`long.${name}`, texts]));
    const etag = answer.headers.get('etag') as string;
    const longest = await longestTurn(async () => {
      const answers = await Promise.all(numbers(10).map(() => read({ 'if-none-match': etag })));
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 304));
    });
    // Each once took 50 ms, several in a turn.
    expect(longest < 100 ? 0 : longest).toBe(0);
  });

  test('a group is found among thousands of archived ones in little time', async () => {
    const languages = [{ name: 'English', tag: 'en' }];
    const named = (letter: string) => numbers(9_000).map((at) => ({ name: `${letter}${at}${'é'.repeat(240)}` }));
    const old = await withCatalog(server, { languages, groups: named('a') });
    for (const letter of ['b', 'c']) await old.publish({ languages, groups: named(letter) });
    const { accessToken } = await makeSignedInUser(server, old.application);
    const read = (group: string) =>
      awaitedProcessorTime(async () => {
        const path = `${PATH}?option_group_name=${encodeURIComponent(group)}`;
        const read = () => fetch(server.url + path, { headers: { ...old.apiKey, ...bearer(accessToken) } });
        const answers = await Promise.all(numbers(30).map(read));
        return [...new Set(answers.map(({ status }) => status))];
      });
    const [archived, live] = ['b', 'c'].map((letter) => named(letter)[8_999]?.name as string);
    expect((await read(archived as string)).result).toEqual([200]);
    const known = await read(live as string);
    expect(known.result).toEqual([200]);
    const { result, ms } = await read('unknown');
    expect(result).toEqual([404]);
    // They once took 500 ms more.
    expect(ms < 250 + 1.5 * known.ms ? 0 : ms).toBe(0);
  });

  test('many saved records of long texts are sent in parts', async () => {
    const tag = (at: number) => `x${String.fromCharCode(97 + Math.floor(at / 26), 97 + (at % 26))}`;
    // The text stands in for the missing ones.
    const text = 'ü'.repeat(2_000);
    const shop = await withCatalog(server, {
      languages: numbers(200).map((at) => ({ name: `Language ${at}`, tag: tag(at) })),
      groups: [
        {
          name: 'long',
          keys: numbers(6).map((at) => ({
            ...{ name: `k${at}`, type: 'string' as const },
            values: [{ value: 'v', translations: { [tag(0)]: text } }],
          })),
        },
      ],
    });
    const { accessToken } = await makeSignedInUser(server, shop.application);
    const own = { ...shop.apiKey, ...bearer(accessToken) };
    const options = await Promise.all(numbers(6).map((at) => shop.choice(`k${at}`, ['v'])));
    const saved = await fetch(server.url + PATH, { method: 'PUT', body: JSON.stringify({ options }), headers: own });
    expect([saved.status, saved.headers.get('content-length')]).toEqual([200, null]);
    const { items, total } = (await saved.json()) as { items: Wire[]; total: number };
    expect([items.length, total]).toEqual([6, 6]);
    for (const item of items) {
      const one = await fetch(`${server.url}${PATH}/${item.user_options_uid}`, { headers: own });
      expect(await one.json()).toEqual(item);
    }
  });
});
