import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import type { EventType, ImportEntry, Publication, Storage, StoredEvent } from '../../src/storage/port.ts';
import { databases } from '../databases.ts';
import { createApplication, createUser, NOW, times, user } from './examples.ts';

/** Saves by each of 64 writers while a reader follows. Set it to test a million events, which faults/ cannot do. */
const SAVES = Number(process.env.INNKEEPER_TEST_EVENTS ?? 12);
const MAX_MS = 120_000 + 64 * SAVES * 5;
const DAY = 86_400_000;

describe.each(databases)('events on $kind', (database) => {
  let storage: Storage;
  let other: Storage;
  let url: string;
  let appId: number;
  beforeAll(async () => {
    url = await database.fresh();
    const driver = await storageDriver(url);
    storage = await driver.open();
    other = await driver.open();
    appId = await createApplication(storage);
  });
  afterAll(() => Promise.all([storage.close(), other.close()]));

  const selection = (keyNo: number, value: unknown, selectionId: string = randomUUID()) => ({
    ...{ selectionId, keyNo, revision: 3, value: JSON.stringify(value), language: null },
  });
  const save = (userId: string, keyNo: number, value: unknown, at = NOW) =>
    storage.selections.save(appId, userId, [selection(keyNo, value)], { at, authMethod: 'user_uid' });
  const latest = async (app = appId): Promise<number> => {
    const page = await storage.events.read(app, 'latest', { limit: 1 });
    if (page.outcome !== 'read') throw new Error(page.outcome);
    return page.next;
  };
  /** All events after a position, as read by another replica. */
  const eventsAfter = async (place: number | 'start', app = appId, types?: EventType[]): Promise<StoredEvent[]> => {
    const events: StoredEvent[] = [];
    for (let after: number | 'start' = place; ; ) {
      const page = await other.events.read(app, after, { limit: 100, types });
      if (page.outcome !== 'read') throw new Error(page.outcome);
      events.push(...page.items);
      after = page.next;
      if (!page.more) return events;
    }
  };
  const typesAfter = async (place: number) => (await eventsAfter(place)).map(({ type }) => type);
  const publication = (app: number, revision: number): Publication => ({
    ...{ appId: app, revision, createdAt: NOW, author: 'ada@example.com', authors: [], difference: '[]' },
    ...{ languages: '[]', items: [], changes: 2, breaking: true },
  });

  test('the newest event of each of some applications', async () => {
    const [first, second, third] = await Promise.all(times(3, () => createApplication(storage)));
    const apps = [first, second, third] as [number, number, number];
    for (const app of [apps[0], apps[1], apps[0]]) await createUser(storage, app);
    const found = await other.events.newestOf([...apps, 999_999_999]);
    const lastOf = async (app: number) => (await eventsAfter('start', app)).at(-1)?.no as number;
    expect(found).toEqual(
      new Map([
        [apps[0], await lastOf(apps[0])],
        [apps[1], await lastOf(apps[1])],
      ]),
    );
    expect(await other.events.newestOf([])).toEqual(new Map());
  });

  test('each act has its event, with its data', async () => {
    const place = await latest();
    const { userId, clientUserId, clientUserName } = await createUser(storage, appId);
    const state = { clientUserId, clientUserName, status: 'active' };
    await storage.users.update(appId, userId, { clientUserName: 'Grace' }, NOW + 1);
    await storage.users.update(appId, userId, { status: 'suspended' }, NOW + 2);
    await storage.users.update(appId, userId, { status: 'active', clientUserId: `new ${clientUserId}` }, NOW + 3);
    await storage.users.update(appId, userId, { clientUserName: 'Grace' }, NOW + 4);
    const first = selection(1, 'red');
    await storage.selections.save(appId, userId, [first, selection(2, 7)], { at: NOW + 5, authMethod: 'access_token' });
    await save(userId, 1, 'blue', NOW + 6);
    await save(userId, 1, 'blue', NOW + 7);
    const by = { actor: 'ada@example.com', appId, keys: ['a/b'] };
    await storage.selections.unset(userId, first.selectionId, { at: NOW + 8, authMethod: 'manage', by });
    await storage.selections.unsetKeys(userId, [1, 2], { at: NOW + 9, authMethod: 'user_uid' });
    await save(userId, 3, 'old', NOW + 10);
    const migration = { migrationId: randomUUID(), subject: 'a/b', values: { from: 'old', to: 'new' } };
    await storage.selections.replaceValue(
      appId,
      { keyNo: 3, from: '"old"', to: '"new"', revision: 4, limit: 10, ...migration },
      { at: NOW + 11, actor: null },
    );
    expect(await storage.catalogs.publish(publication(appId, 1))).toBe('published');
    expect(await storage.catalogs.publish(publication(appId, 1))).toBe('conflict');

    const events = await eventsAfter(place);
    const about = { userId, published: null };
    const grace = { ...state, clientUserName: 'Grace' };
    const reported = (keyNo: number, fromValue: unknown, toValue: unknown, given = {}) => ({
      selectionId: expect.any(String),
      ...{ keyNo, revision: 3 },
      change: {
        ...{ authMethod: 'user_uid', actor: null },
        fromValue: fromValue === null ? null : JSON.stringify(fromValue),
        toValue: toValue === null ? null : JSON.stringify(toValue),
        ...given,
      },
    });
    const ofUser = { ...about, selection: null };
    const renamed = { ...grace, clientUserId: `new ${clientUserId}` };
    expect(events.map(({ no: _, ...event }) => event)).toEqual([
      { type: 'user.created', at: NOW, ...ofUser, user: state },
      { type: 'user.updated', at: NOW + 1, ...ofUser, user: grace },
      { type: 'user.suspended', at: NOW + 2, ...ofUser, user: { ...grace, status: 'suspended' } },
      { type: 'user.updated', at: NOW + 3, ...ofUser, user: renamed },
      { type: 'user.resumed', at: NOW + 3, ...ofUser, user: renamed },
      {
        type: 'selection.saved',
        at: NOW + 5,
        ...about,
        user: null,
        selection: reported(1, null, 'red', { authMethod: 'access_token' }),
      },
      {
        type: 'selection.saved',
        at: NOW + 5,
        ...about,
        user: null,
        selection: reported(2, null, 7, { authMethod: 'access_token' }),
      },
      { type: 'selection.saved', at: NOW + 6, ...about, user: null, selection: reported(1, 'red', 'blue') },
      {
        ...{ type: 'selection.unset', at: NOW + 8, ...about, user: null },
        selection: reported(1, 'blue', null, { authMethod: 'manage', actor: 'ada@example.com' }),
      },
      { type: 'selection.unset', at: NOW + 9, ...about, user: null, selection: reported(2, 7, null) },
      { type: 'selection.saved', at: NOW + 10, ...about, user: null, selection: reported(3, null, 'old') },
      {
        ...{ type: 'selection.saved', at: NOW + 11, ...about, user: null },
        selection: { ...reported(3, 'old', 'new', { authMethod: 'manage' }), revision: 4 },
      },
      {
        ...{ type: 'catalog.published', at: NOW, userId: null, user: null, selection: null },
        published: { revision: 1, changes: 2, breaking: true, by: 'ada@example.com' },
      },
    ]);
    expect(events[5]?.selection?.selectionId).toBe(first.selectionId);
    const nos = events.map(({ no }) => no);
    expect(nos).toEqual(nos.toSorted((a, b) => a - b));
    expect(await other.events.find(appId, [nos[3], nos[0]] as number[])).toEqual([events[0], events[3]]);
    expect(await other.events.find(await createApplication(storage), nos)).toEqual([]);
  });

  test('a rejected act has none', async () => {
    const { userId, clientUserId } = await createUser(storage, appId);
    await storage.users.update(appId, userId, { status: 'suspended' }, NOW);
    const place = await latest();
    await storage.users.createWithToken(user(appId, { clientUserId }));
    await storage.users.update(appId, randomUUID(), { clientUserName: 'x' }, NOW);
    await storage.users.delete(appId, randomUUID());
    await save(userId, 1, 'red');
    await save(randomUUID(), 1, 'red');
    await storage.selections.unset(userId, randomUUID(), { at: NOW, authMethod: 'user_uid' });
    expect(await typesAfter(place)).toEqual([]);
  });

  test('events of a deleted user are reduced to ids', async () => {
    const place = await latest();
    const { userId } = await createUser(storage, appId, { clientUserId: 'forget-me@example.org' });
    await storage.users.update(appId, userId, { clientUserName: 'Forget Me' }, NOW);
    await save(userId, 1, 'a secret wish');
    expect(await storage.users.delete(appId, userId)).toBe('deleted');
    const events = await eventsAfter(place);
    expect(events.map(({ type, userId: of }) => [type, of])).toEqual([
      ['user.created', userId],
      ['user.updated', userId],
      ['selection.saved', userId],
      ['user.deleted', userId],
    ]);
    expect(events.map(({ user }) => user)).toEqual([null, null, null, null]);
    expect(events[2]?.selection).toEqual({ selectionId: expect.any(String), keyNo: 1, revision: 3, change: null });
    await storage.trials.add(appId, 'trial@example.org', NOW);
    const trial = await createUser(storage, appId, { clientUserId: 'trial@example.org' });
    await storage.trials.end(appId, 'trial@example.org');
    const last = (await eventsAfter(events.at(-1)?.no ?? 0)).map(({ type, userId: of }) => [type, of]);
    expect(last).toEqual([
      ['user.created', trial.userId],
      ['user.deleted', trial.userId],
    ]);
  });

  test('an import has one event per user, or none', async () => {
    const entry = (clientUserId: string, given: Partial<ImportEntry> = {}): ImportEntry => ({
      ...{ clientUserId, clientUserName: 'Ada', userId: null, newUserId: randomUUID(), createdAt: NOW },
      selections: [{ ...selection(1, 'red'), createdAt: NOW, updatedAt: NOW }],
      ...given,
    });
    const place = await latest();
    const change = { at: NOW, ifThere: 'update', importId: randomUUID() } as const;
    await storage.transfer.importUsers(
      appId,
      [entry('one'), entry('two'), entry('none', { createdAt: null, selections: [] })],
      change,
    );
    const blue = { ...selection(1, 'blue'), createdAt: NOW, updatedAt: NOW + 1 };
    await storage.transfer.importUsers(
      appId,
      [entry('one', { selections: [blue] }), entry('two', { status: 'suspended', clientUserName: 'Eve' })],
      change,
    );
    await storage.transfer.importUsers(appId, [entry('one', { selections: [blue] }), entry('none')], change);
    const without = { ...change, withoutEvents: true };
    await storage.transfer.importUsers(appId, [entry('three'), entry('one', { clientUserName: 'Zoe' })], without);
    const events = await eventsAfter(place);
    const reported = events.map(
      ({ type, user }) => `${type} ${user?.clientUserId} ${user?.clientUserName} ${user?.status}`,
    );
    expect(reported.slice(0, 2).sort()).toEqual(['user.created one Ada active', 'user.created two Ada active']);
    expect(reported.slice(2, 4).sort()).toEqual(['user.suspended two Eve suspended', 'user.updated one Zoe active']);
    expect(reported.slice(4)).toEqual(['user.created none Ada active']);
  });

  test('an application with eventsKept=0 has none', async () => {
    const quiet = await createApplication(storage);
    await storage.applications.update(quiet, { set: { eventsKept: 0 } });
    const { userId } = await createUser(storage, quiet);
    await storage.users.update(quiet, userId, { clientUserName: 'Grace' }, NOW);
    await storage.selections.save(quiet, userId, [selection(1, 'red')], { at: NOW, authMethod: 'user_uid' });
    await storage.selections.unsetKeys(userId, [1], { at: NOW, authMethod: 'user_uid' });
    await storage.catalogs.publish(publication(quiet, 1));
    await storage.users.delete(quiet, userId);
    expect(await eventsAfter('start', quiet)).toEqual([]);
    await storage.applications.update(quiet, { reset: ['eventsKept'] });
    await createUser(storage, quiet);
    expect((await eventsAfter('start', quiet)).map(({ type }) => type)).toEqual(['user.created']);
  });

  test('pages have the requested length and types, and end at their last event', async () => {
    const app = await createApplication(storage);
    const users = await Promise.all(times(5, () => createUser(storage, app)));
    await storage.users.delete(app, users[2]?.userId as string);
    const page = await storage.events.read(app, 'start', { limit: 2 });
    expect(page).toMatchObject({ outcome: 'read', more: true });
    if (page.outcome !== 'read') return;
    expect(page.items).toHaveLength(2);
    expect(page.next).toBe(page.items[1]?.no);
    expect((await eventsAfter(page.next, app)).map(({ type }) => type)).toEqual([
      ...times(3, () => 'user.created'),
      'user.deleted',
    ]);
    expect((await eventsAfter('start', app, ['user.deleted'])).map(({ userId }) => userId)).toEqual([users[2]?.userId]);
    const rest = await storage.events.read(app, page.next, { limit: 10, types: ['catalog.published'] });
    expect(rest).toMatchObject({ outcome: 'read', items: [], more: false });
    expect(rest.outcome === 'read' && rest.next).toBeGreaterThanOrEqual(await storage.events.newest());
  });

  test('a purge deletes the oldest range, and reports to readers behind its end', async () => {
    const app = await createApplication(storage);
    const ats = [NOW, NOW + DAY, NOW + 2 * DAY, NOW + DAY];
    for (const createdAt of ats) await createUser(storage, app, { createdAt });
    const [first, second, third] = await eventsAfter('start', app);
    expect(await storage.events.purge(app, NOW - 1)).toBe(0);
    expect(await storage.events.purge(app, NOW + DAY)).toBe(2);
    expect(await storage.events.purge(app, NOW + DAY)).toBe(0);
    expect((await eventsAfter('start', app))[0]).toEqual(third);
    expect((await eventsAfter(second?.no as number, app))[0]).toEqual(third);
    expect(await other.events.read(app, first?.no as number, { limit: 1 })).toEqual({
      outcome: 'expired',
      oldest: second?.no,
    });
    expect(await storage.events.purge(app, NOW + 2 * DAY)).toBe(2);
    expect(await eventsAfter('start', app)).toEqual([]);
    await storage.applications.delete(app);
    expect(await eventsAfter('start', app)).toEqual([]);
  });

  test(
    "a reader following 64 writers misses nothing, sees nothing twice, and sees each user's events in order",
    async () => {
      const app = await createApplication(storage);
      const users = await Promise.all(times(24, () => createUser(storage, app)));
      let place: number = await latest(app);
      let isOver = false;
      const events: StoredEvent[] = [];
      const follow = async (): Promise<void> => {
        for (;;) {
          const wasOver = isOver;
          const page = await other.events.read(app, place, { limit: 100 });
          if (page.outcome !== 'read') throw new Error(page.outcome);
          events.push(...page.items);
          place = page.next;
          if (wasOver && page.items.length === 0) return;
          await new Promise((resolve) => setImmediate(resolve));
        }
      };
      const following = follow();
      await Promise.all(
        times(64, async (writer) => {
          const replica = writer % 2 === 0 ? storage : other;
          for (let nth = 0; nth < SAVES; nth++) {
            const { userId } = users[(writer * 7 + nth * 5) % users.length] as { userId: string };
            const wanted = selection(nth % 2, `${writer} ${nth}`);
            const saved = await replica.selections.save(app, userId, [wanted], { at: NOW, authMethod: 'user_uid' });
            expect(saved.outcome).toBe('saved');
          }
        }),
      );
      isOver = true;
      await following;
      expect(events).toHaveLength(64 * SAVES);
      expect(new Set(events.map(({ no }) => no)).size).toBe(64 * SAVES);
      const values = new Map<string, string | null>();
      for (const { selection: reported } of events) {
        const { selectionId, change } = reported as NonNullable<StoredEvent['selection']>;
        expect(change?.fromValue).toBe(values.get(selectionId) ?? null);
        values.set(selectionId, change?.toValue ?? null);
      }
    },
    MAX_MS,
  );

  test.runIf(database.kind === 'postgres' && !database.isDistributed)(
    'events committed late are not skipped',
    async () => {
      const place = await latest();
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      const late = randomUUID();
      try {
        await client.query('begin');
        await client.query('insert into events (app_id, type, at, user_id) values ($1, 4, $2, $3)', [appId, NOW, late]);
        const { userId } = await createUser(storage, appId);
        expect(await eventsAfter(place)).toEqual([]);
        expect(await latest()).toBe(place);
        await client.query('commit');
        expect((await eventsAfter(place)).map((event) => event.userId)).toEqual([late, userId]);
      } finally {
        await client.end();
      }
    },
  );
});
