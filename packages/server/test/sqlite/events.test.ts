import { DatabaseSync, StatementSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import { EVENT_TYPES, type EventType, type Storage } from '../../src/storage/port.ts';
import { createApplication, createUser } from '../contract/examples.ts';
import { sqlite } from '../databases.ts';

let storage: Storage;
let appId: number;
beforeAll(async () => {
  storage = await (await storageDriver(await sqlite.fresh())).open();
  appId = await createApplication(storage);
  await Promise.all(Array.from({ length: 200 }, () => createUser(storage, appId)));
});
afterAll(() => storage.close());

test('a page of the feed is one statement, regardless of its length', async () => {
  const run = (['get', 'all', 'iterate', 'run'] as const).map((name) => vi.spyOn(StatementSync.prototype, name));
  const countFor = async (limit: number) => {
    for (const spy of run) spy.mockClear();
    const page = await storage.events.read(appId, 'start', { limit });
    expect(page).toMatchObject({ outcome: 'read', items: { length: limit } });
    return run.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  };
  try {
    expect(await countFor(200)).toBe(await countFor(1));
  } finally {
    for (const spy of run) spy.mockRestore();
  }
});

test('no statement is cached per combination of types', async () => {
  const read = (types: EventType[]) => storage.events.read(appId, 'start', { limit: 200, types });
  expect(await read(['user.created'])).toMatchObject({ items: { length: 200 } });
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
  try {
    for (const first of EVENT_TYPES) for (const second of EVENT_TYPES) await read([first, second]);
    expect(prepare).not.toHaveBeenCalled();
  } finally {
    prepare.mockRestore();
  }
});
