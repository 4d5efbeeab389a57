import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest';
import type { NewApplication } from '../../src/domain/applications/application.ts';
import { checkData, recordDamage, storageDriver } from '../../src/storage/open.ts';
import { connectToRead, connectToWrite } from '../../src/storage/sqlite/connection.ts';
import { type CheckRecords, DamageWatch } from '../../src/storage/sqlite/damage-watch.ts';
import { type FileCheck, factActs, fileCheckReads } from '../../src/storage/sqlite/file-check.ts';
import { migrate } from '../../src/storage/sqlite/migrations.ts';
import { databases } from '../databases.ts';
import { makeSignedInUser, makeUser, SECRET, startTestServer, type TestServer } from '../http/start.ts';
import { endAll, makeApplication, serve } from '../operations/serve-process.ts';
import { scratchFile } from '../scratch-file.ts';
import { DAMAGE, DAMAGE_KINDS, emptyLog, makeFreePages } from './damage-file.ts';

const [sqlite] = databases as [(typeof databases)[0]];
const PAGE = 4096;

/** Overwrites every page but the first, like a disk that returns data that was never written. */
function spoil(path: string): void {
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xff, PAGE));
}

describe('a service whose file is damaged', () => {
  let server: TestServer;
  let path: string;
  let application: NewApplication;
  let user: Awaited<ReturnType<typeof makeSignedInUser>>;
  const good = scratchFile('db');
  beforeEach(async () => {
    const url = await sqlite.fresh();
    path = url.slice('sqlite:'.length);
    server = await startTestServer(url);
    application = await server.application();
    user = await makeSignedInUser(server, application);
    // Closing moves all writes into the file, and clears the cache.
    await server.close();
    copyFileSync(path, good);
    server = await startTestServer(url);
  });
  afterEach(() => server.close());

  const createUser = () => {
    const { clientId, clientSecret } = application;
    const body = { clientId, clientSecret, clientUserId: 'newcomer', clientUserName: 'New' };
    return server.post('/api/v2/app/create-user', body);
  };
  const readOptions = () =>
    server.send('GET', '/api/user_options', {
      headers: { apiKey: application.clientId, authorization: `Bearer ${user.accessToken}` },
    });

  it('returns 9503 for reads and writes, and /readyz fails until a check finds the file clean', async () => {
    expect((await server.send('GET', '/readyz')).status).toBe(200);
    emptyLog(path);
    spoil(path);
    const read = await readOptions();
    expect([read.status, read.json.code, read.headers.get('retry-after')]).toEqual([503, '9503', '1']);
    const ready = await server.send('GET', '/readyz');
    expect(ready).toMatchObject({ status: 503, json: { message: expect.stringContaining(path) } });
    expect(ready.text).toContain('innkeeper restore');
    expect((await server.send('GET', '/metrics')).text).toMatch(/^innkeeper_problem\{kind="corruption"\} 1$/m);
    expect((await server.send('GET', '/livez')).status).toBe(200);
    expect((await createUser()).status).toBe(503);

    copyFileSync(good, path);
    // Nothing fails any more, but the whole file has yet to be checked.
    expect((await server.send('GET', '/readyz')).status).toBe(503);
    await vi.waitFor(async () => expect((await server.send('GET', '/readyz')).status).toBe(200), {
      timeout: 120_000,
      interval: 200,
    });
    expect((await createUser()).status).toBe(200);
  }, 180_000);

  it('reports damage that only a write meets', async () => {
    await makeUser(server, application);
    makeFreePages(path);
    emptyLog(path);
    await server.close();
    DAMAGE['overwritten free list'](path);
    server = await startTestServer(`sqlite:${path}`);
    expect((await server.send('GET', '/readyz')).status).toBe(200);
    const large = 'x'.repeat(20_000);
    await expect(server.service.storage.facts.settle('large', large)).rejects.toThrow(`${path} is damaged`);
    expect((await server.send('GET', '/readyz')).json.message).toContain(`${path} is damaged`);
    // Reads continue, but a missing row may only be unreadable.
    expect((await readOptions()).status).toBe(200);
    await expect(server.service.storage.facts.get('missing')).rejects.toThrow('is damaged');
  });
});

describe('innkeeper serve on a damaged file', () => {
  afterEach(endAll);

  it('logs it once, and once when it is clean again', async () => {
    const databaseUrl = await sqlite.fresh();
    const path = databaseUrl.slice('sqlite:'.length);
    await makeApplication(databaseUrl);
    const server = await serve({
      settings: { databaseUrl, secret: SECRET },
    });
    emptyLog(path);
    const good = readFileSync(path);
    spoil(path);
    const about = () => server.logs().filter(({ problem }) => problem === 'corruption');
    await vi.waitFor(
      async () => {
        await fetch(`${server.url}/readyz`);
        expect(about()).toMatchObject([{ level: 'error', msg: expect.stringContaining(path) }]);
      },
      { timeout: 20_000, interval: 100 },
    );
    writeFileSync(path, good);
    await vi.waitFor(() => expect(about()).toMatchObject([{ level: 'error' }, { level: 'info' }]), {
      timeout: 120_000,
      interval: 200,
    });
  }, 180_000);

  it('refuses to start without a header, with a suggested fix', async () => {
    const databaseUrl = await sqlite.fresh();
    const path = databaseUrl.slice('sqlite:'.length);
    await makeApplication(databaseUrl);
    DAMAGE['damaged header'](path);
    const server = await serve({ settings: { databaseUrl, secret: SECRET }, failing: true });
    expect(await server.exited).toMatchObject({ code: 1 });
    expect(server.stderr() + server.stdout()).toMatch(/file .* is damaged: file is not a database.*innkeeper restore/s);
  });
});

describe('the check of the whole file', () => {
  const watches: DamageWatch[] = [];
  afterAll(() => Promise.all(watches.map((watch) => watch.close())));
  const times = { lookMs: 50, recheckMs: 50 };

  /** A service's facts, in an intact file. */
  function keepRecords() {
    const connection = connectToWrite(scratchFile('db'));
    migrate(connection.database);
    const { claimFileCheck, recordFileCheck } = factActs(connection);
    const { lastFileCheck } = fileCheckReads(connection);
    const recorded: FileCheck[] = [];
    const records: CheckRecords = {
      last: lastFileCheck,
      claim: async (now, everyMs) => claimFileCheck(now, everyMs),
      record: async (check) => {
        recorded.push(check);
        recordFileCheck(check);
      },
    };
    return { records, recorded };
  }

  async function watched(path: string, records: CheckRecords): Promise<DamageWatch> {
    const watch = new DamageWatch(path, records, times);
    watches.push(watch);
    await watch.start();
    return watch;
  }

  it.each(DAMAGE_KINDS.filter((kind) => kind !== 'damaged header'))('finds: %s', async (kind) => {
    const path = scratchFile('db');
    await makeUsers(path);
    DAMAGE[kind](path);
    const { records, recorded } = keepRecords();
    const watch = await watched(path, records);
    await vi.waitFor(() => expect(watch.problems()).toHaveLength(1), { timeout: 60_000 });
    expect(watch.problems()).toMatchObject([{ kind: 'corruption', effect: 'down' }]);
    expect(recorded[0]?.findings).not.toEqual([]);
    // A process that starts later knows immediately, and so does one that was already running.
    expect((await watched(path, records)).problems()).toHaveLength(1);
  });

  it('adopts the findings of `innkeeper doctor`', async () => {
    const path = scratchFile('db');
    await makeUsers(path);
    DAMAGE['flipped key of a user'](path);
    const check = await checkData(`sqlite:${path}`, { deep: true, onStep: () => {} });
    expect(check.findings).not.toEqual([]);
    await recordDamage(`sqlite:${path}`, check.findings);
    const connection = connectToRead(path);
    const { lastFileCheck } = fileCheckReads(connection);
    const watch = await watched(path, { ...keepRecords().records, last: lastFileCheck });
    expect(watch.problems()).toMatchObject([{ kind: 'corruption', effect: 'down' }]);
    connection.close();
  });

  it('is not cleared by a check that began before it was found', async () => {
    const path = scratchFile('db');
    await makeUsers(path);
    const { records } = keepRecords();
    const watch = new DamageWatch(path, records, { ...times, recheckMs: 60_000 });
    watches.push(watch);
    await watch.start();
    const startedAt = Date.now();
    await new Promise((resolve) => setTimeout(resolve, 5));
    watch.note('a page is damaged');
    await records.record({ startedAt, finishedAt: Date.now() + 1, findings: [] });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(watch.problems()).toHaveLength(1);
    await records.record({ startedAt: Date.now() + 2, finishedAt: Date.now() + 3, findings: [] });
    await vi.waitFor(() => expect(watch.problems()).toEqual([]));
  });

  it('is done by one process, and reports nothing for an intact file', async () => {
    const path = scratchFile('db');
    await makeUsers(path);
    const { records, recorded } = keepRecords();
    const both = [await watched(path, records), await watched(path, records)];
    await vi.waitFor(() => expect(recorded).toHaveLength(1), { timeout: 60_000 });
    expect(recorded[0]?.findings).toEqual([]);
    for (const watch of both) expect(watch.problems()).toEqual([]);
    // It does not become due again, however often it is polled.
    expect(await records.claim(Date.now(), 1_000_000)).toBe(false);
  });
});

test('a check is claimed once a week, regardless of clock changes', async () => {
  const connection = connectToWrite(scratchFile('db'));
  migrate(connection.database);
  const { claimFileCheck, recordFileCheck } = factActs(connection);
  const [hour, week] = [3_600_000, 7 * 86_400_000];
  const now = Date.now();
  expect(claimFileCheck(now, week)).toBe(true);
  expect(claimFileCheck(now + hour, week)).toBe(false);
  // The process that claimed it has died.
  expect(claimFileCheck(now + 7 * hour, week)).toBe(true);
  recordFileCheck({ startedAt: now, finishedAt: now + 8 * hour, findings: [] });
  expect(claimFileCheck(now + 24 * hour, week)).toBe(false);
  expect(claimFileCheck(now + 9 * 24 * hour, week)).toBe(true);
  // Recorded with a clock that was years ahead.
  recordFileCheck({ startedAt: now, finishedAt: now + 100 * week, findings: [] });
  expect(claimFileCheck(now, week)).toBe(true);
  connection.close();
});

/** Creates enough rows to fill several leaf pages, and free pages. */
async function makeUsers(path: string): Promise<void> {
  await (await storageDriver(`sqlite:${path}`)).migrate();
  const database = new DatabaseSync(path);
  database.exec(`
    begin;
    insert into applications (app_id, client_id, name, settings, created_at) values (1, '1_a', 'A', '{}', 0);
    create temp table made as
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 500)
      select i, randomblob(16) as user_id, 'user-' || hex(randomblob(6)) as name from n;
    insert into users (user_id, app_id, client_user_id, created_at) select user_id, 1, name, 0 from made;
    insert into profiles select 1, name, user_id, 'Name' from made;
    insert into access_tokens select randomblob(16), user_id, 0, 9e12 from made;
    insert into selections (user_id, key_no, app_id, selection_id, revision, value, language, created_at, updated_at, last_event)
      select user_id, 1, 1, randomblob(16), 1, '["a"]', null, 0, 0, 1 from made;
    commit;
  `);
  database.close();
  makeFreePages(path);
  emptyLog(path);
}
