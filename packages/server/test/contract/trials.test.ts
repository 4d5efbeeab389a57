import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import type { Storage } from '../../src/storage/port.ts';
import { databases } from '../databases.ts';
import { createApplication, createUser, MINUTE, NOW, times } from './examples.ts';

describe.each(databases)('trials on $kind', (database) => {
  let storage: Storage;
  beforeAll(async () => {
    storage = await (await storageDriver(await database.fresh())).open();
  });
  afterAll(() => storage.close());

  test('ending one deletes its user with all data, and only that one', async () => {
    const appId = await createApplication(storage);
    const other = await createApplication(storage);
    expect(await storage.trials.add(appId, 'same', NOW + MINUTE)).toBe('added');
    const [user, namesake] = [
      await createUser(storage, appId, { clientUserId: 'same' }),
      await createUser(storage, other, { clientUserId: 'same' }),
    ];
    await storage.trials.end(other, 'same');
    expect(await storage.users.find(other, namesake.userId)).toBeDefined();
    await storage.trials.end(appId, 'same');
    expect(await storage.users.find(appId, user.userId)).toBeUndefined();
    // No profile is left either, so the name can be used again.
    await createUser(storage, appId, { clientUserId: 'same' });
    await storage.trials.end(appId, 'same');
    expect(await storage.applications.countUsers(appId)).toBe(1);
  });

  test('one whose user was never created, or is gone, just ends', async () => {
    const appId = await createApplication(storage);
    await storage.trials.add(appId, 'nobody', NOW + MINUTE);
    await storage.trials.end(appId, 'nobody');
    expect(await storage.trials.add(appId, 'nobody', NOW + MINUTE)).toBe('added');
    await storage.trials.end(appId, 'nobody');
  });

  test('a purge ends expired trials', async () => {
    const appId = await createApplication(storage);
    for (const [name, endsAt] of [
      ['over', NOW],
      ['under-way', NOW + 1],
    ] as const) {
      await storage.trials.add(appId, name, endsAt);
      await createUser(storage, appId, { clientUserId: name });
    }
    await Promise.all(times(3, () => storage.purgeExpired(NOW)));
    const left = await storage.users.page(appId, { after: null, limit: 10 });
    expect(left.map(({ clientUserId }) => clientUserId)).toEqual(['under-way']);
    await storage.trials.end(appId, 'under-way');
  });

  test('the application must exist, and deletes its trials with it', async () => {
    expect(await storage.trials.add(1, 'x', NOW)).toBe('application-gone');
    const appId = await createApplication(storage);
    await storage.trials.add(appId, 'x', NOW + MINUTE);
    expect(await storage.applications.delete(appId)).toBe('deleted');
  });
});
