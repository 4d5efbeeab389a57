import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { CatalogFile } from '../../../src/domain/catalog/file-schema.ts';
import { InnkeeperError } from '../../../src/domain/errors.ts';
import { Refusals } from '../../../src/domain/selections/check-selection.ts';
import { databases } from '../../databases.ts';
import { basic, bearer, makeSignedInUser, startTestServer, type TestServer } from '../start.ts';
import { EXAMPLE, type Wire, withCatalog } from './example-catalog.ts';
import { makeTestUser, PATH, values } from './test-user.ts';

const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

describe.each(databases)('saving user options on $kind', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
  });
  afterAll(() => server.close());
  const testUser = (settings?: Record<string, unknown>) => makeTestUser(server, settings);

  test('saving returns 201 with the record, replacing returns 200 with the same uid', async () => {
    const { application, user, save, choice, keyNamed } = await testUser();
    const first = await save(await choice('vegetarian', [true]));
    expect(first.status).toBe(201);
    expect(first.json).toEqual({
      user_options_uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      app_id: application.clientId,
      user_uid: user.userCode,
      option_group_uid: (await keyNamed('vegetarian')).option_group_uid,
      option_key_uid: (await keyNamed('vegetarian')).option_key_uid,
      group: {
        name: 'kitchen',
        label: 'Kitchen',
        label_language: 'English',
        translations: [
          { option_group_translation_uid: expect.any(String), name: 'Kitchen', language: 'English' },
          { option_group_translation_uid: expect.any(String), name: 'Küche', language: 'Deutsch' },
          { option_group_translation_uid: expect.any(String), name: 'Küche', language: 'Deutsch (Österreich)' },
        ],
      },
      option: {
        name: 'vegetarian',
        label: 'vegetarian',
        label_language: null,
        value: true,
        value_label: 'true',
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
      etag: `"${first.json.user_options_uid}.1"`,
    });
    expect(first.headers.get('etag')).toBe(first.json.etag);
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

  test('several values are stored as an array, in catalog order, without duplicates, translated', async () => {
    const { save, choice } = await testUser();
    const { json } = await save(await choice('fruit', ['cherry', 'apricot', 'cherry']));
    expect((json.option as Wire).value).toEqual(['apricot', 'cherry']);
    expect(((json.option as Wire).translations as Wire[]).map(({ value }) => value)).toEqual([
      ['apricot', 'cherry'],
      ['Aprikose', 'cherry'],
      ['Marille', 'cherry'],
    ]);
  });

  test('with language, values may be sent in it; the stored value is canonical', async () => {
    const { save, choice } = await testUser();
    const german = await save(await choice('fruit', ['Apfel', 'apricot'], { language: 'Deutsch' }));
    expect((german.json.option as Wire).value).toEqual(['apple', 'apricot']);
    const austrian = await save(await choice('fruit', ['Marille'], { language: 'de-at' }));
    expect((austrian.json.option as Wire).value).toEqual(['apricot']);
    expect((await save(await choice('fruit', ['Apfel']))).json.code).toBe('1008');
    expect((await save(await choice('fruit', ['Marille'], { language: 'de' }))).json.code).toBe('1008');
    const unknown = await save(await choice('fruit', ['apple'], { language: 'Klingon' }));
    expect({ status: unknown.status, code: unknown.json.code }).toEqual({ status: 400, code: '1003' });
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
  ])('%s accepts %j and stores %j', async (name, value, kept) => {
    const { save, choice } = await testUser();
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
  ])('%s rejects %j with 1008, names the field, stores nothing', async (name, value) => {
    const { save, choice, read } = await testUser();
    const { status, json } = await save(await choice(name as string, value));
    expect({ status, code: json.code }).toEqual({ status: 422, code: '1008' });
    const [first] = json.errors as Wire[];
    expect(first?.field).toMatch(/^value(\[\d+\])?$/);
    expect((await read()).json.total).toBe(0);
  });

  test('a response is never much larger than its request, however many errors there are', async () => {
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
    const { save, choice } = await testUser();
    const closed = await save(await choice('fruit', ['banana']));
    expect((closed.json.errors as Wire[])[0]?.allowed).toEqual(['apple', 'apricot', 'cherry']);
    const open = await save(await choice('volume', [11]));
    expect((open.json.errors as Wire[])[0]?.allowed).toEqual({ type: 'integer', min: 0, max: 10, step: 5 });
    const messageOf = async (name: string, value: unknown) => (await save(await choice(name, [value]))).json.message;
    for (const text of ['a\u0000b', '\ud800']) {
      expect(await messageOf('motto', text)).toBe('value[0] must not contain U+0000 or a lone surrogate.');
    }
    expect(await messageOf('volume', 2 ** 53)).toBe('value[0] must be from -9007199254740991 to 9007199254740991.');
    const long = await save(await choice('tags', ['x'.repeat(4001)]));
    expect((long.json.errors as Wire[])[0]?.allowed).toEqual({ type: 'string', max_length: 4000 });
  });

  test('duplicates count as one value; more than 2,000 distinct ones is 1008', async () => {
    const { save, choice } = await testUser();
    const same = await save(await choice('tags', Array(9_000).fill('a')));
    expect((same.json.option as Wire).value).toEqual(['a']);
    const many = await save(
      await choice(
        'tags',
        Array.from({ length: 2_001 }, (_, at) => `${at}`),
      ),
    );
    expect(many).toMatchObject({ status: 422, json: { code: '1008', errors: [{ field: 'value' }] } });
    expect((many.json.errors as Wire[])[0]?.message).toBe('must contain at most 2000 values');
  });

  test('an invalid body is 1009', async () => {
    const { application, user, choice } = await testUser();
    const good = { user_uid: user.userCode, ...(await choice('vegetarian', [true])) };
    const bodies: [unknown, string | undefined][] = [
      [[], undefined],
      [{ ...good, user_uid: undefined }, undefined],
      [{ ...good, user_uid: 5 }, 'user_uid'],
      [{ ...good, user_uid: '' }, 'user_uid'],
      [{ ...good, option_group_uid: undefined }, 'option_group_uid'],
      [{ ...good, option_group_uid: 1 }, 'option_group_uid'],
      [{ ...good, option_key_uid: null }, 'option_key_uid'],
      [{ ...good, option_group_uid: '' }, 'option_group_uid'],
      [{ ...good, option_key_uid: ' ' }, 'option_key_uid'],
      [{ ...good, value: undefined }, 'value'],
      [{ ...good, value: true }, 'value'],
      [{ ...good, value: { 0: true } }, 'value'],
      [{ ...good, language: 7 }, 'language'],
    ];
    for (const [body, field] of bodies) {
      const { status, json } = await server.post(PATH, body, { apiKey: application.clientId });
      expect({ body, status, code: json.code }).toEqual({ body, status: 400, code: '1009' });
      if (field) expect((json.errors as Wire[])[0]?.field).toBe(field);
    }
    const unknown = { ...good, langauge: 'de', constructor: 1 };
    expect((await server.post(PATH, unknown, { apiKey: application.clientId })).status).toBe(201);
    const broken = await server.send('POST', PATH, { body: '{"user_uid":', headers: { apiKey: application.clientId } });
    expect(broken.json.code).toBe('1009');
  });

  test('unknown group 1004, unknown key 1005, unknown user 1006; those of other applications look the same', async () => {
    const { choice, save } = await testUser();
    const other = await testUser();
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
    await expectCode({ ...mine, user_uid: 'nonsense' }, 404, '1006');
    await expectCode({ ...mine, option_group_name: 'open' }, 400, '1010');
  });

  test('an invalid or unknown user hides no other invalid field', async () => {
    const { apiKey, user, choice } = await testUser();
    const volume = await choice('volume', [10]);
    const fieldsOf = async (method: 'POST' | 'PUT', body: Wire) => {
      const { json } = await server.send(method, PATH, { headers: apiKey, body: JSON.stringify(body) });
      return [json.code, ...((json.errors as Wire[]) ?? []).map(({ field }) => field)];
    };
    const untyped = { ...volume, value: 10, language: 7 };
    for (const [claims, code, ...fields] of [
      [{ user_uid: 5, access_token: [] }, '1009', 'user_uid', 'access_token'],
      [{}, '1009', 'user_uid'],
      [{ user_uid: 'nonsense' }, '1006', 'user_uid'],
      [{ user_uid: crypto.randomUUID() }, '1006', 'user_uid'],
    ] as const) {
      expect(await fieldsOf('POST', { ...claims, ...untyped })).toEqual([code, ...fields, 'language', 'value']);
      const many = { ...claims, language: 'Klingon', options: [{ ...untyped, language: undefined }] };
      expect(await fieldsOf('PUT', many)).toEqual([code, ...fields, 'language', 'options[0].value']);
    }
    expect(await fieldsOf('PUT', { user_uid: 5, language: 7, options: 3 })).toEqual([
      ...['1009', 'user_uid', 'options', 'language'],
    ]);
    // Callers who may not save learn nothing more.
    expect(await fieldsOf('POST', { access_token: 'nonsense', user_uid: user.userCode, ...untyped })).toEqual(['1007']);
  });

  test('the user by access_token or Bearer; all given identities must agree (1007)', async () => {
    const { application, apiKey, user, choice } = await testUser();
    const neighbour = await makeSignedInUser(server, application);
    const stranger = await testUser();
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
    const { application, save, choice, user } = await testUser({ saveByUserUid });
    const first = await save(await choice('vegetarian', [true]));
    expect(first.status).toBe(alone);
    if (alone === 401) expect(first.json.code).toBe('1011');
    const named = await save(await choice('portions', [1]), basic(application));
    expect(named.status).toBe(withSecret);
    // The credentials are valid, but user_uid is not accepted.
    if (withSecret === 401)
      expect(named.json).toMatchObject({ code: '1011', message: expect.stringContaining('does not accept user_uid') });
    const wrong = await save(await choice('ratio', [1]), basic({ ...application, clientSecret: 'wrong' }));
    expect({ status: wrong.status, code: wrong.json.code }).toEqual({ status: 401, code: '1011' });
    expect((await save(await choice('volume', [5]), bearer(user.accessToken))).status).toBe(201);
  });

  test('PUT saves many at once, all or none', async () => {
    const { user, apiKey, choice, read } = await testUser();
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
    const everything = await put([
      { ...volume, value: [99] },
      5,
      { ...fruit, value: 'apple', option_group_uid: undefined },
      { ...fruit, language: 'Klingon' },
      { ...(await choice('motto', ['1'])), if_match: 7 },
      { ...(await choice('portions', [2])), add: [1] },
      { ...(await choice('ratio', [7])), option_key_uid: crypto.randomUUID() },
      await choice('vegetarian', [true]),
    ]);
    expect(everything.json.code).toBe('1008');
    expect((everything.json.errors as Wire[]).map(({ field }) => field)).toEqual([
      'options[0].value[0]',
      'options[1]',
      'options[2].option_group_uid',
      'options[2].value',
      'options[3].language',
      'options[3].option_key_uid',
      'options[4].if_match',
      'options[4].value[0]',
      'options[5].add',
      'options[6].option_key_uid',
    ]);
    expect((await read()).json.total).toBe(0);

    const { value: _, ...bare } = volume;
    const unknown = crypto.randomUUID();
    const nowhere = { option_group_uid: unknown, option_key_uid: unknown };
    const faults: [object, string, ...string[]][] = [
      [{}, '1009', 'option_group_uid', 'option_key_uid', 'value'],
      [{ ...volume, option_group_uid: '', value: [11] }, '1009', 'option_group_uid', 'value[0]'],
      [{ ...volume, if_match: '"a" b', language: 7, value: [11] }, '1009', 'if_match', 'language', 'value[0]'],
      [{ ...volume, if_match: '"a"', value: [11] }, '1014', 'if_match', 'value[0]'],
      [{ ...volume, language: 'Klingon', value: [11] }, '1003', 'language', 'value[0]'],
      // The value could be a text in that language, so it is not reported.
      [{ ...fruit, language: 'Klingon', value: ['naH'] }, '1003', 'language'],
      [{ ...volume, option_group_uid: unknown, value: [11] }, '1004', 'option_group_uid', 'value[0]'],
      [{ ...volume, option_group_uid: unknown, value: 11 }, '1009', 'value', 'option_group_uid'],
      [{ ...nowhere, language: 'Klingon' }, '1009', 'value', 'option_group_uid', 'option_key_uid', 'language'],
      [{ ...volume, option_group_name: 'kitchen', value: [11] }, '1010', 'option_group_name', 'value[0]'],
      [{ ...bare, add: [5], language: 'Klingon', if_match: '*' }, '1009', 'add', 'language', 'if_match'],
      [{ ...volume, option_key_uid: fruit.option_key_uid, if_match: '"' }, '1009', 'if_match', 'option_key_uid'],
    ];
    for (const [option, code, ...fields] of faults) {
      const { json } = await put([option]);
      expect([option, json.code, (json.errors as Wire[]).map(({ field }) => field)]).toEqual([
        option,
        code,
        fields.map((field) => `options[0].${field}`),
      ]);
    }
    expect((await read()).json.total).toBe(0);
    // A language that applies to all options is reported once.
    const klingon = await server.send('PUT', PATH, {
      headers: { ...apiKey, ...bearer(user.accessToken) },
      body: JSON.stringify({ language: 'Klingon', options: [volume, { ...fruit, language: 'de', value: ['banana'] }] }),
    });
    expect([klingon.json.code, (klingon.json.errors as Wire[]).map(({ field }) => field)]).toEqual([
      '1003',
      ['language', 'options[1].value[0]'],
    ]);

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
    const ungrouped = await put([{ ...volume, option_group_uid: crypto.randomUUID() }]);
    expect(ungrouped.json).toMatchObject({ code: '1004', errors: [{ field: 'options[0].option_group_uid' }] });
    const german = await server.send('PUT', PATH, {
      headers: { ...apiKey, ...bearer(user.accessToken) },
      body: JSON.stringify({ language: 'de', options: [{ ...fruit, value: ['Apfel'] }] }),
    });
    expect(values(german.json)).toEqual([['fruit', ['apple']]]);
    for (const options of [undefined, {}, [1], [[]], [volume, volume], [{ ...volume, value: 1 }]]) {
      expect((await put(options)).json.code).toBe('1009');
    }
    const problemOf = async (options: unknown[]) => {
      const { status, json } = await put(options);
      return [status, json.code, json.message];
    };
    // Rejected by their number, before they are parsed.
    const parsed = vi.spyOn(JSON, 'parse');
    const counted = await problemOf(Array(20_000).fill({}));
    const texts = parsed.mock.calls.map(([text]) => text.length);
    parsed.mockRestore();
    expect(counted).toEqual([400, '1009', expect.stringContaining('it contains more than 5000 objects and lists')]);
    expect(Math.max(...texts)).toBeLessThan(20_000);
    expect(await problemOf(Array(501).fill({}))).toEqual([400, '1009', 'options must contain at most 500.']);
    const all = (await put(Array(500).fill({}))).json.errors as Wire[];
    expect([all.length, all[0]?.field]).toEqual([200, 'options[0].option_group_uid']);
  });
});

test('of invalid options, no more are checked than a response lists', () => {
  const refusals = new Refusals();
  const tried: number[] = [];
  const refuse = (place: number) =>
    refusals.attempt(place, () => {
      tried.push(place);
      throw new InnkeeperError('valueNotAllowed', { fields: [{ field: `options[${place}]`, message: 'is invalid' }] });
    });
  for (let place = 1; place <= 500; place++) refuse(place);
  expect(tried).toHaveLength(200);
  // Earlier options are still checked, and are reported first.
  refuse(0);
  expect(tried.at(-1)).toBe(0);
  expect(() => refusals.throwIfAny()).toThrow(
    expect.objectContaining({
      fields: Array.from({ length: 200 }, (_, at) => expect.objectContaining({ field: `options[${at}]` })),
    }),
  );
});

/** The last character of 64 bytes in base64url has four unused bits. */
function withUnusedBits(token: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return token.slice(0, -1) + alphabet[alphabet.indexOf(token.at(-1) as string) ^ 1];
}
