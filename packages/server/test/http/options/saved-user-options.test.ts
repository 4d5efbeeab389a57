import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { databases } from '../../databases.ts';
import { countOf, pipeline, rawRequest } from '../pipeline.ts';
import { basic, bearer, makeSignedInUser, startTestServer, type TestServer } from '../start.ts';
import { EXAMPLE, type Wire } from './example-catalog.ts';
import { makeTestUser, PATH, values } from './test-user.ts';

describe.each(databases)('saved user options on $kind', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
  });
  afterAll(() => server.close());
  const testUser = (settings?: Record<string, unknown>) => makeTestUser(server, settings);

  test('reading requires the token or the credentials (1011)', async () => {
    const { application, apiKey, user, save, choice } = await testUser();
    const { json } = await save(await choice('vegetarian', [true]));
    const uid = json.user_options_uid;
    const ask = (query: string, headers: Record<string, string>) =>
      server.send('GET', `${PATH}${query}`, { headers: { ...apiKey, ...headers } });
    for (const path of ['', `/${uid}`, `/${uid}/history`]) {
      const query = `${path}?user_uid=${user.userCode}`;
      expect((await ask(query, {})).json.code).toBe('1011');
      expect((await ask(query, basic({ ...application, clientSecret: 'wrong' }))).json.code).toBe('1011');
      expect((await ask(query, basic(await server.application()))).json.code).toBe('1011');
      expect((await ask(query, bearer('nonsense'))).json.code).toBe('1007');
      expect((await ask(path, basic(application))).json.code).toBe('1009');
      expect((await ask(`${path}?user_uid=${crypto.randomUUID()}`, basic(application))).json.code).toBe('1006');
      expect((await ask(query, basic(application))).status).toBe(200);
      expect((await ask(path, bearer(user.accessToken))).status).toBe(200);
      expect((await ask(`${path}?user_uid=${crypto.randomUUID()}`, bearer(user.accessToken))).json.code).toBe('1007');
    }
  });

  test('lists by filter, in one language, effective values with their defaults', async () => {
    const { save, choice, read, keyNamed } = await testUser();
    await save(await choice('volume', [10]));
    await save(await choice('fruit', ['cherry', 'apple']));
    expect(values((await read()).json)).toEqual([
      ['fruit', ['apple', 'cherry']],
      ['volume', 10],
    ]);
    expect(values((await read('?option_group_name=open')).json)).toEqual([['volume', 10]]);
    const { option_key_uid, option_group_uid } = await keyNamed('fruit');
    expect(values((await read(`?option_key_uid=${option_key_uid}`)).json)).toHaveLength(1);
    expect(values((await read(`?option_group_uid=${option_group_uid}`)).json)).toHaveLength(1);
    const german = (await read('?language=de')).json.items as { option: { translations: Wire[] } }[];
    expect(german[0]?.option.translations).toMatchObject([{ language: 'Deutsch', value: ['Apfel', 'cherry'] }]);

    const effective = (await read('?effective=true')).json;
    expect(values(effective)).toEqual([
      ['vegetarian', false],
      ['fruit', ['apple', 'cherry']],
      ['volume', 10],
    ]);
    expect((effective.items as Wire[])[0]).toMatchObject({
      user_options_uid: null,
      is_default: true,
      created_at: null,
    });
    expect((await read('?limit=1&offset=1')).json).toMatchObject({ total: 2, offset: 1, limit: 1 });

    for (const [query, code] of [
      ['?language=Klingon', '1003'],
      ['?option_group_name=none', '1004'],
      [`?option_key_uid=${crypto.randomUUID()}`, '1005'],
      ['?effective=maybe', '1009'],
      ['?limit=x', '1009'],
      ['?option_group_uid=', '1009'],
      ['?option_key_uid=', '1009'],
      [`?option_group_uid=${option_group_uid}&option_group_name=open`, '1010'],
    ]) {
      expect((await read(query)).json.code).toBe(code);
    }
    const etag = (await read()).headers.get('etag') as string;
    const { headers } = await read();
    expect(headers.get('cache-control')).toContain('private');
    expect((await read('', { 'if-none-match': etag })).status).toBe(401);
  });

  test('every text has its own ETag, in any script', async () => {
    const { save, choice, read } = await testUser();
    const tagOf = new Map<string, string | null>();
    for (const [name, value] of [
      ['fruit', ['apple']],
      ['fruit', ['cherry']],
      ['tags', ['日本', 'naïve 🎉']],
      ['tags', ['日本', 'naïve 🎊']],
    ] as const) {
      expect((await save(await choice(name, value))).json).toMatchObject({ option: { name, value } });
      for (const query of ['', '?language=de', '?effective=true', '?limit=1']) {
        const { text, headers } = await read(query);
        const tag = headers.get('etag');
        expect(tagOf.get(text) ?? tag).toBe(tag);
        tagOf.set(text, tag);
      }
    }
    expect(new Set(tagOf.values()).size).toBe(tagOf.size);
    expect(values((await read()).json)).toEqual([
      ['fruit', ['cherry']],
      ['tags', ['日本', 'naïve 🎊']],
    ]);
  });

  test('one record by uid, unset with 204, with its history kept', async () => {
    const { user, save, choice, read, apiKey } = await testUser();
    const { json } = await save(await choice('volume', [5]));
    await save(await choice('volume', [10]), bearer(user.accessToken));
    const uid = `/${json.user_options_uid}`;
    expect((await read(uid)).json).toMatchObject({ user_options_uid: json.user_options_uid, option: { value: 10 } });
    const neighbour = await testUser();
    expect((await neighbour.read(uid)).status).toBe(404);

    const unset = (headers: Record<string, string>) =>
      server.send('DELETE', `${PATH}${uid}`, { headers: { ...apiKey, ...headers } });
    expect((await unset({})).json.code).toBe('1011');
    expect((await unset(bearer(user.accessToken))).status).toBe(204);
    expect((await unset(bearer(user.accessToken))).status).toBe(404);
    expect((await read(uid)).json.code).toBe('9404');
    expect((await read(`${uid}/history`)).json).toMatchObject({
      total: 3,
      items: [
        { action: 'unset', by: 'access_token', from_value: 10, to_value: null },
        { action: 'save', by: 'access_token', from_value: 5, to_value: 10 },
        { action: 'save', by: 'user_uid', from_value: null, to_value: 5 },
      ],
    });
    const again = await save(await choice('volume', [0]));
    expect(again.status).toBe(201);
    expect(again.json.user_options_uid).not.toBe(json.user_options_uid);
  });

  test('an archived key is 1012; its saved selections stay', async () => {
    const { save, choice, publish, read, get } = await testUser();
    const body = await choice('fruit', ['apple']);
    const motto = await choice('motto', ['Hi']);
    await save(body);
    const [kitchen] = EXAMPLE.groups as [(typeof EXAMPLE.groups)[0]];
    await publish({ ...EXAMPLE, groups: [{ ...kitchen, keys: kitchen.keys?.slice(0, 1) ?? [] }] });
    for (const each of [body, motto]) {
      await expect.poll(async () => (await save(each)).json.code, { interval: 20 }).toBe('1012');
      expect((await save(each)).status).toBe(409);
    }
    expect(values((await read()).json)).toEqual([['fruit', ['apple']]]);
    await publish({ ...EXAMPLE, groups: [{ name: 'other' }] });
    await expect.poll(async () => (await get('/api/option_groups')).json.total, { interval: 20 }).toBe(1);
    expect(values((await read('?option_group_name=kitchen')).json)).toEqual([['fruit', ['apple']]]);
  });

  test('a retired value is kept by users who have it and rejected for others', async () => {
    const shop = await testUser();
    const keeper = await shop.save(await shop.choice('fruit', ['cherry']));
    expect(keeper.status).toBe(201);
    const other = await makeSignedInUser(server, shop.application);
    const retired = structuredClone(EXAMPLE);
    const fruit = retired.groups[0]?.keys?.[1];
    if (fruit?.values) fruit.values[2] = { value: 'cherry', retired: true, replacement: 'apple' };
    await shop.publish(retired, false);
    const asOther = async () => shop.save({ ...(await shop.choice('fruit', ['cherry'])), user_uid: other.userCode });
    await expect
      .poll(async () => (await shop.keyNamed('fruit')).allowed_values, { interval: 20 })
      .toMatchObject([{}, {}, { value: 'cherry', retired: true, replacement: 'apple' }]);
    expect((await asOther()).json.code).toBe('1008');
    const [error] = (await asOther()).json.errors as Wire[];
    expect(error).toMatchObject({ message: expect.stringContaining('"apple"'), allowed: ['apple', 'apricot'] });
    expect((await shop.save(await shop.choice('fruit', ['cherry', 'apple']))).status).toBe(200);
    await shop.save(await shop.choice('fruit', ['apple']));
    expect((await shop.save(await shop.choice('fruit', ['cherry']))).json.code).toBe('1008');
  });

  test('a record is unchanged ten revisions later, with current labels', async () => {
    const { save, choice, publish, read, keyNamed } = await testUser();
    await save(await choice('fruit', ['apricot', 'apple']));
    await save(await choice('motto', ['Hi'], { language: 'Deutsch' }));
    const saved = async () => (await read()).json.items as Wire[];
    const withoutLabels = (records: Wire[]) =>
      records.map(({ group, option, ...record }) => {
        const { label: _, label_language: __, ...stored } = group as Wire;
        const { label: ___, label_language: ____, value_label: _____, ...chosen } = option as Wire;
        return { ...record, group: stored, option: chosen };
      });
    const before = withoutLabels(await saved());
    for (let round = 0; round < 10; round++) {
      const next = structuredClone(EXAMPLE);
      next.languages.push({ name: `Language ${round}`, tag: `fr-${'ABCDEFGHIJ'[round]}A` });
      const [kitchen] = next.groups;
      if (kitchen?.translations) kitchen.translations.English = `Kitchen ${round}`;
      const fruit = kitchen?.keys?.[1];
      if (fruit?.translations) fruit.translations.Deutsch = `Früchte ${round}`;
      if (fruit) fruit.values = [{ value: 'cherry', translations: { English: `Cherry ${round}` } }, 'apple', 'apricot'];
      await publish(next);
    }
    await expect
      .poll(async () => (await keyNamed('fruit')).allowed_values)
      .toMatchObject([{ label: 'Cherry 9' }, {}, {}]);
    const after = await saved();
    expect(JSON.stringify(withoutLabels(after))).toBe(JSON.stringify(before));
    expect(after[0]).toMatchObject({ group: { label: 'Kitchen 9' }, option: { value_label: ['apple', 'apricot'] } });
  });

  test('nothing of a deleted user is left, and saving for them is 1006', async () => {
    const { application, user, save, choice } = await testUser();
    const body = await choice('volume', [5]);
    await save(body);
    await server.send('DELETE', `/api/v2/app/${application.clientId}/users/${user.userCode}`, {
      headers: basic(application),
    });
    expect((await save(body)).json.code).toBe('1006');
    expect(await server.service.storage.selections.list(user.userCode)).toEqual([]);
  });
  test('concurrent reads do not wait for each other', async () => {
    const { user, apiKey, save, choice } = await testUser();
    for (const [name, value] of Object.entries({
      volume: 10,
      vegetarian: true,
      fruit: 'apple',
      portions: 2,
      ratio: 1,
    })) {
      await save(await choice(name, [value]));
    }
    // slices.ts continues long work after its slice, in the next turn of the event loop.
    const turns = vi.spyOn(globalThis, 'setImmediate');
    const headers = `apiKey: ${apiKey.apiKey}\r\nAuthorization: Bearer ${user.accessToken}\r\n`;
    const line = await pipeline(server.url, Array<string>(100).fill(rawRequest(PATH, '', headers)));
    await expect.poll(() => countOf(line.text, 'HTTP/1.1 200')).toBe(100);
    line.socket.destroy();
    expect(turns.mock.calls.filter(([{ name }]) => name === 'continueOne').length).toBeLessThan(50);
    turns.mockRestore();
  });
});
