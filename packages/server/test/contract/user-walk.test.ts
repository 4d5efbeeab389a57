import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import type { Storage, UserPlace, UserWalk } from '../../src/storage/port.ts';
import { walkStatement as postgresStatement } from '../../src/storage/postgres/user-walk.ts';
import { walkStatement as sqliteStatement } from '../../src/storage/sqlite/user-walk.ts';
import { databases } from '../databases.ts';
import { createApplication, createUser, NOW, times } from './examples.ts';

const LONG = 'é'.repeat(230);
const WALKS: UserWalk[] = [
  { by: 'user' },
  { by: 'one', userId: randomUUID() },
  { by: 'suspended' },
  { by: 'value', keyNo: 1, value: '"blue"' },
  { by: 'element', keyNo: 2, element: '"red"' },
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
      const { userId } = await createUser(storage, appId, { clientUserId: `u${at}` });
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
      { at: NOW, means: 'manage' },
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

  test.each([1, 3, 500])('meet each of their users once, %i at a time', async (limit) => {
    expect(await walked({ by: 'user' }, limit)).toEqual(named(() => true));
    expect(await walked({ by: 'one', userId: userIds[3] as string }, limit)).toEqual(['u3']);
    expect(await walked({ by: 'suspended' }, limit)).toEqual(['u0', 'u1']);
    expect(await walked({ by: 'value', keyNo: 1, value: '"blue"' }, limit)).toEqual(named((at) => at % 3 === 0));
    expect(await walked({ by: 'element', keyNo: 2, element: '"red"' }, limit)).toEqual(named((at) => at % 2 === 0));
    expect(await walked({ by: 'element', keyNo: 2, element: '"green"' }, limit)).toEqual([]);
    expect(await walked({ by: 'key', keyNo: 1 }, limit)).toEqual(named(() => true));
    expect(await walked({ by: 'key', keyNo: 9 }, limit)).toEqual([]);
    // A long value may meet those of the same beginning too.
    const long = await walked({ by: 'value', keyNo: 1, value: JSON.stringify(`${LONG}0`) }, limit);
    expect(long).toEqual(expect.arrayContaining(named((at) => at % 3 !== 0 && at % 2 === 0)));
  });

  test('tell what was selected of the keys asked for, and count', async () => {
    const { users } = await storage.users.walk(appId, { by: 'user' }, { after: null, limit: 100, keyNos: [2, 7] });
    expect(users.find(({ user }) => user.clientUserId === 'u2')?.selected).toEqual({ 2: [3, '["red","blue"]'] });
    expect(await storage.users.countWalk(appId, { by: 'element', keyNo: 2, element: '"red"' })).toBe(6);
    expect(await storage.users.countWalk(appId, { by: 'user' }, 4)).toBe(4);
  });

  test('elements follow every change of a selection, and go with the user', async () => {
    const { userId } = await createUser(storage, appId, { clientUserId: 'zz' });
    const has = async (element: string) => (await walked({ by: 'element', keyNo: 5, element })).includes('zz');
    const elements = ['1', '2', '"a"'];
    const expectAll = async (wanted: string[]) =>
      expect(await Promise.all(elements.map(has))).toEqual(elements.map((each) => wanted.includes(each)));
    for (const [value, wanted] of [
      ['[1,2]', ['1', '2']],
      ['[2,"a"]', ['2', '"a"']],
      ['"a"', []],
      ['[]', []],
      [JSON.stringify([`${LONG}1`, `${LONG}2`, 1]), ['1']],
      ['["a"]', ['"a"']],
    ] as const) {
      await save(appId, userId, 5, value);
      await expectAll([...wanted]);
    }
    const [record] = (await storage.selections.list(userId)).filter(({ keyNo }) => keyNo === 5);
    await storage.selections.unset(userId, record?.selectionId as string, { at: NOW, means: 'manage' });
    await expectAll([]);
    await save(appId, userId, 5, '[1]');
    await storage.users.delete(appId, userId);
    expect(await storage.users.countWalk(appId, { by: 'element', keyNo: 5, element: '1' })).toBe(0);
  });

  test('lists saved at the same moment leave the elements of the last alone', async () => {
    const { userId } = await createUser(storage, appId, { clientUserId: 'zy' });
    const lists = times(24, (at) => JSON.stringify([at % 5, 100]));
    await Promise.all(lists.map((value) => save(appId, userId, 6, value)));
    const [last] = (await storage.selections.list(userId)).map(({ value }) => JSON.parse(value) as number[]);
    for (const element of [0, 1, 2, 3, 4]) {
      const count = await storage.users.countWalk(appId, { by: 'element', keyNo: 6, element: String(element) });
      expect({ element, count }).toEqual({ element, count: last?.includes(element) ? 1 : 0 });
    }
  });

  test.each(WALKS)('$by reads by an index alone, from any place', async (walk) => {
    for (const after of [null, { userId: randomUUID(), ...(walk.by === 'key' && { value: '"m"' }) }]) {
      const plan = await explain(walk, { after, limit: 51, keyNos: [1, 2] });
      expect(plan).not.toMatch(database.kind === 'sqlite' ? /SCAN (?!w\b)|TEMP B-TREE/ : /Seq Scan/);
      if (database.kind === 'postgres') expect(plan.match(/Sort\b/g)?.length ?? 0).toBeLessThanOrEqual(2);
    }
  });

  async function explain(walk: UserWalk, page: Parameters<Storage['users']['walk']>[2]): Promise<string> {
    if (database.kind === 'sqlite') {
      const file = new DatabaseSync(url.slice('sqlite:'.length));
      const { sql, values } = sqliteStatement(appId, walk, page);
      const rows = file.prepare(`explain query plan ${sql}`).all(...values);
      file.close();
      return rows.map(({ detail }) => detail).join('\n');
    }
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    // Of so few rows the planner would rather read all: with this it does so only where no index serves.
    await client.query('set enable_seqscan = off');
    const { text, values } = postgresStatement(appId, walk, page);
    const { rows } = await client.query(`explain ${text}`, values);
    await client.end();
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  }
});
