import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, test } from 'vitest';
import { postgresDriver } from '../../src/storage/postgres/index.ts';
import { createApplication, createUser, NOW, times, user } from '../contract/examples.ts';
import { databases } from '../databases.ts';

const postgres = databases.find(({ kind }) => kind === 'postgres');
if (!postgres) throw new Error('no PostgreSQL');

test('saves that wait for some users keep nobody else waiting', async () => {
  const url = await postgres.fresh();
  const storage = await postgresDriver(url).open();
  const appId = await createApplication(storage);
  const users = await Promise.all(times(60, async () => (await createUser(storage, appId)).userId));
  const [busy, others] = [users.slice(0, 4), users.slice(4)];
  const save = (userId: string) => {
    const selection = { selectionId: randomUUID(), keyNo: 1, revision: 1, value: 'true', language: null };
    return storage.selections.save(appId, userId, [selection], { at: NOW, means: 'user_uid' });
  };
  const outcomesOf = async (saving: ReturnType<typeof save>[]) =>
    new Set((await Promise.all(saving)).map(({ outcome }) => outcome));
  await Promise.all(busy.map(save));

  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query('begin');
  await holder.query('select from selections where user_id = any($1) for update', [busy]);
  let waiting = 100;
  const saving = times(100, (index) => save(busy[index % busy.length] as string).finally(() => waiting--));
  for (const _ of times(3, String)) expect(await outcomesOf(others.map(save))).toEqual(new Set(['saved']));
  expect(waiting).toBe(100);
  await holder.query('rollback');
  await holder.end();
  expect(await outcomesOf(saving)).toEqual(new Set(['saved']));
  await storage.close();
});

test('an act that is refused takes none of those down that share its statement', async () => {
  const storage = await postgresDriver(await postgres.fresh()).open();
  const appId = await createApplication(storage);
  const before = storage.figures();
  const creating = times(60, (index) => storage.users.createWithToken(user(index === 7 ? appId + 1 : appId)));
  const outcomes = times(60, (index) => (index === 7 ? 'application-gone' : 'created'));
  expect(await Promise.all(creating)).toEqual(outcomes);
  const again = times(60, () => storage.users.createWithToken(user(appId)));
  expect(new Set(await Promise.all(again))).toEqual(new Set(['created']));
  const { committedActs, committedBatches } = storage.figures();
  // All of the second sixty in one commit.
  expect(committedActs - before.committedActs).toBeGreaterThanOrEqual(119);
  expect(committedBatches - before.committedBatches).toBeLessThan(70);
  await storage.close();
});
