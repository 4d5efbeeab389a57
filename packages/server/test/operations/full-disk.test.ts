import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { NewApplication } from '../../src/domain/applications/application.ts';
import { createActs, runBatch } from '../../src/storage/sqlite/batch.ts';
import { type Connection, connectToWrite } from '../../src/storage/sqlite/connection.ts';
import { migrate } from '../../src/storage/sqlite/migrations.ts';
import { type Database, databases } from '../databases.ts';
import { SECRET, uniqueName } from '../http/start.ts';
import { scratchFile } from '../scratch-file.ts';
import { endAll, makeApplication, serve } from './serve-process.ts';

describe('a database that cannot grow', () => {
  let connection: Connection;
  beforeAll(() => {
    connection = connectToWrite(scratchFile('db'));
    migrate(connection.database);
    const { page_count: pages } = connection.statement('pragma page_count').get() as { page_count: number };
    connection.database.exec(`pragma max_page_count = ${pages}`);
  });
  afterAll(() => connection.close());

  test('is reported as unavailable in a few words, and a defect keeps its stack', async () => {
    const acts = createActs(connection);
    const settle = (...args: unknown[]) =>
      runBatch(connection, acts, [['performCommonAct', [{ store: 'facts', act: 'settle', args }]]]);
    const [full] = await settle('large', 'x'.repeat(1_000_000));
    expect(full).toEqual({ failed: 'unavailable', message: 'database or disk is full', unwritable: true });
    const [defect] = await settle({}, 'x');
    expect(defect).toMatchObject({ failed: 'defect', message: expect.stringContaining('\n    at ') });
    expect(await settle('small', 'x')).toEqual([{ outcome: 'x' }]);
  });
});

describe('a service whose disk is full', () => {
  const [sqlite, postgres] = databases as [Database, Database];
  afterEach(endAll);

  const createUser = (url: string, { clientId, clientSecret }: NewApplication) => {
    const body = JSON.stringify({ clientId, clientSecret, clientUserId: uniqueName(), clientUserName: 'Name' });
    return fetch(`${url}/api/v2/app/create-user`, { method: 'POST', body });
  };
  const expectReadOnly = async (url: string, { clientId }: NewApplication) => {
    const ready = await fetch(`${url}/readyz`);
    expect({ status: ready.status, body: await ready.json() }).toEqual({
      status: 200,
      body: { status: 'read-only', problems: [{ kind: 'disk', message: expect.stringContaining('disk is full') }] },
    });
    expect((await fetch(`${url}/api/option_groups`, { headers: { apiKey: clientId } })).status).toBe(200);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toMatch(/^innkeeper_writes_failing 1$/m);
    expect(metrics).toMatch(/^innkeeper_problem\{kind="disk"\} 1$/m);
  };

  test('(sqlite) rejects writes, serves reads, says so, and has lost nothing', async () => {
    const databaseUrl = await sqlite.fresh();
    const application = await makeApplication(databaseUrl);
    const largestFile = Math.ceil(statSync(databaseUrl.slice('sqlite:'.length)).size / 1024) + 256;
    const settings = { databaseUrl, secret: SECRET, logLevel: 'warn' };
    const server = await serve({ settings, largestFile });
    expect(await (await fetch(`${server.url}/readyz`)).json()).toEqual({ status: 'ok' });
    let created = 0;
    const refused = await (async () => {
      for (;;) {
        const answer = await createUser(server.url, application);
        if (!answer.ok) return answer;
        created++;
      }
    })();
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ code: '9503' });
    expect(created).toBeGreaterThan(0);
    await expectReadOnly(server.url, application);
    server.signal('SIGKILL');
    await server.exited;

    const again = await serve({ settings });
    expect(await (await fetch(`${again.url}/readyz`)).json()).toEqual({ status: 'ok' });
    expect((await createUser(again.url, application)).status).toBe(200);
    const database = new DatabaseSync(databaseUrl.slice('sqlite:'.length), { readOnly: true });
    expect(database.prepare('select count(*) as users from users').get()).toEqual({ users: created + 1 });
    database.close();
  });

  test('(postgres) rejects writes, serves reads and says so', async () => {
    const databaseUrl = await postgres.fresh();
    const application = await makeApplication(databaseUrl);
    const server = await serve({ settings: { databaseUrl, secret: SECRET, logLevel: 'fatal' } });
    // PostgreSQL's own error when it cannot extend a file.
    await postgres.execute(
      databaseUrl,
      `create function fail() returns trigger language plpgsql as
         'begin raise exception using errcode = ''53100'', message = ''No space left on device''; end';
       create trigger fail before insert on users for each row execute function fail()`,
    );
    expect((await createUser(server.url, application)).status).toBe(503);
    await expectReadOnly(server.url, application);
  });
});
