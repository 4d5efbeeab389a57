import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, test } from 'vitest';
import { postgresDriver } from '../../src/storage/postgres/index.ts';
import { createApplication, createUser, NOW, times, user } from '../contract/examples.ts';
import { postgres } from '../databases.ts';

async function begin(people: number) {
  const url = await postgres.fresh();
  const storage = await postgresDriver(url).open();
  const appId = await createApplication(storage);
  const users = await Promise.all(times(people, async () => (await createUser(storage, appId)).userId));
  const saveKeys = (userId: string, keys: number[], value: string) => {
    const selections = keys.map((keyNo) => ({ selectionId: randomUUID(), keyNo, revision: 1, value, language: null }));
    return storage.selections.save(appId, userId, selections, { at: NOW, authMethod: 'user_uid' });
  };
  const save = (userId: string) => saveKeys(userId, [1], 'true');
  return { url, storage, appId, users, save, saveKeys };
}

async function outcomesOf(acts: Promise<{ outcome: string }>[]): Promise<Set<string>> {
  return new Set((await Promise.all(acts)).map(({ outcome }) => outcome));
}

test('saves that wait for some users do not delay others', async () => {
  const { url, storage, users, save } = await begin(90);
  const [busy, others] = [users.slice(0, 34), users.slice(34)];
  await Promise.all(busy.map(save));

  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query('begin');
  await holder.query('select from selections where user_id = any($1) for update', [busy]);
  let waiting = 100;
  const saving = times(100, (index) => save(busy[index % busy.length] as string).finally(() => waiting--));
  for (const _ of times(3, String)) expect(await outcomesOf(others.map(save))).toEqual(new Set(['saved']));
  expect(waiting).toBe(100);
  // Many acts want the lock, but only a few connections wait for it.
  const asking = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  expect((await holder.query(asking)).rows.length).toBeLessThanOrEqual(6);
  await holder.query('rollback');
  await holder.end();
  expect(await outcomesOf(saving)).toEqual(new Set(['saved']));
  await storage.close();
});

test('a rejected act does not affect others in its statement', async () => {
  const storage = await postgresDriver(await postgres.fresh()).open();
  const appId = await createApplication(storage);
  const before = storage.figures();
  const creating = times(60, (index) => storage.users.createWithToken(user(index === 7 ? appId + 1 : appId)));
  const outcomes = times(60, (index) => (index === 7 ? 'application-gone' : 'created'));
  expect(await Promise.all(creating)).toEqual(outcomes);
  const again = times(60, () => storage.users.createWithToken(user(appId)));
  expect(new Set(await Promise.all(again))).toEqual(new Set(['created']));
  const { committedActs, committedBatches } = storage.figures();
  // All 60 of the second round share one commit.
  expect(committedActs - before.committedActs).toBeGreaterThanOrEqual(119);
  expect(committedBatches - before.committedBatches).toBeLessThan(70);
  await storage.close();
});

test('a reused Idempotency-Key is detected without repeating the others in its statement', async () => {
  const storage = await postgresDriver(await postgres.fresh()).open();
  const appId = await createApplication(storage);
  const once = (body: string) => ({ keyHash: 'ab'.repeat(32), bodyHash: body.repeat(32), expiresAt: NOW + 60_000 });
  expect(await storage.users.createWithToken({ ...user(appId), idempotency: once('01') })).toBe('created');
  const before = storage.figures();
  const creating = times(48, (index) =>
    storage.users.createWithToken({ ...user(appId), ...(index === 7 && { idempotency: once('02') }) }),
  );
  const outcomes = times(48, (index) => (index === 7 ? 'idempotency-mismatch' : 'created'));
  expect(await Promise.all(creating)).toEqual(outcomes);
  const { committedBatches } = storage.figures();
  // Three statements of sixteen, and one to find out why nothing was created.
  expect(committedBatches - before.committedBatches).toBe(4);
  await storage.close();
});

test('a delete that waits for its user delays no saves', async () => {
  const { url, storage, appId, users, save } = await begin(20);
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query('begin');
  await holder.query('select from users where user_id = any($1) for update', [users.slice(0, 12)]);
  let waiting = 12;
  const deleting = users.slice(0, 12).map((userId) => storage.users.delete(appId, userId).finally(() => waiting--));
  for (const _ of times(3, String)) expect(await outcomesOf(users.slice(12).map(save))).toEqual(new Set(['saved']));
  expect(waiting).toBe(12);
  await holder.query('rollback');
  await holder.end();
  expect(new Set(await Promise.all(deleting))).toEqual(new Set(['deleted']));
  await storage.close();
});

test('saves of the same keys run in order', async () => {
  const { storage, users, saveKeys } = await begin(1);
  const [userId = ''] = users;
  await Promise.all([saveKeys(userId, [1], '1'), saveKeys(userId, [1, 2], '2'), saveKeys(userId, [2], '3')]);
  const values = (await storage.selections.list(userId)).map(({ keyNo, value }) => [keyNo, value]);
  expect(values).toEqual([
    [1, '2'],
    [2, '3'],
  ]);
  await storage.close();
});

test('an act that always conflicts fails alone', async () => {
  const { url, storage, users, saveKeys } = await begin(10);
  await postgres.execute(
    url,
    `create function conflict() returns trigger language plpgsql as $$
       begin raise exception using errcode = 'serialization_failure'; end $$;
     create trigger conflicts before insert on selections for each row when (new.value = '7') execute function conflict()`,
  );
  const saving = await Promise.allSettled(users.map((userId, index) => saveKeys(userId, [1], String(index))));
  expect(saving.map(({ status }) => status)).toEqual(times(10, (index) => (index === 7 ? 'rejected' : 'fulfilled')));
  await storage.close();
});
