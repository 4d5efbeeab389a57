import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CatalogFile } from '../../../src/domain/catalog/file-schema.ts';
import { databases } from '../../databases.ts';
import { basic, bearer, makeSignedInUser, startTestServer, type TestServer } from '../start.ts';
import { EXAMPLE, type Wire, withCatalog } from './example-catalog.ts';

const PATH = '/api/user_options';
const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

describe.each(databases)('user options on $kind', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
  });
  afterAll(() => server.close());

  async function guest(settings?: Record<string, unknown>) {
    const shop = await withCatalog(server, EXAMPLE, settings);
    const user = await makeSignedInUser(server, shop.application);
    const save = (body: Wire, headers: Record<string, string> = {}) =>
      server.post(PATH, { user_uid: user.userCode, ...body }, { ...shop.apiKey, ...headers });
    const read = (query = '', headers = bearer(user.accessToken)) => shop.get(`${PATH}${query}`, headers);
    return { ...shop, user, save, read };
  }
  const values = (json: Wire) => (json.items as { option: Wire }[]).map(({ option }) => [option.name, option.value]);

  test('saving answers 201 with the record of SPEC.md 2.4, replacing 200 with the same uid', async () => {
    const { application, user, save, choice } = await guest();
    const first = await save(await choice('vegetarian', [true]));
    expect(first.status).toBe(201);
    expect(first.json).toEqual({
      user_options_uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      app_id: application.clientId,
      user_uid: user.userCode,
      group: {
        name: 'kitchen',
        translations: [
          { option_group_translation_uid: expect.any(String), name: 'Kitchen', language: 'English' },
          { option_group_translation_uid: expect.any(String), name: 'Küche', language: 'Deutsch' },
          { option_group_translation_uid: expect.any(String), name: 'Küche', language: 'Deutsch (Österreich)' },
        ],
      },
      option: {
        name: 'vegetarian',
        value: true,
        translations: [
          { option_key_translation_uid: expect.any(String), language: 'English', name: 'vegetarian', value: true },
          { option_key_translation_uid: expect.any(String), language: 'Deutsch', name: 'Vegetarisch', value: true },
          {
            option_key_translation_uid: expect.any(String),
            language: 'Deutsch (Österreich)',
            name: 'Vegetarisch',
            value: true,
          },
        ],
      },
      created_at: expect.stringMatching(TIME),
      updated_at: expect.stringMatching(TIME),
    });
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const second = await save(await choice('vegetarian', [false]));
    expect(second.status).toBe(200);
    expect(second.json).toMatchObject({
      user_options_uid: first.json.user_options_uid,
      created_at: first.json.created_at,
      option: { value: false },
    });
    expect(String(second.json.updated_at) > String(first.json.updated_at)).toBe(true);
  });

  test('several values are kept as an array, in catalog order, without repeats, translated', async () => {
    const { save, choice } = await guest();
    const { json } = await save(await choice('fruit', ['cherry', 'apricot', 'cherry']));
    expect((json.option as Wire).value).toEqual(['apricot', 'cherry']);
    expect(((json.option as Wire).translations as Wire[]).map(({ value }) => value)).toEqual([
      ['apricot', 'cherry'],
      ['Aprikose', 'cherry'],
      ['Marille', 'cherry'],
    ]);
  });

  test('with language, values may be sent in it; what is kept is canonical', async () => {
    const { save, choice } = await guest();
    const german = await save(await choice('fruit', ['Apfel', 'apricot'], { language: 'Deutsch' }));
    expect((german.json.option as Wire).value).toEqual(['apple', 'apricot']);
    const austrian = await save(await choice('fruit', ['Marille'], { language: 'de-at' }));
    expect((austrian.json.option as Wire).value).toEqual(['apricot']);
    expect((await save(await choice('fruit', ['Apfel']))).json.code).toBe('1008');
    expect((await save(await choice('fruit', ['Marille'], { language: 'de' }))).json.code).toBe('1008');
    const unknown = await save(await choice('fruit', ['apple'], { language: 'Klingon' }));
    expect({ status: unknown.status, code: unknown.json.code }).toEqual({ status: 400, code: '1003' });
  });

  test('an open text is stored for its language alone', async () => {
    const { save, choice } = await guest();
    const plain = await save(await choice('motto', ['Carpe diem']));
    expect((plain.json.option as Wire).translations).toMatchObject([{ language: 'English', value: 'Carpe diem' }]);
    const german = await save(await choice('motto', ['Nütze den Tag'], { language: 'Deutsch' }));
    expect(german.json.option).toMatchObject({
      value: 'Nütze den Tag',
      translations: [{ language: 'Deutsch', name: 'motto', value: 'Nütze den Tag' }],
    });
  });

  test.each([
    ['vegetarian', [true], true],
    ['portions', [4.0], 4],
    ['ratio', [1.5], 1.5],
    ['volume', [-0], 0],
    ['volume', [10], 10],
    ['birthday', ['2000-02-29'], '2000-02-29'],
    ['tags', ['b', 'a', 'b'], ['b', 'a']],
    ['tags', [], []],
  ])('%s takes %j and keeps %j', async (name, value, kept) => {
    const { save, choice } = await guest();
    const { status, json } = await save(await choice(name, value));
    expect({ status, value: (json.option as Wire).value }).toEqual({ status: 201, value: kept });
  });

  test.each([
    ['vegetarian', ['true']],
    ['vegetarian', [1]],
    ['vegetarian', [null]],
    ['vegetarian', []],
    ['vegetarian', [true, false]],
    ['vegetarian', [true, true]],
    ['fruit', []],
    ['fruit', ['apple', 'apricot', 'cherry']],
    ['fruit', ['banana']],
    ['fruit', ['Apple ']],
    ['fruit', [['apple']]],
    ['fruit', [{ value: 'apple' }]],
    ['portions', [3]],
    ['portions', ['2']],
    ['ratio', [1.50001]],
    ['volume', [11]],
    ['volume', [-5]],
    ['volume', [3]],
    ['volume', [2.5]],
    ['volume', [1e300]],
    ['motto', ['x'.repeat(21)]],
    ['motto', ['digits 1']],
    ['motto', ['']],
    ['motto', ['a\u0000b']],
    ['motto', ['\ud800']],
    ['birthday', ['2001-02-29']],
    ['birthday', ['1899-12-31']],
    ['birthday', ['01.02.2000']],
    ['tags', Array.from({ length: 5000 }, (_, index) => index)],
  ])('%s refuses %j with 1008, names the field, stores nothing', async (name, value) => {
    const { save, choice, read } = await guest();
    const { status, json } = await save(await choice(name as string, value));
    expect({ status, code: json.code }).toEqual({ status: 422, code: '1008' });
    const [first] = json.errors as Wire[];
    expect(first?.field).toMatch(/^value(\[\d+\])?$/);
    expect((await read()).json.total).toBe(0);
  });

  test('an answer is never much larger than its request, however much is wrong', async () => {
    const crowd: CatalogFile = {
      languages: EXAMPLE.languages,
      groups: [
        {
          name: 'crowd',
          keys: [{ name: 'many', type: 'integer', multiple: true, values: Array.from({ length: 2000 }, (_, n) => n) }],
        },
      ],
    };
    const shop = await withCatalog(server, crowd);
    const { userCode } = await makeSignedInUser(server, shop.application);
    const body = {
      user_uid: userCode,
      ...(await shop.choice(
        'many',
        Array.from({ length: 2000 }, (_, n) => `x${n}`),
      )),
    };
    const { status, json, text } = await server.post(PATH, body, shop.apiKey);
    expect({ status, code: json.code }).toEqual({ status: 422, code: '1008' });
    expect(text.length).toBeLessThan(16_000);
  });

  test('errors say what is allowed', async () => {
    const { save, choice } = await guest();
    const closed = await save(await choice('fruit', ['banana']));
    expect((closed.json.errors as Wire[])[0]?.allowed).toEqual(['apple', 'apricot', 'cherry']);
    const open = await save(await choice('volume', [11]));
    expect((open.json.errors as Wire[])[0]?.allowed).toEqual({ type: 'integer', min: 0, max: 10, step: 5 });
    const long = await save(await choice('tags', ['x'.repeat(4001)]));
    expect((long.json.errors as Wire[])[0]?.allowed).toEqual({ type: 'string', max_length: 4000 });
  });

  test('repeats count as one value; beyond 2,000 different ones is 1008', async () => {
    const { save, choice } = await guest();
    const same = await save(await choice('tags', Array(9_000).fill('a')));
    expect((same.json.option as Wire).value).toEqual(['a']);
    const many = await save(
      await choice(
        'tags',
        Array.from({ length: 2_001 }, (_, at) => `${at}`),
      ),
    );
    expect(many).toMatchObject({ status: 422, json: { code: '1008', errors: [{ field: 'value' }] } });
    expect((many.json.errors as Wire[])[0]?.message).toBe('must hold at most 2000 values');
  });

  test('a body that is not as it should be is 1009', async () => {
    const { application, user, choice } = await guest();
    const good = { user_uid: user.userCode, ...(await choice('vegetarian', [true])) };
    const bodies: [unknown, string | undefined][] = [
      [[], undefined],
      [{ ...good, user_uid: undefined }, undefined],
      [{ ...good, user_uid: 5 }, 'user_uid'],
      [{ ...good, option_group_uid: undefined }, 'option_group_uid'],
      [{ ...good, option_group_uid: 1 }, 'option_group_uid'],
      [{ ...good, option_key_uid: null }, 'option_key_uid'],
      [{ ...good, value: undefined }, 'value'],
      [{ ...good, value: true }, 'value'],
      [{ ...good, value: { 0: true } }, 'value'],
      [{ ...good, language: 7 }, 'language'],
      [{ ...good, langauge: 'de' }, 'langauge'],
      [{ ...good, constructor: 1 }, 'constructor'],
    ];
    for (const [body, field] of bodies) {
      const { status, json } = await server.post(PATH, body, { apiKey: application.clientId });
      expect({ body, status, code: json.code }).toEqual({ body, status: 400, code: '1009' });
      if (field) expect((json.errors as Wire[])[0]?.field).toBe(field);
    }
    const broken = await server.send('POST', PATH, { body: '{"user_uid":', headers: { apiKey: application.clientId } });
    expect(broken.json.code).toBe('1009');
  });

  test('unknown group 1004, unknown key 1005, unknown user 1006; foreign ones look the same', async () => {
    const { user, choice, save } = await guest();
    const other = await guest();
    const mine = await choice('vegetarian', [true]);
    const theirs = await other.choice('vegetarian', [true]);
    const volume = await choice('volume', [5]);
    const expectCode = async (body: Wire, status: number, code: string) => {
      const answer = await save(body);
      expect({ status: answer.status, code: answer.json.code }).toEqual({ status, code });
    };
    await expectCode({ ...mine, option_group_uid: crypto.randomUUID() }, 404, '1004');
    await expectCode({ ...mine, option_group_uid: theirs.option_group_uid }, 404, '1004');
    await expectCode({ ...mine, option_key_uid: crypto.randomUUID() }, 404, '1005');
    await expectCode({ ...mine, option_key_uid: theirs.option_key_uid }, 404, '1005');
    await expectCode({ ...mine, option_key_uid: volume.option_key_uid }, 404, '1005');
    await expectCode({ ...mine, user_uid: crypto.randomUUID() }, 404, '1006');
    await expectCode({ ...mine, user_uid: crypto.randomUUID(), value: ['not allowed'] }, 404, '1006');
    await expectCode({ ...mine, user_uid: other.user.userCode }, 404, '1006');
    await expectCode({ ...mine, user_uid: user.userCode.toUpperCase() }, 404, '1006');
    await expectCode({ ...mine, user_uid: 'nonsense' }, 404, '1006');
    await expectCode({ ...mine, option_group_name: 'open' }, 400, '1010');
  });

  test('the user by access_token or Bearer; all that is said must agree (1007)', async () => {
    const { application, apiKey, user, choice } = await guest();
    const neighbour = await makeSignedInUser(server, application);
    const stranger = await guest();
    const body = await choice('vegetarian', [true]);
    const post = (claims: Wire, headers: Record<string, string> = {}) =>
      server.post(PATH, { ...body, ...claims }, { ...apiKey, ...headers });

    expect((await post({ access_token: user.accessToken })).json.user_uid).toBe(user.userCode);
    expect((await post({}, bearer(user.accessToken))).json.user_uid).toBe(user.userCode);
    expect((await post({ access_token: user.accessToken, user_uid: user.userCode })).status).toBe(200);
    for (const [claims, headers] of [
      [{ access_token: 'nonsense' }, {}],
      [{ access_token: `${user.accessToken}x` }, {}],
      [{ access_token: `${user.accessToken} ` }, {}],
      [{ access_token: `${user.accessToken}==` }, {}],
      [{}, bearer(withUnusedBits(user.accessToken))],
      [{ access_token: stranger.user.accessToken }, {}],
      [{ access_token: user.accessToken, user_uid: neighbour.userCode }, {}],
      [{ access_token: user.accessToken }, bearer(neighbour.accessToken)],
      [{ user_uid: user.userCode }, bearer(neighbour.accessToken)],
      [{ user_uid: user.userCode }, bearer('nonsense')],
    ] as [Wire, Record<string, string>][]) {
      const { status, json } = await post(claims, headers);
      expect({ status, code: json.code }).toEqual({ status: 401, code: '1007' });
    }
  });

  test.each([
    ['open', 201, 201],
    ['secret', 401, 201],
    ['off', 401, 401],
  ])('saveByUserUid=%s', async (saveByUserUid, alone, withSecret) => {
    const { application, save, choice, user } = await guest({ saveByUserUid });
    const first = await save(await choice('vegetarian', [true]));
    expect(first.status).toBe(alone);
    if (alone === 401) expect(first.json.code).toBe('1011');
    expect((await save(await choice('portions', [1]), basic(application))).status).toBe(withSecret);
    const wrong = await save(await choice('ratio', [1]), basic({ ...application, clientSecret: 'wrong' }));
    expect({ status: wrong.status, code: wrong.json.code }).toEqual({ status: 401, code: '1011' });
    expect((await save(await choice('volume', [5]), bearer(user.accessToken))).status).toBe(201);
  });

  test('an archived key is 1012; what was saved of it stays', async () => {
    const { save, choice, publish, read, get } = await guest();
    const body = await choice('fruit', ['apple']);
    const motto = await choice('motto', ['Hi']);
    await save(body);
    const [kitchen] = EXAMPLE.groups as [(typeof EXAMPLE.groups)[0]];
    await publish({ ...EXAMPLE, groups: [{ ...kitchen, keys: kitchen.keys?.slice(0, 1) ?? [] }] });
    for (const each of [body, motto]) {
      await expect.poll(async () => (await save(each)).json.code, { timeout: 1_000, interval: 20 }).toBe('1012');
      expect((await save(each)).status).toBe(409);
    }
    expect(values((await read()).json)).toEqual([['fruit', ['apple']]]);
    await publish({ ...EXAMPLE, groups: [{ name: 'other' }] });
    await expect
      .poll(async () => (await get('/api/option_groups')).json.total, { timeout: 1_000, interval: 20 })
      .toBe(1);
    expect(values((await read('?option_group_name=kitchen')).json)).toEqual([['fruit', ['apple']]]);
  });

  test('a retired value is kept by who has it and refused to others', async () => {
    const shop = await guest();
    const keeper = await shop.save(await shop.choice('fruit', ['cherry']));
    expect(keeper.status).toBe(201);
    const other = await makeSignedInUser(server, shop.application);
    const retired = structuredClone(EXAMPLE);
    const fruit = retired.groups[0]?.keys?.[1];
    if (fruit?.values) fruit.values[2] = { value: 'cherry', retired: true, replacement: 'apple' };
    await shop.publish(retired, false);
    const asOther = async () => shop.save({ ...(await shop.choice('fruit', ['cherry'])), user_uid: other.userCode });
    await expect
      .poll(async () => (await shop.keyNamed('fruit')).allowed_values, { timeout: 1_000, interval: 20 })
      .toMatchObject([{}, {}, { value: 'cherry', retired: true, replacement: 'apple' }]);
    expect((await asOther()).json.code).toBe('1008');
    const [error] = (await asOther()).json.errors as Wire[];
    expect(error).toMatchObject({ message: expect.stringContaining('"apple"'), allowed: ['apple', 'apricot'] });
    expect((await shop.save(await shop.choice('fruit', ['cherry', 'apple']))).status).toBe(200);
    await shop.save(await shop.choice('fruit', ['apple']));
    expect((await shop.save(await shop.choice('fruit', ['cherry']))).json.code).toBe('1008');
  });

  test('reading needs the token or the credentials (1011)', async () => {
    const { application, apiKey, user, save, choice } = await guest();
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
    const { save, choice, read, keyNamed } = await guest();
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
      [`?option_group_uid=${option_group_uid}&option_group_name=open`, '1010'],
    ]) {
      expect((await read(query)).json.code).toBe(code);
    }
    const etag = (await read()).headers.get('etag') as string;
    const { headers } = await read();
    expect(headers.get('cache-control')).toContain('private');
    expect((await read('', { 'if-none-match': etag })).status).toBe(401);
  });

  test('one record by uid, unset with 204, its history kept', async () => {
    const { user, save, choice, read, apiKey } = await guest();
    const { json } = await save(await choice('volume', [5]));
    await save(await choice('volume', [10]), bearer(user.accessToken));
    const uid = `/${json.user_options_uid}`;
    expect((await read(uid)).json).toMatchObject({ user_options_uid: json.user_options_uid, option: { value: 10 } });
    const neighbour = await guest();
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

  test('PUT saves many at once, all or none', async () => {
    const { user, apiKey, choice, read } = await guest();
    const put = (options: unknown) =>
      server.send('PUT', PATH, {
        headers: { ...apiKey, ...bearer(user.accessToken) },
        body: JSON.stringify({ options }),
      });
    const volume = await choice('volume', [10]);
    const fruit = await choice('fruit', ['apple']);
    const bad = await put([volume, { ...fruit, value: ['banana'] }]);
    expect({ status: bad.status, code: bad.json.code }).toEqual({ status: 422, code: '1008' });
    expect((bad.json.errors as Wire[])[0]?.field).toBe('options[1].value[0]');
    expect((await read()).json.total).toBe(0);

    const good = await put([volume, fruit]);
    expect(good.status).toBe(200);
    expect(values(good.json)).toEqual([
      ['volume', 10],
      ['fruit', ['apple']],
    ]);
    expect((await read()).json.total).toBe(2);
    expect((await put([])).json).toEqual({ items: [], total: 0 });
    const lost = await put([volume, { ...fruit, option_key_uid: crypto.randomUUID() }]);
    expect(lost.json).toMatchObject({ code: '1005', errors: [{ field: 'options[1].option_key_uid' }] });
    const foreign = await put([volume, { ...fruit, language: 'Klingon' }]);
    expect(foreign.json).toMatchObject({ code: '1003', errors: [{ field: 'options[1].language' }] });
    const nowhere = await put([{ ...volume, option_group_uid: crypto.randomUUID() }]);
    expect(nowhere.json).toMatchObject({ code: '1004', errors: [{ field: 'options[0].option_group_uid' }] });
    const german = await server.send('PUT', PATH, {
      headers: { ...apiKey, ...bearer(user.accessToken) },
      body: JSON.stringify({ language: 'de', options: [{ ...fruit, value: ['Apfel'] }] }),
    });
    expect(values(german.json)).toEqual([['fruit', ['apple']]]);
    for (const options of [
      undefined,
      {},
      [1],
      [[]],
      [volume, volume],
      [{ ...volume, value: 1 }],
      [{ ...volume, values: [1] }],
    ]) {
      expect((await put(options)).json.code).toBe('1009');
    }
  });

  test('a record is byte for byte what it was, ten revisions later', async () => {
    const { save, choice, publish, read, keyNamed } = await guest();
    await save(await choice('fruit', ['apricot', 'apple']));
    await save(await choice('motto', ['Hi'], { language: 'Deutsch' }));
    const before = (await read()).text;
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
      .poll(async () => (await keyNamed('fruit')).allowed_values, { timeout: 1_500 })
      .toMatchObject([{ label: 'Cherry 9' }, {}, {}]);
    expect((await read()).text).toBe(before);
  });

  test('nothing of a deleted user is left, and saving for them is 1006', async () => {
    const { application, user, save, choice } = await guest();
    const body = await choice('volume', [5]);
    await save(body);
    await server.send('DELETE', `/api/v2/app/${application.clientId}/users/${user.userCode}`, {
      headers: basic(application),
    });
    expect((await save(body)).json.code).toBe('1006');
    expect(await server.service.storage.selections.list(user.userCode)).toEqual([]);
  });
});

/** The last character of 64 bytes in base64url has four bits that mean nothing. */
function withUnusedBits(token: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return token.slice(0, -1) + alphabet[alphabet.indexOf(token.at(-1) as string) ^ 1];
}
