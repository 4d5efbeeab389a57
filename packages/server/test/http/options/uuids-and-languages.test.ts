import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../databases.ts';
import { basic, bearer, startTestServer, type TestServer } from '../start.ts';
import { EXAMPLE, type Wire, withCatalog } from './example-catalog.ts';
import { makeTestUser, PATH } from './test-user.ts';

const UPPER = /[A-F]/;

describe.each(databases)('UUIDs and languages as clients write them on $kind', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
  });
  afterAll(() => server.close());

  test('UUIDs are accepted in either case in bodies, paths and queries, and returned in lower case', async () => {
    const { application, user, get, choice } = await makeTestUser(server);
    const upper = (value: unknown) => String(value).toUpperCase();
    const { option_group_uid, option_key_uid } = await choice('vegetarian', [true]);
    const body = {
      user_uid: upper(user.userCode),
      option_group_uid: upper(option_group_uid),
      option_key_uid: upper(option_key_uid),
      value: [true],
    };
    const saved = await server.post(PATH, body, { apiKey: application.clientId });
    expect(saved.status).toBe(201);
    expect(saved.json.user_uid).toBe(user.userCode);
    const withToken = { ...body, access_token: user.accessToken };
    expect((await server.post(PATH, withToken, { apiKey: application.clientId })).status).toBe(200);

    const uid = upper(saved.json.user_options_uid);
    for (const path of [
      `/api/option_groups/${upper(option_group_uid)}`,
      `/api/option_keys/${upper(option_key_uid)}`,
      `/api/option_keys?option_group_uid=${upper(option_group_uid)}`,
    ]) {
      const answer = await get(path);
      expect([path, answer.status, UPPER.test(String(answer.json.option_key_uid ?? ''))]).toEqual([path, 200, false]);
    }
    const mine = await get(`${PATH}?user_uid=${upper(user.userCode)}&option_key_uid=${upper(option_key_uid)}`, {
      ...basic(application),
    });
    expect(mine.json).toMatchObject({ total: 1, items: [{ user_uid: user.userCode }] });
    const one = await get(`${PATH}/${uid}`, bearer(user.accessToken));
    expect(one.json.user_options_uid).toBe(saved.json.user_options_uid);
    expect((await get(`${PATH}/${uid}/history`, bearer(user.accessToken))).status).toBe(200);
    const unset = await server.send('DELETE', `${PATH}/${uid}`, {
      headers: { apiKey: application.clientId, ...bearer(user.accessToken) },
    });
    expect(unset.status).toBe(204);
  });

  test('a longer tag finds the language it begins with, and names are compared in NFC', async () => {
    const { get, save, choice } = await makeTestUser(server);
    const labelIn = async (language: string) =>
      (await get(`/api/option_groups?language=${encodeURIComponent(language)}`)).json;
    for (const [language, label] of [
      ['de-CH', 'Küche'],
      ['DE-ch-1996', 'Küche'],
      ['de-AT-u-co-phonebk', 'Küche'],
      ['en-US', 'Kitchen'],
      ['en-x-private', 'Kitchen'],
      ['Deutsch (Österreich)'.normalize('NFD'), 'Küche'],
    ] as const) {
      expect([language, ((await labelIn(language)).items as Wire[])[0]?.label]).toEqual([language, label]);
    }
    for (const language of ['d', 'dee', 'fr-FR', 'de_AT', '-', 'de--AT', `de-${'x'.repeat(5_000)}`]) {
      expect([language, (await labelIn(language)).code]).toEqual([language, '1003']);
    }
    const saved = await save(await choice('fruit', ['Apfel'], { language: 'de-CH' }));
    expect((saved.json.option as Wire).value).toEqual(['apple']);
  });

  test('names of groups and keys are compared in NFC', async () => {
    const named = (group: string, key: string) => ({
      ...EXAMPLE,
      groups: [{ name: group, keys: [{ name: key, type: 'boolean' as const, default: true }] }],
    });
    const { application, get } = await withCatalog(server, named('Caf\u00e9', 'Bolet\u00edn'));
    const group = 'Cafe\u0301';
    const keys = await get(`/api/option_keys?option_group_name=${encodeURIComponent(group)}`);
    expect(keys.json).toMatchObject({ total: 1, items: [{ name: 'Bolet\u00edn' }] });
    const where = encodeURIComponent(`${group}.Boleti\u0301n=true`);
    const users = `/api/v2/app/${application.clientId}/users?effective=true&where=${where}`;
    expect((await get(users, basic(application))).status).toBe(200);
  });
});
