import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { NewUser, Storage } from '../../src/storage/port.ts';
import { postgresDriver } from '../../src/storage/postgres/index.ts';
import { accessToken, createApplication, createUser, NOW, tally, times } from '../contract/examples.ts';
import { postgres } from '../databases.ts';

let storage: Storage;
let appId: number;
/** Deletes users in an open transaction: their rows are locked, but may turn out to stay. */
let deleter: pg.Client;
beforeEach(async () => {
  const url = await postgres.fresh();
  storage = await postgresDriver(url).open();
  appId = await createApplication(storage);
  deleter = new pg.Client({ connectionString: url });
  await deleter.connect();
  await deleter.query('begin');
});
afterEach(async () => {
  await deleter.end();
  await storage.close();
});

const save = async ({ userId }: NewUser): Promise<string> => {
  const selection = { selectionId: randomUUID(), keyNo: 1, revision: 1, value: 'true', language: null };
  return (await storage.selections.save(appId, userId, [selection], { at: NOW, authMethod: 'user_uid' })).outcome;
};
const exchange = async ({ specialToken }: NewUser): Promise<string> => {
  const outcome = await storage.tokens.exchange(specialToken.tokenHash, NOW, accessToken());
  return typeof outcome === 'string' ? outcome : 'exchanged';
};
const unset = async ({ userId }: NewUser): Promise<string> => {
  const [saved] = await storage.selections.list(userId);
  return storage.selections.unset(userId, saved?.selectionId ?? '', { at: NOW, authMethod: 'user_uid' });
};
const lock = async (users: NewUser[]): Promise<void> => {
  const rows = await deleter.query('delete from users where user_id = any($1)', [users.map(({ userId }) => userId)]);
  expect(rows.rowCount).toBe(users.length);
};
/** How many acts still wait once everyone who shares nothing with them has been served. */
async function stillWaiting(acts: Promise<string>[], others: NewUser[]): Promise<number> {
  let waiting = acts.length;
  for (const act of acts) void act.finally(() => waiting--).catch(() => {});
  for (const _ of times(3, String)) expect(await tally(others.map(save))).toEqual({ saved: others.length });
  expect(await tally(others.map(exchange))).toEqual({ exchanged: others.length });
  return waiting;
}

test('a user whose delete is rolled back is never reported as gone', async () => {
  const people = await Promise.all(times(60, () => createUser(storage, appId)));
  const [locked, others] = [people.slice(0, 20), people.slice(20)];
  await Promise.all(locked.slice(0, 5).map(save));
  await lock(locked);
  const acts = [...locked.map(save), ...locked.map(exchange), ...locked.slice(0, 5).map(unset)];
  expect(await stillWaiting(acts, others)).toBe(acts.length);
  await deleter.query('rollback');
  expect(await tally(acts)).toEqual({ saved: 20, exchanged: 20, unset: 5 });
});

test('a user whose delete succeeds is gone for those who waited', async () => {
  const people = await Promise.all(times(30, () => createUser(storage, appId)));
  const [locked, others] = [people.slice(0, 10), people.slice(10)];
  await lock(locked);
  const acts = [...locked.map(save), ...locked.map(exchange)];
  expect(await stillWaiting(acts, others)).toBe(acts.length);
  await deleter.query('commit');
  expect(await tally(acts)).toEqual({ 'user-gone': 10, spent: 10 });
});

test('requests for a user that stays locked get Retry-After', async () => {
  const one = await createUser(storage, appId);
  await lock([one]);
  const acts = [save(one), exchange(one)];
  for (const { reason } of (await Promise.allSettled(acts)) as PromiseRejectedResult[]) {
    expect(reason).toMatchObject({ name: 'StorageUnavailable' });
  }
  await deleter.query('rollback');
  expect(await tally([save(one), exchange(one)])).toEqual({ saved: 1, exchanged: 1 });
});

test('a thousand acts on locked users leave room for others', async () => {
  const people = await Promise.all(times(40, () => createUser(storage, appId)));
  const [locked, others] = [people.slice(0, 20), people.slice(20)];
  await lock(locked);
  const acts = times(1200, (index) => {
    const { userId } = locked[index % 20] as NewUser;
    const selection = { selectionId: randomUUID(), keyNo: index, revision: 1, value: 'true', language: null };
    const saving = storage.selections.save(appId, userId, [selection], { at: NOW, authMethod: 'user_uid' });
    return saving.then(
      ({ outcome }) => outcome,
      (error: Error) => error.name,
    );
  });
  await stillWaiting(acts, others);
  await deleter.query('rollback');
  const outcomes = await tally(acts);
  expect(Object.keys(outcomes).sort()).toEqual(['StorageUnavailable', 'saved']);
});
