import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CatalogDirectory } from '../../../src/domain/catalog/directory.ts';
import { publishCatalog } from '../../../src/domain/catalog/publish.ts';
import { storageDriver } from '../../../src/storage/open.ts';
import type { Storage } from '../../../src/storage/port.ts';
import { createApplication } from '../../contract/examples.ts';
import { databases } from '../../databases.ts';
import { define } from './generated.ts';

describe.each(databases)('catalogs in memory on $kind', (database) => {
  let storage: Storage;
  beforeAll(async () => {
    storage = await (await storageDriver(await database.fresh())).open();
  });
  afterAll(() => storage.close());

  test('an application deleted while its catalog is loading is not cached', async () => {
    const directory = new CatalogDirectory(storage);
    const appId = await createApplication(storage);
    for (const forget of [() => directory.forget(appId), () => directory.forgetOthers(() => false)]) {
      const loading = directory.get(appId);
      forget();
      expect((await loading).revision).toBe(0);
      expect(directory.peek(appId)).toBeUndefined();
    }
    // The next request loads and caches it again.
    await directory.get(appId);
    expect(directory.peek(appId)).toBeDefined();
  });

  test('older revisions are cached up to a size, the least recently used is dropped first', async () => {
    const appId = await createApplication(storage);
    for (const name of ['a', 'b', 'c', 'd']) await publishNamed(storage, appId, name);
    const directory = new CatalogDirectory(storage, { published: 0, older: 7_500 });
    const read = async (revision: number) => expect((await directory.getAt(appId, revision))?.revision).toBe(revision);
    const isIn = async (cached: CatalogDirectory, revision: number) => {
      const found = cached.getAt(appId, revision);
      await found;
      return !(found instanceof Promise);
    };
    const isCached = (revision: number) => isIn(directory, revision);
    await directory.get(appId);
    await read(1);
    await read(2);
    expect([await isCached(2), await isCached(1)]).toEqual([true, true]);
    await read(3);
    expect([await isCached(3), await isCached(1), await isCached(2)]).toEqual([true, true, false]);
    // One that is too large is read each time.
    const small = new CatalogDirectory(storage, { published: 0, older: 2_500 });
    expect((await small.getAt(appId, 1))?.revision).toBe(1);
    expect(await isIn(small, 1)).toBe(false);
  });

  test('published catalogs are cached up to a size, the least recently used is dropped and loaded again', async () => {
    const directory = new CatalogDirectory(storage, { published: 7_500, older: 0 });
    const appIds: number[] = [];
    for (const name of ['a', 'b', 'c']) {
      const appId = await createApplication(storage);
      await publishNamed(storage, appId, name);
      appIds.push(appId);
    }
    const [first, second, third] = appIds as [number, number, number];
    const cached = () => [first, second, third].filter((appId) => directory.peek(appId));
    await directory.get(first);
    await directory.get(second);
    directory.peek(first);
    await directory.get(third);
    expect(cached()).toEqual([first, third]);
    expect((await directory.get(second)).revision).toBe(1);
    expect(cached()).toEqual([second, third]);
    // The one used last stays, however large, also in a newer revision.
    const small = new CatalogDirectory(storage, { published: 500, older: 0 });
    await small.get(first);
    await small.get(second);
    expect([first, second].filter((appId) => small.peek(appId))).toEqual([second]);
    await publishNamed(storage, second, 'd');
    await small.reload([first, second]);
    expect(small.peek(second)?.revision).toBe(2);
    expect(small.peek(first)).toBeUndefined();
  });
});

async function publishNamed(storage: Storage, appId: number, name: string): Promise<void> {
  const definition = define({
    languages: [{ name: 'English', tag: 'en' }],
    groups: [{ name: 'g', translations: { en: name.repeat(1_000) } }],
  });
  await publishCatalog(storage, appId, definition, { author: 'test', now: Date.now(), allowBreaking: true });
}
