import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CatalogFile } from '../../../src/domain/catalog/file-schema.ts';
import { exportUsers } from '../../../src/domain/users/export-users.ts';
import { createLineReader } from '../../../src/domain/users/import-line.ts';
import { databases } from '../../databases.ts';
import { bearer, makeSignedInUser, startTestServer, type TestServer } from '../start.ts';
import { EXAMPLE, type Wire, withCatalog } from './example-catalog.ts';
import { PATH } from './test-user.ts';

type Item = Wire & { group: Wire; option: Wire & { translations: Wire[] } };
const LANGUAGES = EXAMPLE.languages;

describe.each(databases)('the content of records on $kind', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
  });
  afterAll(() => server.close());

  const userOf = async (file: CatalogFile) => {
    const shop = await withCatalog(server, file);
    const user = await makeSignedInUser(server, shop.application);
    const headers = { ...shop.apiKey, ...bearer(user.accessToken) };
    return {
      ...shop,
      user,
      save: async (name: string, value: unknown, more: Wire = {}) =>
        server.post(PATH, { ...(await shop.choice(name, value)), ...more }, headers),
      read: async (query = '', more: Record<string, string> = {}) =>
        (await server.send('GET', `${PATH}${query}`, { headers: { ...headers, ...more } })).json,
      items: async (query = '', more: Record<string, string> = {}) =>
        (await server.send('GET', `${PATH}${query}`, { headers: { ...headers, ...more } })).json.items as Item[],
      change: async (next: CatalogFile) => {
        await shop.publish(next);
        await server.service.refresh();
      },
    };
  };
  const ads = (keys: object[]): CatalogFile =>
    ({ languages: LANGUAGES, groups: [{ name: 'ads', keys }] }) as unknown as CatalogFile;

  test('a record names its key, regardless of later renames', async () => {
    const shop = await userOf(ads([{ name: 'consent', type: 'boolean' }]));
    const { option_key_uid, option_group_uid } = await shop.keyNamed('consent');
    const saved = await shop.save('consent', [true]);
    expect(saved.json).toMatchObject({ option_key_uid, option_group_uid });
    await shop.change(ads([{ name: 'consent_2025', was: 'consent', type: 'boolean' }]));
    await shop.change(
      ads([
        { name: 'consent_2025', type: 'boolean' },
        { name: 'consent', type: 'boolean', default: false },
      ]),
    );
    const consent = await shop.keyNamed('consent');
    const items = await shop.items('?effective=true');
    expect(items.map((item) => [item.option_key_uid, item.option.name, item.option.value, item.source])).toEqual([
      [option_key_uid, 'consent_2025', true, 'saved'],
      [consent.option_key_uid, 'consent', false, 'default'],
    ]);
    expect(items.map((item) => item.option.label)).toEqual(['consent_2025', 'consent']);
    // The record itself is unchanged.
    expect((await shop.items()).map(({ option }) => option.name)).toEqual(['consent']);
  });

  test('effective values use current names, so that they can be saved again', async () => {
    const moved = (name: string, key: object) => ({ name, keys: [key] });
    const file = (...groups: object[]) => ({ languages: LANGUAGES, groups }) as unknown as CatalogFile;
    const shop = await userOf(
      file(moved('ads', { name: 'consent', type: 'boolean', translations: { Deutsch: 'Ja' } })),
    );
    await shop.save('consent', [true]);
    const key = { name: 'allowed', was: 'ads/consent', type: 'boolean', translations: { Deutsch: 'Erlaubt' } };
    await shop.change(file({ name: 'ads' }, moved('privacy', key)));
    const today = await shop.keyNamed('allowed');
    const [item] = await shop.items('?effective=true&option_group_name=privacy');
    expect(item).toMatchObject({
      source: 'saved',
      option_group_uid: today.option_group_uid,
      option_key_uid: today.option_key_uid,
      group: { name: 'privacy' },
      option: { name: 'allowed', value: true },
    });
    expect(item?.option.translations.map(({ name }) => name)).toEqual(['allowed', 'Erlaubt', 'Erlaubt']);
    const { option_group_uid, option_key_uid } = item as Item;
    expect((await shop.save('allowed', [false], { option_group_uid, option_key_uid })).status).toBe(200);
  });

  test('labels are current, in the requested language, also in one added later', async () => {
    const shop = await userOf(EXAMPLE);
    await shop.save('fruit', ['apricot', 'cherry']);
    await shop.save('motto', ['Hi']);
    const next = structuredClone(EXAMPLE);
    next.languages.push({ name: 'Français', tag: 'fr' });
    const [kitchen] = next.groups as [(typeof next.groups)[0]];
    kitchen.translations = { English: 'The kitchen', Français: 'Cuisine' };
    const fruit = kitchen.keys?.[1] as { translations: object; values: unknown[] };
    fruit.translations = { English: 'Fruits', Français: 'Fruit' };
    fruit.values = ['apple', { value: 'apricot', translations: { Français: 'Abricot' } }];
    await shop.change(next);

    const [french, motto] = await shop.items('?language=fr-CA');
    expect(french).toMatchObject({
      group: { name: 'kitchen', label: 'Cuisine', label_language: 'Français', translations: [] },
      option: {
        name: 'fruit',
        label: 'Fruit',
        label_language: 'Français',
        value: ['apricot', 'cherry'],
        value_label: ['Abricot', 'cherry'],
        translations: [],
      },
    });
    expect(motto?.option).toMatchObject({ label: 'motto', label_language: null, value: 'Hi', value_label: 'Hi' });
    const [english] = await shop.items();
    expect(english?.group).toMatchObject({ label: 'The kitchen', label_language: 'English' });
    const [accepted] = await shop.items('', { 'accept-language': 'fr;q=0.8, xx' });
    expect(accepted?.group.label).toBe('Cuisine');
    expect(accepted?.group.translations).toHaveLength(3);
    // The text of a removed value is that of the revision in which it was saved.
    const [german] = await shop.items('?language=de');
    expect(german?.option.translations).toMatchObject([{ name: 'Obst', value: ['Aprikose', 'cherry'] }]);
    expect(german?.option.value_label).toEqual(['apricot', 'cherry']);
  });

  test('an open text keeps one text per language', async () => {
    const shop = await userOf(EXAMPLE);
    const texts = (record: Wire) =>
      Object.fromEntries((record as Item).option.translations.map(({ language, value }) => [language, value]));
    const german = await shop.save('motto', ['Nutze den Tag'], { language: 'de' });
    expect((german.json as Item).option).toMatchObject({ value: 'Nutze den Tag', value_label: 'Nutze den Tag' });
    expect(texts(german.json)).toEqual({
      English: 'Nutze den Tag',
      Deutsch: 'Nutze den Tag',
      'Deutsch (Österreich)': 'Nutze den Tag',
    });
    const austrian = await shop.save('motto', ['Servus'], { language: 'de-AT' });
    expect((austrian.json as Item).option.value).toBe('Servus');
    const english = await shop.save('motto', ['Seize the day']);
    expect(english.json.user_options_uid).toBe(german.json.user_options_uid);
    const all = { English: 'Seize the day', Deutsch: 'Nutze den Tag', 'Deutsch (Österreich)': 'Servus' };
    expect((english.json as Item).option.value).toBe('Seize the day');
    expect(texts(english.json)).toEqual(all);
    const again = await shop.save('motto', ['Hallo'], { language: 'Deutsch' });
    expect((again.json as Item).option).toMatchObject({ value: 'Seize the day', value_label: 'Hallo' });
    expect(texts(again.json)).toEqual({ ...all, Deutsch: 'Hallo' });
    expect((await shop.items('?language=de'))[0]?.option).toMatchObject({
      value: 'Seize the day',
      value_label: 'Hallo',
      translations: [{ language: 'Deutsch', value: 'Hallo' }],
    });

    const uid = `/${german.json.user_options_uid}`;
    expect((await shop.read(`${uid}/history`)).items).toMatchObject([
      { by: 'access_token', language: 'de', from_value: 'Nutze den Tag', to_value: 'Hallo' },
      { language: 'en', from_value: null, to_value: 'Seize the day' },
      { language: 'de-AT', from_value: null, to_value: 'Servus' },
      { language: 'de', from_value: null, to_value: 'Nutze den Tag' },
    ]);
    await shop.save('motto', ['Hallo'], { language: 'Deutsch' });
    expect((await shop.read(`${uid}/history`)).total).toBe(4);

    // Exports and imports include all of it.
    const { storage } = server.service;
    let exported = '';
    for await (const { text } of exportUsers(storage, shop.application.appId)) exported += text;
    expect((JSON.parse(exported) as { options: Wire[] }).options[0]).toMatchObject({
      value: ['Seize the day'],
      language: 'en',
      texts: { de: ['Hallo'], 'de-AT': ['Servus'] },
    });
    const readLine = createLineReader(await server.service.catalogs.get(shop.application.appId), {
      appId: shop.application.appId,
      at: server.service.now(),
      newCodes: false,
      withRetired: false,
    });
    const [stored] = await storage.selections.list(shop.user.userCode);
    const [imported] = readLine({ line: 1, text: exported }).selections;
    expect([imported?.value, imported?.language, imported?.texts]).toEqual([
      stored?.value,
      stored?.language,
      stored?.texts,
    ]);

    // When the record is saved again, the texts of a removed language are dropped.
    await shop.change({ ...EXAMPLE, languages: LANGUAGES.slice(0, 2), groups: EXAMPLE.groups.slice(1, 2) });
    const fewer = await shop.save('motto', ['Hi']);
    expect(texts(fewer.json)).toEqual({ English: 'Hi', Deutsch: 'Hallo' });
    await server.send('DELETE', PATH + uid, { headers: { ...shop.apiKey, ...bearer(shop.user.accessToken) } });
    expect(texts((await shop.save('motto', ['Moin'], { language: 'de' })).json)).toEqual({
      English: 'Moin',
      Deutsch: 'Moin',
    });
  });

  test('texts in several languages saved concurrently are all kept', async () => {
    const shop = await userOf(EXAMPLE);
    const words = { en: 'Hello', de: 'Hallo', 'de-AT': 'Servus' };
    await Promise.all(Object.entries(words).map(([language, text]) => shop.save('tags', [text], { language })));
    const [record] = await shop.items();
    expect(record?.option.translations.map(({ value }) => value)).toEqual(Object.values(words).map((text) => [text]));
    expect((await shop.read(`/${record?.user_options_uid}/history`)).total).toBe(3);
  });

  test('effective values are what the current keys allow', async () => {
    const key = (name: string, more: object) => ({ name, ...more });
    const before = ads([
      key('kept', { type: 'string', values: ['a', 'b'] }),
      key('retired', { type: 'string', values: ['a', 'b'], default: 'a' }),
      key('removed', { type: 'string', values: ['a', 'b'], default: 'a' }),
      key('bare', { type: 'string', values: ['a', 'b'] }),
      key('retyped', { type: 'integer', default: 3 }),
      key('narrowed', { type: 'integer' }),
      key('several', { type: 'string', values: ['a', 'b'] }),
      key('patterned', { type: 'string' }),
      key('archived', { type: 'boolean' }),
      key('never', { type: 'boolean' }),
    ]);
    const shop = await userOf(before);
    for (const name of ['kept', 'retired', 'removed', 'bare', 'several']) await shop.save(name, ['b']);
    await shop.save('retyped', [7]);
    await shop.save('narrowed', [7]);
    await shop.save('patterned', ['abc']);
    const archived = await shop.save('archived', [true]);
    expect(archived.status).toBe(201);
    await shop.change(
      ads([
        key('kept', { type: 'string', values: ['b', 'a'] }),
        key('retired', { type: 'string', values: ['a', { value: 'b', retired: true }], default: 'a' }),
        key('removed', { type: 'string', values: ['a', 'c'], default: 'a' }),
        key('bare', { type: 'string', values: ['a'] }),
        key('retyped', { type: 'string', default: 'x' }),
        key('narrowed', { type: 'integer', default: 1, constraint: { max: 5 } }),
        key('several', { type: 'string', multiple: true, values: ['a', 'b'], default: ['a'] }),
        key('patterned', { type: 'string', default: '123', constraint: { pattern: '[0-9]+' } }),
        key('never', { type: 'boolean', default: true }),
      ]),
    );
    const items = await shop.items('?effective=true');
    expect(
      items.map(({ option, source, is_default, saved_value }) => [
        option.name,
        option.value,
        source,
        is_default,
        saved_value,
      ]),
    ).toEqual([
      ['kept', 'b', 'saved', undefined, undefined],
      ['retired', 'b', 'saved', undefined, undefined],
      ['removed', 'a', 'default', true, 'b'],
      ['retyped', 'x', 'default', true, 7],
      ['narrowed', 1, 'default', true, 7],
      ['several', ['a'], 'default', true, 'b'],
      ['patterned', '123', 'default', true, 'abc'],
      ['never', true, 'default', true, undefined],
    ]);
    // The record still exists, unchanged.
    const stored = await shop.items();
    expect(stored).toHaveLength(9);
    const removed = items.find(({ option }) => option.name === 'removed');
    const ofIt = stored.find(({ option_key_uid }) => option_key_uid === removed?.option_key_uid);
    expect(ofIt?.option.value).toBe('b');
    expect([removed?.user_options_uid, removed?.etag]).toEqual([ofIt?.user_options_uid, ofIt?.etag]);
    expect((await shop.items('?effective=true&limit=1&offset=7'))[0]?.option.name).toBe('never');
    const { option_group_uid } = await shop.keyNamed('kept');
    await shop.change({ languages: LANGUAGES, groups: [{ name: 'other' }] });
    expect(await shop.items('?effective=true')).toEqual([]);
    expect(await shop.items(`?option_group_uid=${option_group_uid}`)).toHaveLength(9);
  });
});
