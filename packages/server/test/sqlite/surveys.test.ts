import { afterAll, beforeAll, expect, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import type { Storage } from '../../src/storage/port.ts';
import { createApplication, createUser } from '../contract/examples.ts';
import { sqlite } from '../databases.ts';

let storage: Storage;
let appId: number;
beforeAll(async () => {
  storage = await (await storageDriver(await sqlite.fresh())).open();
  appId = await createApplication(storage);
  await createUser(storage, appId);
});
afterAll(() => storage.close());

const names = () => storage.users.names(appId, { after: null, limit: 10_000 });

test('long reads that run together are taken in one per turn, even if the processor is busy', async () => {
  await names();
  let [turn, isOver] = [0, false];
  const count = (): void => {
    turn++;
    // Longer than the reads take.
    for (const until = performance.now() + 20; performance.now() < until; );
    if (!isOver) setImmediate(count);
  };
  count();
  try {
    const turns = await Promise.all(Array.from({ length: 10 }, () => names().then(() => turn)));
    expect(new Set(turns).size).toBe(turns.length);
  } finally {
    isOver = true;
  }
});

test('reads that wait when the storage closes are finished', async () => {
  const other = await (await storageDriver(await sqlite.fresh())).open();
  const app = await createApplication(other);
  const waiting = Array.from({ length: 10 }, () => other.users.names(app, { after: null, limit: 10 }));
  await other.close();
  expect(await Promise.all(waiting)).toEqual(waiting.map(() => []));
});
