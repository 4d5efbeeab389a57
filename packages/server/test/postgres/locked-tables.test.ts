import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { NewUser, Storage } from '../../src/storage/port.ts';
import { Overdue, resultWithin } from '../../src/storage/postgres/deadline.ts';
import { postgresDriver } from '../../src/storage/postgres/index.ts';
import { runInnkeeper } from '../cli/run-innkeeper.ts';
import { accessToken, createApplication, createUser, NOW, tally, times, user } from '../contract/examples.ts';
import { postgres } from '../databases.ts';
import { SECRET, startTestServer } from '../http/start.ts';
import { startPostgres } from '../postgres-server.ts';

let url: string;
let locker: pg.Client;
beforeEach(async () => {
  url = await postgres.fresh();
  locker = new pg.Client({ connectionString: url });
  await locker.connect();
});
afterEach(() => locker.end());

/** Waits until the server is not running any other statement. */
async function idle(): Promise<void> {
  const others = `select count(*)::integer as n from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`;
  await expect.poll(async () => (await locker.query(others)).rows[0].n).toBe(0);
}

async function refused(acts: Promise<unknown>[]): Promise<unknown[]> {
  return (await Promise.allSettled(acts)).map((act) => (act.status === 'rejected' ? act.reason.name : act.value));
}

test('acts rejected while tables are locked do not run later', async () => {
  const storage: Storage = await postgresDriver(url).open();
  try {
    const appId = await createApplication(storage);
    const [saver, exchanger, deleted] = (await Promise.all(times(3, () => createUser(storage, appId)))) as [
      NewUser,
      NewUser,
      NewUser,
    ];
    const newcomer = user(appId);
    const selection = { selectionId: randomUUID(), keyNo: 1, revision: 1, value: 'true', language: null };
    const save = () => storage.selections.save(appId, saver.userId, [selection], { at: NOW, authMethod: 'user_uid' });
    const acts = [
      save,
      () => storage.users.createWithToken(newcomer),
      () => storage.tokens.exchange(exchanger.specialToken.tokenHash, NOW, accessToken()),
      () => storage.users.delete(appId, deleted.userId),
      () => storage.facts.settle('a fact', 'a value'),
      () => storage.applications.update(appId, { name: 'Another' }),
    ];
    await locker.query('begin');
    await locker.query(
      'lock table selections, users, profiles, special_tokens, facts, change_log in access exclusive mode',
    );
    expect(await refused(acts.map((act) => act()))).toEqual(acts.map(() => 'StorageUnavailable'));
    await locker.query('commit');
    await idle();
    expect(await storage.selections.list(saver.userId)).toEqual([]);
    expect(await storage.users.find(appId, deleted.userId)).toMatchObject({ userId: deleted.userId });
    expect(await storage.facts.get('a fact')).toBeUndefined();
    expect((await storage.applications.list()).map(({ name }) => name)).not.toContain('Another');
    expect(await storage.users.createWithToken(newcomer)).toBe('created');
    expect(await storage.tokens.exchange(exchanger.specialToken.tokenHash, NOW, accessToken())).toBeTypeOf('object');
    expect(await save()).toMatchObject({ outcome: 'saved' });
  } finally {
    await storage.close();
  }
});

test('a lock on all tables is reported with its session, until it ends', async () => {
  const server = await startTestServer(url);
  try {
    const tables =
      "select string_agg(quote_ident(tablename), ', ') as names from pg_tables where schemaname = 'public'";
    const [{ names }] = (await locker.query(tables)).rows;
    await locker.query("set application_name = 'a stopped restore'");
    await locker.query('begin');
    await locker.query(`lock table ${names} in access exclusive mode`);
    const [{ pid }] = (await locker.query('select pg_backend_pid() as pid')).rows;
    const ready = async () => (await server.send('GET', '/readyz')).json;
    const holder = `session ${pid} of PostgreSQL (a stopped restore, user `;
    const LONG = { timeout: 30_000 };
    await expect.poll(ready, LONG).toMatchObject({ code: '9503', message: expect.stringContaining(holder) });
    expect((await ready()).message).toContain(`pg_terminate_backend(${pid})`);
    const [doctor, metrics] = await Promise.all([
      runInnkeeper(['doctor', '--json'], {
        INNKEEPER_DATABASE_URL: url,
        INNKEEPER_SECRET: SECRET,
        INNKEEPER_PORT: '0',
      }),
      server.send('GET', '/metrics'),
    ]);
    expect(metrics.text).toContain('innkeeper_problem{kind="lock"} 1');
    expect((JSON.parse(doctor.stdout) as { check: string }[]).find(({ check }) => check === 'database')).toMatchObject({
      ok: false,
      detail: expect.stringContaining(holder),
      remedy: expect.stringContaining(`pg_terminate_backend(${pid})`),
    });
    await locker.query('commit');
    await expect.poll(ready, LONG).toEqual({ status: 'ok' });
  } finally {
    await locker.query('rollback');
    await server.close();
  }
});

// As behind a pooler, where session settings are lost.
test('overdue statements of a shared connection are each cancelled', async () => {
  await locker.query('create table kept (n integer)');
  const shared = new pg.Client({ connectionString: url, pipeline: true });
  await shared.connect();
  try {
    await locker.query('begin');
    await locker.query('lock table kept in access exclusive mode');
    const insert = (n: number, ms: number) =>
      resultWithin(shared, { text: 'insert into kept values ($1)', values: [n] }, ms);
    const late = times(5, (n) => insert(n, 50));
    const waiting = insert(99, 60_000);
    const states = late.map((act) => act.catch((error: { code: string }) => error.code));
    expect(await tally(states as Promise<string>[])).toEqual({ 57014: 5 });
    await locker.query('commit');
    await waiting;
    await idle();
    expect((await locker.query('select n from kept')).rows).toEqual([{ n: 99 }]);
  } finally {
    await shared.end();
  }
});

test('a commit whose wait for a standby was cancelled for another statement is not acknowledged', async () => {
  const server = await startPostgres({ durable: true, settings: ['synchronous_standby_names=away'] });
  const shared = new pg.Client({ connectionString: server.url('postgres'), pipeline: true });
  await shared.connect();
  const other = new pg.Client({ connectionString: server.url('postgres') });
  await other.connect();
  try {
    await other.query('set synchronous_commit = local');
    await other.query('create table kept (n integer)');
    const waiting = resultWithin(shared, { text: 'insert into kept values (1)' }, 60_000);
    const waits = "select from pg_stat_activity where wait_event = 'SyncRep'";
    await expect.poll(async () => (await other.query(waits)).rowCount).toBe(1);
    const late = resultWithin(shared, { text: 'select 1' }, 50);
    await expect(waiting).rejects.toBeInstanceOf(Overdue);
    // Either also cancelled or completed.
    await late.catch(() => {});
  } finally {
    await shared.end();
    await other.end();
    await server.stop();
  }
});
