import { randomUUIDv7 } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import type { ActivityCount, Storage } from '../../src/storage/port.ts';
import { databases } from '../databases.ts';
import { accessToken, createApplication, createUser, NOW, times } from './examples.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** 08:00 UTC. */
const HOUR_START = NOW - (NOW % HOUR);
const DAY_START = NOW - (NOW % DAY);

describe.each(databases)('activity on $kind', (database) => {
  let storage: Storage;
  let appId: number;
  beforeAll(async () => {
    storage = await (await storageDriver(await database.fresh())).open();
  });
  beforeEach(async () => {
    appId = await createApplication(storage);
  });
  afterAll(() => storage.close());

  const count = (given: Partial<ActivityCount> = {}): ActivityCount => ({
    appId,
    name: 'requests',
    count: 1,
    lastAt: NOW,
    ...given,
  });
  const hours = (from = HOUR_START, to = HOUR_START + HOUR) => storage.activity.list(appId, { step: 'hour', from, to });

  test('counts are added to their hour and day', async () => {
    await storage.activity.add([count({ count: 3 }), count({ name: 'error:0011', count: 2 })]);
    await storage.activity.add([count({ count: 4, lastAt: NOW + 1 }), count({ lastAt: HOUR_START + HOUR })]);
    expect(await hours()).toEqual([
      { at: HOUR_START, name: 'error:0011', count: 2 },
      { at: HOUR_START, name: 'requests', count: 7 },
    ]);
    expect(await hours(HOUR_START + HOUR, HOUR_START + 2 * HOUR)).toEqual([
      { at: HOUR_START + HOUR, name: 'requests', count: 1 },
    ]);
    expect(await storage.activity.list(appId, { step: 'day', from: DAY_START, to: DAY_START + 1 })).toEqual([
      { at: DAY_START, name: 'error:0011', count: 2 },
      { at: DAY_START, name: 'requests', count: 8 },
    ]);
    expect(await storage.activity.lastAt(appId, 'requests')).toBe(HOUR_START + HOUR);
    expect(await storage.activity.lastAt(appId, 'usersCreated')).toBeUndefined();
  });

  test('replicas that add concurrently lose nothing', async () => {
    const other = await createApplication(storage);
    const both = [count(), count({ appId: other }), count({ name: 'usersCreated' })];
    await Promise.all(times(40, (i) => storage.activity.add(i % 2 ? both : both.toReversed())));
    expect(await hours()).toEqual([
      { at: HOUR_START, name: 'requests', count: 40 },
      { at: HOUR_START, name: 'usersCreated', count: 40 },
    ]);
  });

  test('a deleted application loses its counts, and gets no new ones', async () => {
    const gone = await createApplication(storage);
    await storage.activity.add([count({ appId: gone })]);
    await storage.applications.delete(gone);
    await storage.activity.add([count({ appId: gone }), count()]);
    expect(await storage.activity.lastAt(gone, 'requests')).toBeUndefined();
    expect(await storage.activity.lastAt(appId, 'requests')).toBe(NOW);
  });

  test('an application deleted meanwhile does not affect the others', async () => {
    const doomed = await Promise.all(times(10, () => createApplication(storage)));
    await Promise.all([
      ...doomed.map((gone) => storage.applications.delete(gone)),
      ...doomed.map((gone) => storage.activity.add([count({ appId: gone }), count()])),
    ]);
    expect(await hours()).toEqual([{ at: HOUR_START, name: 'requests', count: 10 }]);
  });

  test('totals are per application, and counting stops at the limit', async () => {
    const users = await Promise.all(times(3, () => createUser(storage, appId)));
    const stranger = await createUser(storage, await createApplication(storage));
    for (const { specialToken } of [...users.slice(1), stranger]) {
      await storage.tokens.exchange(specialToken.tokenHash, NOW, accessToken({ expiresAt: NOW + 90 * DAY }));
    }
    const selection = { selectionId: randomUUIDv7(), keyNo: 1, revision: 1, value: 'true', language: null };
    await storage.selections.save(appId, users[0]?.userId as string, [selection], { at: NOW, authMethod: 'user_uid' });
    expect(await storage.activity.totals(appId, NOW, 1000)).toEqual({
      users: { count: 3, more: false },
      selections: { count: 1, more: false },
      liveTokens: { count: 2, more: false },
    });
    expect((await storage.activity.totals(appId, NOW, 2)).users).toEqual({ count: 2, more: true });
    expect((await storage.activity.totals(appId, NOW + 91 * DAY, 1000)).liveTokens.count).toBe(0);
  });

  test('hours are kept for a week, days for 400', async () => {
    const old = NOW - 8 * DAY;
    await storage.activity.add([count({ lastAt: old }), count(), count({ lastAt: NOW - 401 * DAY })]);
    await storage.purgeExpired(NOW);
    expect(await hours(0, NOW + HOUR)).toEqual([{ at: HOUR_START, name: 'requests', count: 1 }]);
    const days = await storage.activity.list(appId, { step: 'day', from: 0, to: NOW + DAY });
    expect(days.map(({ at }) => at)).toEqual([old - (old % DAY), DAY_START]);
  });
});
