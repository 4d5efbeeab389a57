import { afterEach, expect, test } from 'vitest';
import { runInnkeeper } from '../cli/run-innkeeper.ts';
import { postgres } from '../databases.ts';
import { SECRET, startTestServer, type TestServer, uniqueName } from '../http/start.ts';
import { scratchFile } from '../scratch-file.ts';

const innkeeper = (url: string, ...args: string[]) =>
  runInnkeeper(args, { INNKEEPER_DATABASE_URL: url, INNKEEPER_SECRET: SECRET });

let server: TestServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** Starts a service on its own database; also returns a function that creates a user. */
async function start() {
  const databaseUrl = await postgres.fresh();
  const started = await startTestServer(databaseUrl);
  server = started;
  const { clientId, clientSecret } = await started.application();
  const create = () =>
    started.post('/api/v2/app/create-user', {
      clientId,
      clientSecret,
      clientUserId: uniqueName(),
      clientUserName: 'X',
    });
  const ready = () => started.send('GET', '/readyz');
  return { databaseUrl, create, ready, url: started.url };
}

test("another program's database is rejected and unchanged", async () => {
  const url = await postgres.empty();
  await postgres.execute(url, 'create table users (id integer); insert into users values (7)');
  const { code, stderr } = await innkeeper(url, 'migrate');
  expect(code).toBe(1);
  expect(stderr).toContain(
    'the database has tables of another program: relation "users" already exists. Nothing was changed.',
  );
  expect(stderr).toContain('createdb');
  expect(stderr).not.toContain('    at ');
  await expect(postgres.execute(url, 'select 1 from schema_lock')).rejects.toThrow('does not exist');
});

test('an earlier schema in the search path without our tables is not taken for damage', async () => {
  const { databaseUrl, create } = await start();
  const name = new URL(databaseUrl).pathname.slice(1);
  await postgres.execute(databaseUrl, `create schema other; alter database ${name} set search_path = other, public`);
  const { stdout } = await innkeeper(databaseUrl, 'doctor', '--deep', '--json', '--port', '0');
  const checks = JSON.parse(stdout) as { check: string; ok: boolean; detail: string }[];
  expect(checks.find(({ check }) => check === 'data')).toMatchObject({ ok: true });
  expect((await create()).status).toBe(200);
});

test('a read-only database: the start and the doctor say so', async () => {
  const url = await postgres.fresh();
  expect(await innkeeper(url, 'app', 'create', '--name', 'One')).toMatchObject({ code: 0 });
  const name = new URL(url).pathname.slice(1);
  await postgres.execute(url, `alter database ${name} set default_transaction_read_only = on`);
  const [created, doctor] = [await innkeeper(url, 'app', 'create', '--name', 'Two'), await innkeeper(url, 'doctor')];
  for (const { code, stdout, stderr } of [created, doctor]) {
    expect(code).toBe(1);
    expect(stdout + stderr).toMatch(/→ PostgreSQL is read-only: .* default_transaction_read_only/);
  }
});

test('a role that may not create tables gets the required grants', async () => {
  const url = await postgres.empty();
  const role = `poor_${new URL(url).pathname.slice(1)}`;
  await postgres.execute(url, `create role ${role} login password 'poor'`);
  const poor = Object.assign(new URL(url), { username: role, password: 'poor' }).href;
  const refused = await innkeeper(poor, 'migrate');
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('permission denied for schema public') });
  expect(refused.stderr).toContain('grant usage, create on schema public to ROLE');
  expect(refused.stderr).not.toContain('    at ');

  // Once another account has migrated the database, this one needs no right to create tables.
  expect(await innkeeper(url, 'migrate')).toMatchObject({ code: 0 });
  // It waits for no server: no retry can help.
  const started = await innkeeper(poor, 'serve', '--port', '0');
  expect(started).toMatchObject({ code: 1, stdout: '' });
  for (const { stdout, stderr } of [started, await innkeeper(poor, 'doctor', '--port', '0')]) {
    expect(stdout + stderr).toContain('permission denied for table schema_migrations');
    expect(stdout + stderr).toContain('grant all on all tables in schema public to ROLE');
  }
  await postgres.execute(
    url,
    `grant all on all tables in schema public to ${role}; grant all on all sequences in schema public to ${role}`,
  );
  expect(await innkeeper(poor, 'app', 'create', '--name', 'One')).toMatchObject({ code: 0 });
});

test('a missing table is a 503, and /readyz and doctor name it', async () => {
  const { databaseUrl, create, ready } = await start();
  await postgres.execute(databaseUrl, 'drop table profiles; drop index access_tokens_by_end');
  expect(await create()).toMatchObject({ status: 503, json: { code: '9503' } });
  expect(await ready()).toMatchObject({
    status: 503,
    json: { message: expect.stringContaining('relation "profiles" does not exist') },
  });
  const { code, stdout } = await innkeeper(databaseUrl, 'doctor', '--json');
  expect(code).toBe(1);
  const data = (JSON.parse(stdout) as { check: string; detail: string }[]).find(({ check }) => check === 'data');
  expect(data?.detail).toContain('table profiles is missing');
  expect(data?.detail).toContain('index access_tokens_by_end is missing');
});

test('a server that becomes read-only is reported until it accepts writes', async () => {
  const { databaseUrl, create, ready, url } = await start();
  const name = new URL(databaseUrl).pathname.slice(1);
  const setReadOnly = async (value: 'on' | 'off') => {
    await postgres.execute(
      databaseUrl,
      // In its own transaction.
      `begin read write; alter database ${name} set default_transaction_read_only = ${value}; commit`,
    );
    await postgres.execute(
      databaseUrl,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    );
  };
  await setReadOnly('on');
  await expect.poll(async () => (await create()).json.code).toBe('9503');
  await expect
    .poll(async () => {
      // The first 9503 may come from a terminated connection.
      await create();
      return (await ready()).json;
    })
    .toMatchObject({
      status: 'read-only',
      problems: expect.arrayContaining([expect.objectContaining({ kind: 'read-only' })]),
    });
  expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^innkeeper_writes_failing 1$/m);
  await setReadOnly('off');
  await expect.poll(async () => (await create()).status).toBe(200);
  await expect.poll(async () => (await ready()).json).toEqual({ status: 'ok' });
});

test('rows hidden by a policy are an error, never an incomplete response or backup', async () => {
  const { databaseUrl, create } = await start();
  expect(await create()).toMatchObject({ status: 200 });
  const role = `owner_${new URL(databaseUrl).pathname.slice(1)}`;
  await postgres.execute(
    databaseUrl,
    `create role ${role} login password 'owner'; grant create, usage on schema public to ${role};
     alter table users owner to ${role}; grant all on all tables in schema public to ${role};
     grant all on all sequences in schema public to ${role};
     alter table users enable row level security; alter table users force row level security`,
  );
  const owned = Object.assign(new URL(databaseUrl), { username: role, password: 'owner' }).href;
  const { code, stderr } = await innkeeper(owned, 'backup', scratchFile('backup'));
  expect(code).toBe(1);
  expect(stderr).toContain('row-level security');
});

test('a server that may lose acknowledged data is reported', async () => {
  const databaseUrl = await postgres.fresh();
  const name = new URL(databaseUrl).pathname.slice(1);
  await postgres.execute(databaseUrl, `alter database ${name} set synchronous_commit = off`);
  server = await startTestServer(databaseUrl);
  expect((await server.send('GET', '/readyz')).json).toMatchObject({
    status: 'ok',
    problems: [{ kind: 'durability', message: expect.stringContaining('synchronous_commit off') }],
  });
  const { stdout } = await innkeeper(databaseUrl, 'doctor');
  expect(stdout).toContain('synchronous_commit off');
});
