import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, test } from 'vitest';
import { postgresDriver } from '../../src/storage/postgres/index.ts';
import { createApplication, createUser, NOW, times } from '../contract/examples.ts';
import { databases } from '../databases.ts';

const postgres = databases.find(({ kind }) => kind === 'postgres');
if (!postgres) throw new Error('no PostgreSQL');

test('saves that wait for one user keep nobody else waiting', async () => {
  const url = await postgres.fresh();
  const storage = await postgresDriver(url).open();
  const appId = await createApplication(storage);
  const users: string[] = [];
  // Connections are opened as there is need for them.
  while (storage.figures().connections.open < 10) {
    users.push(...(await Promise.all(times(60, async () => (await createUser(storage, appId)).userId))));
  }
  const [busy, ...others] = users;
  const save = (userId = '') => {
    const selection = { selectionId: randomUUID(), keyNo: 1, revision: 1, value: 'true', language: null };
    return storage.selections.save(appId, userId, [selection], { at: NOW, means: 'user_uid' });
  };
  await save(busy);

  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query('begin');
  await holder.query('select from selections where user_id = $1 for update', [busy]);
  let waiting = 100;
  const saving = times(100, () => save(busy).finally(() => waiting--));
  expect(new Set((await Promise.all(others.slice(0, 59).map(save))).map(({ outcome }) => outcome))).toEqual(
    new Set(['saved']),
  );
  expect(waiting).toBe(100);
  await holder.query('rollback');
  await holder.end();
  expect(new Set((await Promise.all(saving)).map(({ outcome }) => outcome))).toEqual(new Set(['saved']));
  await storage.close();
});
