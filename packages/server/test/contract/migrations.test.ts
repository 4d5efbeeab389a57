import { describe, expect, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import { databases } from '../databases.ts';
import { createApplication, createUser, times } from './examples.ts';

describe.each(databases)('migrations on $kind', (database) => {
  test('a new database has none applied, and checking applies none', async () => {
    const driver = await storageDriver(await database.empty());
    for (const _ of times(2, String)) {
      const state = await driver.migrationState();
      expect(state.applied).toBe(0);
      expect(state.latest).toBeGreaterThan(0);
    }
    const { latest } = await driver.migrate();
    expect(await driver.migrationState()).toEqual({ applied: latest, latest });
    expect(await driver.migrate()).toEqual({ applied: latest, latest });
  });

  test('opening applies pending migrations and keeps existing data', async () => {
    const driver = await storageDriver(await database.empty());
    const first = await driver.open();
    const appId = await createApplication(first);
    const { userId } = await createUser(first, appId);
    await first.close();
    const second = await driver.open();
    expect(await second.users.find(appId, userId)).toMatchObject({ userId });
    await second.close();
  });

  test('four processes that open a new database concurrently all can use it', async () => {
    for (const _ of times(3, String)) {
      const url = await database.empty();
      const opened = await Promise.all(times(4, async () => (await storageDriver(url)).open()));
      for (const storage of opened) await createApplication(storage);
      expect(await opened[0]?.applications.list()).toHaveLength(4);
      await Promise.all(opened.map((storage) => storage.close()));
    }
  });

  test('a database used by a newer Innkeeper is rejected', async () => {
    const url = await database.empty();
    const driver = await storageDriver(url);
    const { latest } = await driver.migrate();
    const newer = {
      sqlite: `pragma user_version = ${latest + 1}`,
      postgres: `insert into schema_migrations (number, applied_at) values (${latest + 1}, 0)`,
    };
    await database.execute(url, newer[database.kind]);
    await expect(driver.migrate()).rejects.toThrow(/newer Innkeeper/);
    await expect(driver.open()).rejects.toThrow(/newer Innkeeper/);
    expect(await driver.migrationState()).toEqual({ applied: latest + 1, latest });
  });
});
