import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CatalogDirectory } from '../../../src/domain/catalog/directory.ts';
import { storageDriver } from '../../../src/storage/open.ts';
import type { Storage } from '../../../src/storage/port.ts';
import { createApplication } from '../../contract/examples.ts';
import { databases } from '../../databases.ts';

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
});
