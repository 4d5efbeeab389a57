import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withCatalog } from '../http/options/example-catalog.ts';
import { makeSignedInUser, startTestServer } from '../http/start.ts';
import { type PostgresServer, startPostgres } from '../postgres-server.ts';
import { scratchFile } from '../scratch-file.ts';
import { inThread } from './in-thread.ts';
import { commandLine } from './run-innkeeper.ts';

const PASSWORD = 'of both servers';
const DATABASE = 'innkeeper';

/** A hot standby that streams from the primary. */
describe('commands that only read, on a read replica', () => {
  let [primary, replica] = [] as PostgresServer[] as [PostgresServer, PostgresServer];
  let cli: ReturnType<typeof commandLine>;
  let onPrimary: ReturnType<typeof commandLine>;
  let clientId: string;

  beforeAll(async () => {
    primary = await startPostgres({ password: PASSWORD });
    const url = await primary.createDatabase(DATABASE);
    await primary.pause();
    const from = `host=127.0.0.1 port=${primary.port} user=innkeeper password='${PASSWORD}'`;
    replica = await startPostgres({
      settings: [`primary_conninfo=${from}`],
      copyOf: { data: primary.data, password: PASSWORD, standby: true },
    });
    await primary.resume();
    const server = await startTestServer(url);
    const { application, apiKey, choice } = await withCatalog(server);
    clientId = application.clientId;
    await makeSignedInUser(server, application, 'ben@example.com');
    const { accessToken } = await makeSignedInUser(server, application, 'ada@example.com');
    const body = await choice('fruit', ['cherry'], { access_token: accessToken });
    expect(await server.post('/api/user_options', body, apiKey)).toMatchObject({ status: 201 });
    await server.close();
    onPrimary = commandLine(url, inThread);
    cli = commandLine(replica.url(DATABASE), inThread);
    await caughtUp();
  });
  afterAll(() => Promise.all([primary, replica].map((server) => server?.stop())));

  const ask = async (server: PostgresServer, sql: string) => {
    const client = new pg.Client({ connectionString: server.url(DATABASE) });
    await client.connect();
    try {
      return (await client.query(sql)).rows[0];
    } finally {
      await client.end();
    }
  };
  const caughtUp = async () => {
    const { at } = await ask(primary, 'select pg_current_wal_lsn() as at');
    const isThere = `select coalesce(pg_last_wal_replay_lsn() >= '${at}', false) as there`;
    while (!(await ask(replica, isThere)).there) await sleep(50);
  };

  /** Receipts are signed on demand and contain the time. */
  const withoutReceipts = (text: string) => text.replaceAll(/"eyJ[\w.-]+"/g, '"receipt"');

  const commands: [string, string[], string][] = [
    ['all users', ['users', 'export'], 'ben@example.com'],
    ['users with a selection', ['users', 'export', '--where', 'kitchen.fruit=cherry'], 'ada@example.com'],
    ['one user', ['users', 'export', '--user', 'ada@example.com'], 'cherry'],
    ['who a user is', ['users', 'show', 'ada@example.com'], 'ada@example.com'],
    ['the catalog', ['catalog', 'export'], 'kitchen'],
  ];
  test.each(commands)('%s', async (_, args, expected) => {
    const command = [...args, '--app', clientId];
    const there = await onPrimary.run(...command);
    expect(there).toMatchObject({ code: 0, stdout: expect.stringContaining(expected) });
    const here = await cli.run(...command);
    expect(here.code).toBe(0);
    expect(withoutReceipts(here.stdout)).toBe(withoutReceipts(there.stdout));
    const isAudited = command[1] === 'export' && command[0] === 'users';
    if (isAudited) expect(here.stderr).toContain('so this export has no audit entry');
    else expect(here.stderr).toBe(there.stderr);
  });

  test('a backup', async () => {
    const path = scratchFile('backup');
    expect(await cli.run('backup', path)).toMatchObject({ code: 0 });
    expect(await cli.run('restore', path, '--check')).toMatchObject({ code: 0 });
  });

  test('a change is refused, with the reason', async () => {
    const { code, stderr } = await cli.run('users', 'suspend', 'ada@example.com', '--app', clientId);
    expect(code).toBe(1);
    expect(stderr).toContain('read-only');
  });
});
