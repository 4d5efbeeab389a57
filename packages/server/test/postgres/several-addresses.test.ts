import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { postgresDriver } from '../../src/storage/postgres/index.ts';
import { splitHosts } from '../../src/storage/postgres/servers.ts';
import { application, user } from '../contract/examples.ts';
import { type PostgresServer, startPostgres } from '../postgres-server.ts';
import { eventually } from './eventually.ts';

const PASSWORD = 'shared by the servers of one database';
const APP_ID = 7;
const CLIENT_ID = '7_x';

let primary: PostgresServer;
let standby: PostgresServer;
beforeAll(async () => {
  [primary, standby] = await Promise.all([
    startPostgres({ password: PASSWORD }),
    startPostgres({ password: PASSWORD }),
  ]);
  // The application has another name on each: that is all the replication these tests need.
  for (const [server, name] of [
    [primary, 'primary'],
    [standby, 'standby'],
  ] as const) {
    const storage = await postgresDriver(await server.createDatabase('innkeeper')).open();
    await storage.applications.create(application({ appId: APP_ID, clientId: CLIENT_ID, name }));
    await storage.close();
  }
});
afterAll(() => Promise.all([primary, standby].map((server) => server?.stop())));

async function setWritable(server: PostgresServer, writable: boolean): Promise<void> {
  const client = new pg.Client({ connectionString: server.url('postgres') });
  await client.connect();
  try {
    await client.query(`alter system set default_transaction_read_only = ${writable ? 'off' : 'on'}`);
    await client.query('select pg_reload_conf()');
    const ask = 'select setting from pg_settings where name = $1';
    const setting = async () => (await client.query(ask, ['default_transaction_read_only'])).rows[0]?.setting;
    await expect.poll(setting).toBe(writable ? 'off' : 'on');
  } finally {
    await client.end();
  }
}

test('the address that accepts writes is used, also when that changes under open connections', async () => {
  await setWritable(standby, false);
  const hosts = `127.0.0.1:1,127.0.0.1:${standby.port},127.0.0.1:${primary.port}`;
  const storage = await postgresDriver(
    `postgres://innkeeper:${encodeURIComponent(PASSWORD)}@${hosts}/innkeeper`,
  ).open();
  try {
    const nameFound = async () => (await storage.applications.findByClientId(CLIENT_ID))?.name;
    expect(await nameFound()).toBe('primary');
    expect(await storage.users.createWithToken(user(APP_ID))).toBe('created');

    await setWritable(standby, true);
    await setWritable(primary, false);
    // The old address rejected it without doing anything.
    expect(await storage.users.createWithToken(user(APP_ID))).toBe('created');
    expect(await eventually(nameFound)).toBe('standby');
    expect(await eventually(() => storage.applications.update(APP_ID, {}))).toBe('updated');
  } finally {
    await storage.close();
  }
});

test('two addresses that accept writes are reported, one under two names is not', async () => {
  await setWritable(standby, true);
  await setWritable(primary, true);
  const at = (...hosts: string[]) => `postgres://innkeeper:${encodeURIComponent(PASSWORD)}@${hosts.join()}/innkeeper`;
  const [one, other] = [`127.0.0.1:${primary.port}`, `127.0.0.1:${standby.port}`];
  const twice = await postgresDriver(at(one, `localhost:${primary.port}`)).open();
  expect(twice.problems()).toEqual([]);
  await twice.close();
  const split = await postgresDriver(at(one, other)).open();
  expect(split.problems()).toMatchObject([
    { kind: 'addresses', message: expect.stringContaining(`${one} and ${other}`) },
  ]);
  await split.close();
});

test('URLs with several hosts become one URL per host', () => {
  expect(splitHosts('postgres://u:p%40@h1:5432,[::1]:5433,h3/db?sslmode=disable')).toEqual([
    'postgres://u:p%40@h1:5432/db?sslmode=disable',
    'postgres://u:p%40@[::1]:5433/db?sslmode=disable',
    'postgres://u:p%40@h3/db?sslmode=disable',
  ]);
  expect(splitHosts('postgresql://localhost/db')).toEqual(['postgresql://localhost/db']);
});
