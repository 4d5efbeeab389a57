import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import type { Storage } from '../../src/storage/port.ts';
import { databases } from '../databases.ts';
import { application, createApplication, createUser, hash, NOW, signingKey, times } from './examples.ts';

const HOUR = 3_600_000;

describe.each(databases)('changes on $kind', (database) => {
  let here: Storage;
  let there: Storage;
  beforeEach(async () => {
    const driver = await storageDriver(await database.fresh());
    here = await driver.open();
    there = await driver.open();
  });
  afterEach(() => Promise.all([here.close(), there.close()]));

  test('another replica sees every relevant change, in order', async () => {
    expect(await there.changes.since(0)).toEqual({ version: 0, complete: true, changes: [] });
    const { appId, ...rest } = application();
    await here.applications.create({ appId, ...rest });
    await here.applications.update(appId, { name: 'Renamed' });
    await here.applications.rotateSecret(appId, { secretHash: hash(), createdAt: NOW, expiresAt: null }, NOW);
    await here.signingKeys.add(signingKey(1), NOW);
    await here.applications.delete(appId);

    const read = await there.changes.since(0);
    expect(read).toMatchObject({ version: 5, complete: true });
    expect(read.changes).toEqual([
      { version: 1, subject: 'application', appId },
      { version: 2, subject: 'application', appId },
      { version: 3, subject: 'application', appId },
      { version: 4, subject: 'signing-keys', appId: null },
      { version: 5, subject: 'application', appId },
    ]);
    expect((await there.changes.since(3)).changes.map(({ version }) => version)).toEqual([4, 5]);
    expect(await there.changes.since(5)).toEqual({ version: 5, complete: true, changes: [] });
  });

  test('acts without effect are no changes, nor are users and tokens', async () => {
    const example = application();
    await here.applications.create(example);
    await here.applications.create(example);
    await here.applications.update(1, { name: 'Nobody' });
    await here.applications.rotateSecret(1, { secretHash: hash(), createdAt: NOW, expiresAt: null }, NOW);
    await here.applications.delete(1);
    const { userId } = await createUser(here, example.appId);
    await here.users.delete(example.appId, userId);
    await here.signingKeys.add(signingKey(1), NOW);
    await here.signingKeys.add(signingKey(1), NOW);
    expect((await there.changes.since(0)).version).toBe(2);
  });

  test('a reader that follows while both replicas write misses nothing', async () => {
    const appIds: number[] = [];
    const writing = Promise.all(
      [here, there].map(async (replica) => {
        for (const _ of times(20, String)) appIds.push(await createApplication(replica));
      }),
    ).then(() => true);
    const seen: number[] = [];
    for (let version = 0, done = false; !done; ) {
      done = await Promise.race([writing, new Promise<false>((resolve) => setTimeout(resolve, 2, false))]);
      const news = await there.changes.since(version);
      expect(news.complete).toBe(true);
      seen.push(...news.changes.map(({ appId }) => appId ?? 0));
      version = news.version;
    }
    expect(seen).toHaveLength(40);
    expect(new Set(seen)).toEqual(new Set(appIds));
  });

  test('a reader that is ahead of a restored database is informed', async () => {
    await createApplication(here);
    expect(await there.changes.since(5)).toEqual({ version: 1, complete: false, changes: [] });
  });

  test('a reader that was away for longer than changes are kept is informed', async () => {
    for (const _ of times(3, String)) await createApplication(here);
    await here.purgeExpired(Date.now());
    expect(await there.changes.since(0)).toMatchObject({ version: 3, complete: true });
    await here.purgeExpired(Date.now() + 2 * HOUR);
    expect(await there.changes.since(0)).toMatchObject({ version: 3, complete: false });
    expect(await there.changes.since(1)).toMatchObject({ version: 3, complete: false });
    expect(await there.changes.since(3)).toEqual({ version: 3, complete: true, changes: [] });
    await createApplication(here);
    expect(await there.changes.since(3)).toMatchObject({ version: 4, complete: true, changes: [{ version: 4 }] });
  });
});
