import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import type { Storage, UserPlace, UserWalk } from '../../src/storage/port.ts';
import * as onPostgres from '../../src/storage/postgres/user-walk.ts';
import * as onSqlite from '../../src/storage/sqlite/user-walk.ts';
import { databases } from '../databases.ts';
import { createApplication, createUser, NOW, times } from './examples.ts';

/** In a different order than the ids. */
const CREATED = (at: number): number => (at * 7) % 4;
const LONG = 'é'.repeat(230);
const WALKS: UserWalk[] = [
  { by: 'user' },
  { by: 'created', newest: true },
  { by: 'created', newest: false, from: NOW, to: NOW + 5 },
  { by: 'one', userId: randomUUID() },
  { by: 'suspended' },
  { by: 'value', keyNo: 1, value: '"blue"' },
  { by: 'values', keyNo: 2, values: ['["blue","red"]', '["red"]'] },
  { by: 'key', keyNo: 1 },
];

describe.each(databases)('walks through users on $kind', (database) => {
  let storage: Storage;
  let url: string;
  let appId: number;
  const userIds: string[] = [];
  beforeAll(async () => {
    url = await database.fresh();
    storage = await (await storageDriver(url)).open();
    appId = await createApplication(storage);
    const other = await createApplication(storage);
    for (const at of times(12, (index) => index)) {
      const { userId } = await createUser(storage, appId, { clientUserId: `u${at}`, createdAt: NOW + CREATED(at) });
      userIds.push(userId);
      const stranger = await createUser(storage, other, { clientUserId: `u${at}` });
      for (const [app, user] of [[appId, userId] as const, [other, stranger.userId] as const]) {
        await save(app, user, 1, at % 3 === 0 ? '"blue"' : JSON.stringify(`${LONG}${at % 2}`));
        await save(app, user, 2, at % 2 === 0 ? '["red","blue"]' : '[]');
      }
      if (at < 2) await storage.users.update(appId, userId, { status: 'suspended' }, NOW);
    }
  });
  afterAll(() => storage.close());

  const save = (app: number, userId: string, keyNo: number, value: string) =>
    storage.selections.save(
      app,
      userId,
      [{ selectionId: randomUUID(), keyNo, revision: 3, value, language: null }] as never,
      { at: NOW, authMethod: 'manage' },
    );
  const walked = async (walk: UserWalk, limit = 5) => {
    const found: string[] = [];
    for (let after: UserPlace | null = null; ; ) {
      const page = await storage.users.walk(appId, walk, { after, limit, keyNos: [2] });
      found.push(...page.users.map(({ user }) => user.clientUserId));
      if (page.next === null) break;
      after = page.next;
    }
    return found.sort();
  };
  const named = (pick: (at: number) => boolean) =>
    times(12, (at) => at)
      .filter(pick)
      .map((at) => `u${at}`)
      .sort();

  test.each([1, 3, 500])('return each user once, %i at a time', async (limit) => {
    expect(await walked({ by: 'user' }, limit)).toEqual(named(() => true));
    for (const newest of [true, false]) {
      expect(await walked({ by: 'created', newest }, limit)).toEqual(named(() => true));
      const span = { from: NOW + 2, to: NOW + 5 };
      expect(await walked({ by: 'created', newest, ...span }, limit)).toEqual(named((at) => CREATED(at) >= 2));
    }
    expect(await walked({ by: 'one', userId: userIds[3] as string }, limit)).toEqual(['u3']);
    expect(await walked({ by: 'suspended' }, limit)).toEqual(['u0', 'u1']);
    expect(await walked({ by: 'value', keyNo: 1, value: '"blue"' }, limit)).toEqual(named((at) => at % 3 === 0));
    expect(await walked({ by: 'values', keyNo: 2, values: ['["red","blue"]'] }, limit)).toEqual(
      named((at) => at % 2 === 0),
    );
    expect(await walked({ by: 'values', keyNo: 2, values: ['["red","blue"]', '[]'] }, limit)).toEqual(
      named(() => true),
    );
    expect(await walked({ by: 'values', keyNo: 2, values: [] }, limit)).toEqual([]);
    expect(await walked({ by: 'key', keyNo: 1 }, limit)).toEqual(named(() => true));
    expect(await walked({ by: 'key', keyNo: 9 }, limit)).toEqual([]);
    // The index only has the beginning of a long value, so values that share it may be included.
    const long = await walked({ by: 'value', keyNo: 1, value: JSON.stringify(`${LONG}0`) }, limit);
    expect(long).toEqual(expect.arrayContaining(named((at) => at % 3 !== 0 && at % 2 === 0)));
  });

  test('by user are in order of id; by creation, in order of time, in both directions', async () => {
    const all = async (walk: UserWalk) =>
      (await storage.users.walk(appId, walk, { after: null, limit: 100, keyNos: [] })).users.map(({ user }) => user);
    const ids = (users: { userId: string }[]) => users.map(({ userId }) => userId);
    expect(ids(await all({ by: 'user' }))).toEqual(userIds.toSorted());
    const oldest = await all({ by: 'created', newest: false });
    expect(oldest).toEqual(oldest.toSorted((a, b) => a.createdAt - b.createdAt || (a.userId < b.userId ? -1 : 1)));
    expect(await all({ by: 'created', newest: true })).toEqual(oldest.toReversed());
    expect(await storage.users.countWalk(appId, { by: 'created', newest: false, from: NOW + 3 })).toBe(3);
  });

  test('return the selections of the requested keys, and count', async () => {
    const { users } = await storage.users.walk(appId, { by: 'user' }, { after: null, limit: 100, keyNos: [2, 7] });
    expect(users.find(({ user }) => user.clientUserId === 'u2')?.selected).toEqual({ 2: [3, '["red","blue"]'] });
    expect(await storage.users.countWalk(appId, { by: 'values', keyNo: 2, values: ['[]', '["green"]'] })).toBe(6);
    expect(await storage.users.countWalk(appId, { by: 'user' }, 4)).toBe(4);
  });

  test('a page ends where the selections of the requested keys fill it', async () => {
    const mine = await createApplication(storage);
    for (const name of times(12, (at) => `long-${at}`)) {
      const { userId } = await createUser(storage, mine, { clientUserId: name });
      await save(mine, userId, 1, JSON.stringify(name + 'x'.repeat(400_000)));
    }
    for (const by of ['user', 'key'] as const) {
      const sizes: number[] = [];
      const names = new Set<string>();
      for (let after: UserPlace | null = null; ; ) {
        const page: Awaited<ReturnType<Storage['users']['walk']>> = await storage.users.walk(
          ...([mine, by === 'key' ? { by, keyNo: 1 } : { by }, { after, limit: 300, keyNos: [1] }] as const),
        );
        sizes.push(page.users.length);
        for (const { user } of page.users) names.add(user.clientUserId);
        if (page.next === null) break;
        after = page.next;
      }
      expect(names.size).toBe(12);
      expect(sizes.reduce((sum, size) => sum + size)).toBe(12);
      expect(Math.max(...sizes)).toBeLessThan(12);
    }
  });

  test('the distinct lists of a key are found, up to a limit', async () => {
    expect(await storage.users.listValues(appId, 2, 10)).toEqual(['["red","blue"]', '[]']);
    expect(await storage.users.listValues(appId, 2, 1)).toBeUndefined();
    expect(await storage.users.listValues(appId, 1, 10)).toEqual([]);
    expect(await storage.users.listValues(appId, 9, 10)).toEqual([]);
    const { userId } = await createUser(storage, appId, { clientUserId: 'zz' });
    await save(appId, userId, 3, JSON.stringify(['😀', '\uffff']));
    await save(appId, userId, 4, '"[1]"');
    expect(await storage.users.listValues(appId, 3, 10)).toEqual([JSON.stringify(['😀', '\uffff'])]);
    expect(await storage.users.listValues(appId, 4, 10)).toEqual([]);
    await storage.users.delete(appId, userId);
    expect(await storage.users.listValues(appId, 3, 10)).toEqual([]);
  });

  test.skipIf(database.isDistributed).each(WALKS)('$by reads only an index, from any place', async (walk) => {
    for (const after of [
      null,
      {
        userId: randomUUID(),
        ...((walk.by === 'key' || walk.by === 'values') && { value: '"m"' }),
        ...(walk.by === 'created' && { value: String(NOW).padStart(16, '0') }),
      },
    ]) {
      const page = { after, limit: 51, keyNos: [1, 2] };
      const plan = await explain(
        () => onSqlite.walkStatement(appId, walk, page),
        () => onPostgres.walkStatement(appId, walk, page),
      );
      expect(plan).not.toMatch(SCANS);
      if (database.kind === 'postgres') expect(plan.match(/Sort\b/g)?.length ?? 0).toBeLessThanOrEqual(2);
    }
    const counted = await explain(
      () => onSqlite.countStatement(appId, walk, 1_000),
      () => onPostgres.countStatement(appId, walk, 1_000),
    );
    expect(counted).not.toMatch(SCANS);
  });

  test.skipIf(database.isDistributed)('the lists of a key are read only from an index', async () => {
    const plan = await explain(
      () => ({ sql: onSqlite.LIST_VALUES, values: [appId, 2, 10] }),
      () => ({ text: onPostgres.LIST_VALUES, values: [appId, 2, 10] }),
    );
    expect(plan).toMatch(/selections/);
    expect(plan).not.toMatch(SCANS);
  });

  // Temporary results within the statement may be scanned.
  const SCANS = database.kind === 'sqlite' ? /SCAN (?!(?:[wv]|list)\b|\()|TEMP B-TREE/ : /Seq Scan/;

  async function explain(
    sqlite: () => ReturnType<typeof onSqlite.walkStatement>,
    postgres: () => ReturnType<typeof onPostgres.walkStatement>,
  ): Promise<string> {
    if (database.kind === 'sqlite') {
      const file = new DatabaseSync(url.slice('sqlite:'.length));
      const { sql, values } = sqlite();
      const rows = file.prepare(`explain query plan ${sql}`).all(...values);
      file.close();
      return rows.map(({ detail }) => detail).join('\n');
    }
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    // With this few rows the planner prefers sequential scans; now it only uses them if no index fits.
    await client.query('set enable_seqscan = off');
    const { text, values } = postgres();
    const { rows } = await client.query(`explain ${text}`, values);
    await client.end();
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  }
});
