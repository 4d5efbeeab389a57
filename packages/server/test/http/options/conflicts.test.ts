import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { databases } from '../../databases.ts';
import { bearer, startTestServer, type TestServer } from '../start.ts';
import { EXAMPLE, type Wire } from './example-catalog.ts';
import { makeTestUser, PATH } from './test-user.ts';

describe.each(databases)('saves that do not overwrite each other on $kind', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
  });
  afterAll(() => server.close());

  const testUser = async () => {
    const made = await makeTestUser(server);
    const put = (options: unknown) =>
      server.send('PUT', PATH, {
        headers: { ...made.apiKey, ...bearer(made.user.accessToken) },
        body: JSON.stringify({ options }),
      });
    const listOf = async (name: string) => {
      const items = (await made.read()).json.items as { option: Wire }[];
      return items.find(({ option }) => option.name === name)?.option.value;
    };
    return { ...made, put, listOf };
  };

  test('If-Match saves only over the record that was read; 1014 shows the current one', async () => {
    const { save, choice, read, publish, apiKey, user } = await testUser();
    const body = await choice('volume', [5]);
    const none = await save(body, { 'if-match': '*' });
    expect(none).toMatchObject({ status: 412, json: { code: '1014', current: null, errors: [{ field: 'If-Match' }] } });
    const first = await save(body);
    const etag = first.headers.get('etag') as string;
    expect((first.json as Wire).etag).toBe(etag);
    const one = await read(`/${first.json.user_options_uid}`);
    expect(one.json.etag).toBe(etag);
    expect(((await read()).json.items as Wire[])[0]?.etag).toBe(etag);

    const second = await save({ ...body, value: [10] }, { 'if-match': etag });
    expect(second.status).toBe(200);
    expect(second.headers.get('etag')).not.toBe(etag);
    const late = await save({ ...body, value: [0] }, { 'if-match': etag });
    expect(late).toMatchObject({ status: 412, json: { code: '1014' } });
    expect(late.json.current).toEqual(second.json);
    // Saving the same value keeps the record, also in other languages and with another catalog.
    await save({ ...body, value: [10] });
    await publish({ ...EXAMPLE, languages: [...EXAMPLE.languages, { name: 'Français', tag: 'fr' }] });
    await server.service.refresh();
    const german = await read(`/${first.json.user_options_uid}?language=de`);
    expect(german.json.etag).toBe(second.json.etag);
    const shown = german.headers.get('etag') as string;
    // RFC 9110 13.1.1: a weak tag never matches.
    for (const weak of [`W/${shown}`, `W/${german.json.etag}`]) {
      const refused = await save({ ...body, value: [0] }, { 'if-match': weak });
      expect(refused).toMatchObject({ status: 412, json: { code: '1014', current: { option: { value: 10 } } } });
    }
    expect((await save({ ...body, value: [5] }, { 'if-match': `W/${shown}, "other", ${shown}` })).status).toBe(200);
    expect((await save({ ...body, value: [0] }, { 'if-match': '*' })).status).toBe(200);
    for (const bad of ['nonsense', '"a" "b"', '']) {
      const refused = await save(body, { 'if-match': bad });
      expect([bad, refused.status, refused.json.code]).toEqual([bad, 400, '1009']);
    }
    const unchanged = await read(`/${first.json.user_options_uid}`);
    expect(
      (
        await read(`/${first.json.user_options_uid}`, {
          ...bearer(user.accessToken),
          ...apiKey,
          'if-none-match': unchanged.headers.get('etag') as string,
        })
      ).status,
    ).toBe(304);
  });

  test('if_match in a PUT prevents the whole save', async () => {
    const { put, choice, read } = await testUser();
    const [volume, fruit] = [await choice('volume', [5]), await choice('fruit', ['apple'])];
    const saved = (await put([volume, fruit])).json.items as Wire[];
    const etag = saved[0]?.etag as string;
    expect((await put([{ ...volume, value: [10], if_match: etag }])).status).toBe(200);
    const late = await put([
      { ...fruit, value: ['cherry'] },
      { ...volume, value: [0], if_match: etag },
    ]);
    expect(late).toMatchObject({
      status: 412,
      json: { code: '1014', errors: [{ field: 'options[1].if_match' }], current: { option: { value: 10 } } },
    });
    expect(((await read()).json.items as { option: Wire }[]).map(({ option }) => option.value)).toEqual([
      ['apple'],
      10,
    ]);
    const current = (late.json.current as Wire).etag as string;
    expect((await put([{ ...volume, value: [0], if_match: `W/${current}` }])).status).toBe(412);
    // In a body, the quotes are optional.
    expect((await put([{ ...volume, value: [0], if_match: current.slice(1, -1) }])).status).toBe(200);
  });

  test('If-None-Match: * saves only if there is no record yet', async () => {
    const { save, choice, read } = await testUser();
    const body = await choice('volume', [5]);
    const none = { 'if-none-match': '*' };
    const answers = await Promise.all([0, 5, 10].map((value) => save({ ...body, value: [value] }, none)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 412, 412]);
    const [created] = answers.filter(({ status }) => status === 201);
    const late = answers.find(({ status }) => status === 412);
    expect(late?.json).toMatchObject({ code: '1014', errors: [{ field: 'If-None-Match' }], current: created?.json });
    const { value: _, ...fruit } = await choice('fruit', []);
    expect((await save({ ...fruit, add: ['cherry'] }, none)).status).toBe(201);
    expect((await save({ ...fruit, add: ['cherry'] }, none)).status).toBe(412);
    for (const bad of [{ 'if-none-match': '"a"' }, { ...none, 'if-match': '*' }]) {
      expect((await save(body, bad)).json).toMatchObject({ code: '1009', errors: [{ field: 'If-None-Match' }] });
    }
    expect((await read()).json.total).toBe(2);
  });

  test('If-Match unsets only the record that was read', async () => {
    const { save, choice, apiKey, user, read } = await testUser();
    const first = (await save(await choice('volume', [5]))).json;
    const unset = (etag: string) =>
      server.send('DELETE', `${PATH}/${first.user_options_uid}`, {
        headers: { ...apiKey, ...bearer(user.accessToken), 'if-match': etag },
      });
    const second = (await save(await choice('volume', [10]))).json;
    expect(await unset(first.etag as string)).toMatchObject({ status: 412, json: { code: '1014', current: second } });
    expect((await unset('nonsense')).json).toMatchObject({ code: '1009' });
    expect((await unset(`W/${second.etag}`)).status).toBe(412);
    expect((await read()).json.total).toBe(1);
    const answers = await Promise.all([second.etag, '*'].map((etag) => unset(etag as string)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404]);
    expect((await unset(second.etag as string)).status).toBe(404);
  });

  test('of many saves with one If-Match, one succeeds', async () => {
    const { save, choice } = await testUser();
    const etag = (await save(await choice('volume', [0]))).json.etag as string;
    const body = await choice('volume', [5]);
    const answers = await Promise.all(Array.from({ length: 8 }, () => save(body, { 'if-match': etag })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(412)]);
  });

  test('add and remove change the current list', async () => {
    const { save, choice, listOf } = await testUser();
    const { value: _, ...fruit } = await choice('fruit', []);
    // Until something is saved, the default counts as the current value.
    expect((await save({ ...fruit, add: ['cherry'] })).status).toBe(201);
    expect(await listOf('fruit')).toEqual(['apple', 'cherry']);
    const swapped = await save({ ...fruit, add: ['Aprikose'], remove: ['Apfel'], language: 'de' });
    expect((swapped.json.option as Wire).value).toEqual(['apricot', 'cherry']);
    expect((await save({ ...fruit, add: ['cherry'], remove: ['apple'] })).status).toBe(200);
    expect((await save({ ...fruit, remove: ['cherry'] })).status).toBe(200);
    expect(await listOf('fruit')).toEqual(['apricot']);
    for (const [change, status, code, field] of [
      [{ add: ['apple', 'cherry'] }, 422, '1008', 'add'],
      [{ remove: ['apricot'] }, 422, '1008', 'remove'],
      [{ add: ['banana'] }, 422, '1008', 'add[0]'],
      [{ remove: [7] }, 422, '1008', 'remove[0]'],
      [{ add: ['apple'], remove: ['apple'] }, 422, '1008', 'remove[0]'],
      [{ add: ['apple'], value: ['apple'] }, 400, '1009', 'add'],
      [{ remove: 'apple' }, 400, '1009', 'remove'],
      [{}, 400, '1009', 'value'],
    ] as const) {
      const refused = await save({ ...fruit, ...change });
      expect({ change, status: refused.status, code: refused.json.code }).toEqual({ change, status, code });
      expect((refused.json.errors as Wire[])[0]?.field).toBe(field);
    }
    const emptied = await save({ ...fruit, remove: ['apricot'] });
    expect(emptied.json.errors).toMatchObject([{ message: 'must leave at least one value' }]);
    const { value: __, ...volume } = await choice('volume', []);
    const single = await save({ ...volume, add: [5] });
    expect(single.json).toMatchObject({ code: '1009', errors: [{ field: 'add' }] });
    expect(await listOf('fruit')).toEqual(['apricot']);
    const { value: ___, ...tags } = await choice('tags', []);
    expect(((await save({ ...tags, add: ['b', 'a', 'b'] })).json.option as Wire).value).toEqual(['b', 'a']);
    expect(((await save({ ...tags, remove: ['b', 'a'] })).json.option as Wire).value).toEqual([]);
    expect(await listOf('tags')).toEqual([]);
  });

  test('concurrent changes of one list are all applied', async () => {
    const { save, put, choice, listOf } = await testUser();
    const { value: _, ...tags } = await choice('tags', []);
    await save({ ...tags, add: ['old', 'kept'] });
    const added = Array.from({ length: 12 }, (_each, index) => `tag ${index}`);
    const answers = await Promise.all([
      ...added.map((tag, index) => (index % 2 ? save({ ...tags, add: [tag] }) : put([{ ...tags, add: [tag] }]))),
      save({ ...tags, remove: ['old'] }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(Array(13).fill(200));
    expect([...((await listOf('tags')) as string[])].sort()).toEqual(['kept', ...added].sort());
  });

  test('many concurrent changes of one list take turns instead of overtaking each other', async () => {
    const { save, choice, listOf } = await testUser();
    const { value: _, ...tags } = await choice('tags', []);
    await save({ ...tags, add: ['old'] });
    const saved = vi.spyOn(server.service.storage.selections, 'save');
    const added = Array.from({ length: 60 }, (_each, index) => `tag ${index}`);
    const answers = await Promise.all(added.map((tag) => save({ ...tags, add: [tag] })));
    const tries = saved.mock.calls.length;
    saved.mockRestore();
    expect(answers.map(({ status }) => status)).toEqual(Array(added.length).fill(200));
    expect(await listOf('tags')).toHaveLength(added.length + 1);
    expect(tries).toBeLessThan(4 * added.length);
  });

  test('an unchanged save adds nothing to the history, and an empty list is a selection', async () => {
    const { save, choice, read, listOf } = await testUser();
    const first = await save(await choice('tags', []));
    expect(first.status).toBe(201);
    expect((await save(await choice('tags', []))).status).toBe(200);
    expect((await read(`/${first.json.user_options_uid}/history`)).json).toMatchObject({ total: 1 });
    expect(await listOf('tags')).toEqual([]);
    const effective = (await read('?effective=true&option_group_name=open')).json.items as Wire[];
    expect(effective.map(({ source }) => source)).toEqual(['default', 'saved']);
  });
});
