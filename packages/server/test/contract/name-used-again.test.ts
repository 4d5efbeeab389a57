import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { publishCatalog } from '../../src/domain/catalog/publish.ts';
import { exportUsers } from '../../src/domain/users/export-users.ts';
import { importUsers, type Rejection } from '../../src/domain/users/import-users.ts';
import { storageDriver } from '../../src/storage/open.ts';
import type { Storage } from '../../src/storage/port.ts';
import { databases } from '../databases.ts';
import { define } from '../domain/catalog/generated.ts';
import { createApplication } from './examples.ts';

const LANGUAGES = [{ name: 'English', tag: 'en' }];
const withKeys = (...keys: { name: string; was?: string }[]) =>
  define({ languages: LANGUAGES, groups: [{ name: 'g', keys: keys.map((key) => ({ ...key, type: 'string' })) }] });

describe.each(databases)('users with selections under a reused name, on $kind', (database) => {
  let storage: Storage;
  beforeAll(async () => {
    storage = await (await storageDriver(await database.fresh())).open();
  });
  afterAll(() => storage.close());

  /** Two keys g/ff: the first is archived, the second was renamed to g/ff. */
  async function withTwins(): Promise<number> {
    const appId = await createApplication(storage);
    const options = { author: 'test', now: Date.now(), allowBreaking: true };
    for (const wanted of [
      withKeys({ name: 'ff' }, { name: 'other' }),
      withKeys({ name: 'other' }),
      withKeys({ name: 'ff', was: 'other' }),
    ]) {
      expect((await publishCatalog(storage, appId, wanted, options)).outcome).toBe('published');
    }
    return appId;
  }

  async function put(appId: number, lines: string[], rules = {}) {
    const rejections: Rejection[] = [];
    async function* read() {
      yield lines.map((text, index) => ({ line: index + 1, text }));
    }
    const { counts } = await importUsers(storage, appId, read(), {
      at: Date.now(),
      newCodes: true,
      withRetired: true,
      ifThere: 'compare',
      onRejected: (rejection) => rejections.push(rejection),
      ...rules,
    });
    expect(rejections).toEqual([]);
    return counts;
  }

  async function take(appId: number): Promise<string> {
    let text = '';
    for await (const page of exportUsers(storage, appId)) text += page.text;
    return text;
  }

  test('are exported and imported, here and elsewhere', async () => {
    const appId = await withTwins();
    const [archived, live] = (await storage.catalogs.load(appId)).items
      .filter(({ kind }) => kind === 'key')
      .sort((a, b) => Number(a.keyNo) - Number(b.keyNo));
    const of = (value: string, more = {}) => ({ group: 'g', key: 'ff', value: [value], ...more });
    const options = [of('new'), of('old', { option_key_uid: archived?.itemUid })];
    await put(appId, [JSON.stringify({ clientUserId: 'mia', clientUserName: 'Mia', options })]);
    await put(appId, [JSON.stringify({ clientUserId: 'ben', clientUserName: 'Ben', options: [of('x')] })], {
      withRetired: false,
    });

    const text = await take(appId);
    const [ben, mia] = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(ben.options).toEqual([expect.not.objectContaining({ option_key_uid: expect.anything() })]);
    expect(mia.options).toMatchObject(options);
    expect(mia.options[0]).not.toHaveProperty('option_key_uid');
    expect((await storage.transfer.find(appId, 'mia'))?.selections.map(({ keyNo, value }) => [keyNo, value])).toEqual([
      [archived?.keyNo, '"old"'],
      [live?.keyNo, '"new"'],
    ]);

    expect(await put(appId, text.trim().split('\n'), { newCodes: false })).toMatchObject({ unchanged: 2 });
    const elsewhere = await withTwins();
    expect(await put(elsewhere, text.trim().split('\n'))).toMatchObject({ created: 2 });
    const values = (all: string) => all.match(/"value":[^,]*/g);
    expect(values(await take(elsewhere))).toEqual(values(text));
  });
});
