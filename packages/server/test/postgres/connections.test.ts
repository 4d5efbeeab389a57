import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { type Storage, StorageUnavailable } from '../../src/storage/port.ts';
import { postgresDriver } from '../../src/storage/postgres/index.ts';
import { createApplication, createUser, times, user } from '../contract/examples.ts';
import { databases } from '../databases.ts';
import { startPostgres } from '../postgres-server.ts';
import { eventually } from './eventually.ts';
import { flakyProxy } from './flaky-proxy.ts';

const postgres = databases.find(({ kind }) => kind === 'postgres');
if (!postgres) throw new Error('no PostgreSQL');

/** Cleanups, run in reverse order, even if the test fails. */
const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  while (undo.length > 0) await undo.pop()?.();
});

async function open(url: string, actMs?: number): Promise<Storage> {
  const storage = await postgresDriver(url, actMs).open();
  undo.push(() => storage.close());
  return storage;
}

describe('an unreachable server', () => {
  test('acts wait for a server that is back soon: those that were not sent succeed', async () => {
    const server = await startPostgres();
    undo.push(() => server.stop());
    const storage = await open(await server.createDatabase(), 60_000);
    const appId = await createApplication(storage);
    const { userId } = await createUser(storage, appId);

    await server.pause('crash');
    // Wait until the pool has noticed that its connections are lost.
    await expect.poll(() => storage.figures().connections?.open).toBe(0);
    const acts = Promise.all([
      ...times(100, () => storage.users.createWithToken(user(appId))),
      storage.tokens.revokeAll(appId, userId).then(() => 'revoked'),
      storage.applications.update(appId, { name: 'x' }),
      storage.users.find(appId, userId).then((found) => found?.userId),
    ]);
    await expect(storage.ping()).rejects.toBeInstanceOf(StorageUnavailable);
    await server.resume();
    expect(new Set(await acts)).toEqual(new Set(['created', 'revoked', 'updated', userId]));
    expect(await storage.applications.countUsers(appId)).toBe(101);
  });

  test('acts fail immediately while it stays away, and succeed when it is back, without reopening', async () => {
    const server = await startPostgres();
    undo.push(() => server.stop());
    const storage = await open(await server.createDatabase(), 1_500);
    const appId = await createApplication(storage);

    await server.pause('crash');
    await storage.users.createWithToken(user(appId)).catch(() => {});
    // Waits for the server, in vain.
    await storage.users.createWithToken(user(appId)).catch(() => {});
    for (const _ of times(5, String)) {
      const started = Date.now();
      const acts = [
        storage.ping(),
        storage.users.createWithToken(user(appId)),
        storage.applications.update(appId, { name: 'x' }),
      ];
      for (const act of await Promise.allSettled(acts)) {
        expect(act).toMatchObject({ status: 'rejected', reason: expect.any(StorageUnavailable) });
      }
      expect(Date.now() - started).toBeLessThan(10_000);
    }
    await server.resume();
    await eventually(() => storage.ping());
    expect(await eventually(() => storage.users.createWithToken(user(appId)))).toBe('created');
    expect(await eventually(() => storage.applications.update(appId, { name: 'y' }))).toBe('updated');
  });

  test('everything acknowledged before a crash is there after it', async () => {
    const server = await startPostgres({ durable: true });
    undo.push(() => server.stop());
    const storage = await open(await server.createDatabase());
    const appId = await createApplication(storage);
    const acknowledged: string[] = [];
    const writers = times(32, async () => {
      for (;;) {
        const mine = user(appId);
        try {
          await storage.users.createWithToken(mine);
        } catch (error) {
          expect(error).toBeInstanceOf(StorageUnavailable);
          return;
        }
        acknowledged.push(mine.userId);
      }
    });
    await expect.poll(() => acknowledged.length).toBeGreaterThan(50);
    await server.pause('crash');
    await Promise.all(writers);
    await server.resume();
    await eventually(() => storage.ping());
    const found = await Promise.all(acknowledged.map((userId) => storage.users.find(appId, userId)));
    expect(found.filter(Boolean)).toHaveLength(acknowledged.length);
  });

  test('connections closed by the server: reads do not notice', async () => {
    const url = await postgres.fresh();
    const storage = await open(url);
    const appId = await createApplication(storage);
    const { userId } = await createUser(storage, appId);
    const readAtOnce = () => Promise.all(Array.from({ length: 32 }, () => storage.users.find(appId, userId)));
    await readAtOnce();
    let isOver = false;
    const ending = postgres
      .execute(
        url,
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      )
      .finally(() => {
        isOver = true;
      });
    // Keep reading while all connections are being terminated.
    do for (const found of await readAtOnce()) expect(found).toMatchObject({ userId });
    while (!isOver);
    await ending;
    for (const found of await readAtOnce()) expect(found).toMatchObject({ userId });
    expect(await eventually(() => storage.users.createWithToken(user(appId)))).toBe('created');
    expect(await eventually(() => storage.applications.update(appId, { name: 'z' }))).toBe('updated');
  });

  test('a connection closed by the server right after the start: reads do not notice', async () => {
    const proxy = await flakyProxy(await postgres.fresh());
    undo.push(() => proxy.close());
    const storage = await open(proxy.url);
    const appId = await createApplication(storage);
    const { userId } = await createUser(storage, appId);
    proxy.endTheNext();
    expect(await storage.users.find(appId, userId)).toMatchObject({ userId });
  });

  test('a server that stops responding fails acts in time, and is used again when it responds', async () => {
    const proxy = await flakyProxy(await postgres.fresh());
    undo.push(() => proxy.close());
    const storage = await open(proxy.url);
    const appId = await createApplication(storage);
    const { userId } = await createUser(storage, appId);
    await storage.tokens.revokeAll(appId, userId);
    proxy.blackHole();
    const started = Date.now();
    const ended: string[] = [];
    const fails = (name: string, act: Promise<unknown>) =>
      expect(act)
        .rejects.toBeInstanceOf(StorageUnavailable)
        .then(() => ended.push(name));
    // The second waits for the first, but has the same deadline as every act.
    const create = () => storage.users.createWithToken(user(appId, { clientUserId: 'one@example.org' }));
    const failing = [fails('first', create())];
    await sleep(200);
    failing.push(fails('second', create()));
    await sleep(200);
    failing.push(fails('by itself', storage.users.delete(appId, userId)));
    await Promise.all(failing);
    expect(new Set(ended)).toEqual(new Set(['first', 'second', 'by itself']));
    expect(Date.now() - started).toBeLessThan(20_000);
    proxy.heal();
    expect(await eventually(() => storage.users.createWithToken(user(appId)))).toBe('created');
  });
});

test('a busy process does not take the server for gone while connecting', async () => {
  // With another address to try, the connect timeout is short.
  const opening = open((await postgres.fresh()).replace(/@([^/]+)/, '@$1,127.0.0.1:1'));
  // Blocks longer than the connect timeout, as loading modules does on a busy machine.
  setImmediate(() => {
    for (const until = performance.now() + 2_200; performance.now() < until; );
  });
  await (await opening).ping();
});

test('prepared statements lost in a pooler cost only speed', async () => {
  const proxy = await flakyProxy(await postgres.fresh());
  undo.push(() => proxy.close());
  const storage = await open(proxy.url);
  const appId = await createApplication(storage);
  const create = () => Promise.all(times(40, () => storage.users.createWithToken(user(appId))));
  await create();
  for (const round of [2, 3, 4]) {
    await proxy.forgetPreparedStatements();
    expect(new Set(await create())).toEqual(new Set(['created']));
    expect(await storage.applications.countUsers(appId)).toBe(40 * round);
  }
});

test('prepared statements lost once are prepared again', async () => {
  const proxy = await flakyProxy(await postgres.fresh());
  undo.push(() => proxy.close());
  const storage = await open(proxy.url);
  const appId = await createApplication(storage);
  const create = () => Promise.all(times(40, () => storage.users.createWithToken(user(appId))));
  await create();
  await proxy.forgetPreparedStatements();
  await create();
  const before = proxy.names();
  await create();
  expect(proxy.names()).toBeGreaterThan(before);
});

test('an error about a connection behind the server, as of a Citus worker, leaves the own one open and leaks none', async () => {
  const server = await startPostgres();
  undo.push(() => server.stop());
  const url = await server.createDatabase();
  const storage = await open(url);
  const appId = await createApplication(storage);
  const look = new pg.Client(url);
  await look.connect();
  undo.push(() => look.end());
  await look.query(`
    create function away() returns trigger language plpgsql as
      $$ begin raise exception 'connection to the remote node failed' using errcode = '08006'; end $$;
    create trigger away before insert on profiles for each row execute function away();
  `);
  const connections = async (): Promise<string[]> => {
    const { rows } = await look.query<{ pid: string }>(
      "select pid::text from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() order by 1",
    );
    return rows.map(({ pid }) => pid);
  };
  const fail = () => expect(storage.users.createWithToken(user(appId))).rejects.toBeInstanceOf(StorageUnavailable);
  await fail();
  const before = await connections();
  for (const _ of times(50, String)) await fail();
  expect(await connections()).toEqual(before);
});

test('a server with few connections left is used with those', async () => {
  const server = await startPostgres({ settings: ['max_connections=6', 'superuser_reserved_connections=0'] });
  undo.push(() => server.stop());
  const url = await server.createDatabase();
  const storage = await open(url);
  const appId = await createApplication(storage);
  for (const round of [1, 2, 3]) {
    expect(new Set(await Promise.all(times(100, () => storage.users.createWithToken(user(appId)))))).toEqual(
      new Set(['created']),
    );
    expect(await eventually(() => storage.applications.countUsers(appId))).toBe(100 * round);
  }
  // Wait until no connection is left. None of the earlier statements was a delete.
  const { userId } = await createUser(storage, appId);
  for (let left = true; left; ) {
    const client = new pg.Client({ connectionString: url });
    left = await client.connect().then(
      () => true,
      () => false,
    );
    if (left) undo.push(() => client.end());
  }
  expect(await storage.users.delete(appId, userId)).toBe('deleted');
});
