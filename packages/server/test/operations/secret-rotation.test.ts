import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { checkSecret } from '../../src/domain/check-secret.ts';
import { createKeyring } from '../../src/domain/keyring.ts';
import { countSealed, rotateMasterSecret } from '../../src/domain/rotate-master-secret.ts';
import { readPreviousSecret, readSecretFile, renewSecretFile } from '../../src/secret-file.ts';
import { SecretWatch } from '../../src/secret-watch.ts';
import { storageDriver } from '../../src/storage/open.ts';
import { SEALED_PLACES, type Storage } from '../../src/storage/port.ts';
import { inThread } from '../cli/in-thread.ts';
import { databases, sqlite } from '../databases.ts';
import { type Receiver, startReceiver } from '../events/receiver.ts';
import { SECRET, startTestServer, type TestServer } from '../http/start.ts';
import { scratchFile } from '../scratch-file.ts';
import { seedData } from './seed-data.ts';

const NEW = 'the next secret of these tests, Zq81-0xPlm-77ab';
const OTHER = 'a third one that nobody has used, Kw20-5yGhj-93cd';

let receiver: Receiver;
const servers: TestServer[] = [];
beforeAll(async () => {
  receiver = await startReceiver();
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});
afterAll(() => receiver.close());

async function start(url: string, secret: string, secretPrevious = ''): Promise<TestServer> {
  const server = await startTestServer(url, { secret, secretPrevious, webhooksAllow: '127.0.0.1' });
  servers.push(server);
  return server;
}

async function stop(server: TestServer): Promise<void> {
  servers.splice(servers.indexOf(server), 1);
  await server.close();
}

function commands(url: string, secrets: Record<string, string>) {
  const run = (...args: string[]) => inThread(args, { INNKEEPER_DATABASE_URL: url, ...secrets });
  return {
    run,
    rotate: () => run('secret', 'rotate', '--json'),
    /** What doctor reports about the secret. */
    async doctor(): Promise<string> {
      const checks = JSON.parse((await run('doctor', '--json', '--port', '0')).stdout) as Record<string, string>[];
      return checks.flatMap(({ check, detail, remedy }) => (check === 'secret' ? [`${detail} ${remedy}`] : [])).join();
    },
  };
}

describe.each(databases)('a rotation of INNKEEPER_SECRET on $kind', (database) => {
  test('every credential stays valid before, during and after it, in every replica', async () => {
    const url = await database.fresh();
    const old = await start(url, SECRET);
    const made = await seedData(old, receiver);

    // The first step of the roll-out: replicas with both secrets beside those with only the old one.
    const both = await start(url, NEW, SECRET);
    const madeDuring = await seedData(both, receiver);
    expect(await made.failures(both)).toEqual([]);
    expect(await madeDuring.failures(old)).toEqual([]);
    const line = commands(url, { INNKEEPER_SECRET: NEW, INNKEEPER_SECRET_PREVIOUS: SECRET });
    expect(await line.doctor()).toMatch(
      /rotation in progress: 0 of \d+ sealed records .* INNKEEPER_SECRET_PREVIOUS is needed .* run: innkeeper secret rotate/,
    );

    const rotated = await line.rotate();
    expect(rotated).toMatchObject({ code: 0, stderr: '' });
    const { resealed, total } = JSON.parse(rotated.stdout) as { resealed: number; total: number };
    expect(JSON.parse(rotated.stdout)).toMatchObject({ outcome: 'rotated', unreadable: 0 });
    expect([resealed, total >= 5]).toEqual([total, true]);
    expect(await made.failures(both)).toEqual([]);
    const madeAfter = await seedData(both, receiver);

    // A replica that was left behind reports it, and seals nothing with the old secret any more.
    await vi.waitFor(async () => expect((await fetch(`${old.url}/readyz`)).status).toBe(503), { timeout: 10_000 });
    expect(await (await fetch(`${old.url}/readyz`)).text()).toContain('was rotated');
    expect(() => old.service.keyring.seal(Buffer.from('x'))).toThrow('was rotated');
    await stop(old);

    expect(await line.doctor()).toMatch(
      /rotated: (\d+) of \1 sealed records .* INNKEEPER_SECRET_PREVIOUS can be removed/,
    );
    expect(JSON.parse((await line.rotate()).stdout)).toMatchObject({ outcome: 'unchanged', resealed: 0 });
    await stop(both);

    const after = await start(url, NEW);
    expect(await madeAfter.failures(after)).toEqual([]);
    // Anyone with the old secret could forge the links that it authenticates.
    expect(await madeDuring.failures(after)).toEqual(['preference link: 404']);
    expect(await commands(url, { INNKEEPER_SECRET: NEW }).doctor()).toBe('strong null');
  });

  test('wrong secrets are rejected, with a suggested fix', async () => {
    const url = await database.fresh();
    await stop(await start(url, SECRET));
    await expect(start(url, NEW, OTHER)).rejects.toThrow('nor does INNKEEPER_SECRET_PREVIOUS');
    await expect(start(url, NEW)).rejects.toThrow('INNKEEPER_SECRET does not match this database');
    await expect(start(url, SECRET, NEW)).rejects.toThrow('swap the two');
    await expect(start(url, SECRET, SECRET)).rejects.toThrow('is the same as INNKEEPER_SECRET');
    expect(await commands(url, { INNKEEPER_SECRET: SECRET }).rotate()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Set INNKEEPER_SECRET to a new secret'),
    });
    const weak = commands(url, { INNKEEPER_SECRET: 'short', INNKEEPER_SECRET_PREVIOUS: SECRET });
    expect(await weak.rotate()).toMatchObject({ code: 1, stderr: expect.stringContaining('is weak') });
    expect(await commands(url, { INNKEEPER_SECRET: NEW, INNKEEPER_SECRET_PREVIOUS: OTHER }).rotate()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('nor does INNKEEPER_SECRET_PREVIOUS'),
    });
    const alone = await commands(url, { INNKEEPER_SECRET_PREVIOUS: SECRET }).run('app', 'list');
    expect(alone).toMatchObject({ code: 2, stderr: expect.stringContaining('Set both, or neither') });
  });

  test('interrupted after any step, both secrets decrypt everything, and running it again completes it', async () => {
    const url = await database.fresh();
    const server = await start(url, SECRET);
    const made = await seedData(server, receiver);
    await stop(server);
    const storage = await (await storageDriver(url)).open();
    const now = Date.now();
    for (let stops = 0; ; stops++) {
      const keyring = createKeyring(NEW, SECRET);
      await checkSecret(storage, keyring);
      const { current, left, total } = await countSealed(storage, keyring);
      expect(current + left).toBe(total);
      const outcome = await rotateMasterSecret(stoppedAfter(storage, 1), keyring, { now, noticedMs: 50 }).catch(String);
      if (typeof outcome === 'object') {
        expect(outcome).toMatchObject({ outcome: 'unchanged', unreadable: 0 });
        expect([stops, left]).toEqual([3, 0]);
        break;
      }
      expect(outcome).toBe('Error: stopped');
      // Until the rotation is complete, the previous secret is needed.
      const isFinished = stops === 2;
      const alone = checkSecret(storage, createKeyring(NEW));
      await (isFinished ? alone : expect(alone).rejects.toThrow('is still needed'));
    }
    await storage.close();
    expect(await made.failures(await start(url, NEW, SECRET))).toEqual([]);
  });
});

test('every column of encrypted texts is encrypted again', async () => {
  const url = await sqlite.fresh();
  await (await (await storageDriver(url)).open()).close();
  const database = new DatabaseSync(url.slice('sqlite:'.length), { readOnly: true });
  const columns = database
    .prepare(
      `select t.name as "table", c.name as "column" from sqlite_schema t, pragma_table_info(t.name) c
       where t.type = 'table' and (c.name like '%sealed%' or c.name like '%totp') order by 1, 2`,
    )
    .all();
  database.close();
  const places = Object.values(SEALED_PLACES).map(({ table, column }) => ({ table, column }));
  expect(columns).toEqual(places.toSorted((a, b) => (`${a.table} ${a.column}` < `${b.table} ${b.column}` ? -1 : 1)));
});

test('a backup from before the rotation is restored with both secrets, and rotated again', async () => {
  const url = await sqlite.fresh();
  const server = await start(url, SECRET);
  const made = await seedData(server, receiver);
  const file = scratchFile('backup');
  const old = commands(url, { INNKEEPER_SECRET: SECRET });
  expect(await old.run('backup', file)).toMatchObject({ code: 0 });
  await stop(server);
  const line = commands(url, { INNKEEPER_SECRET: NEW, INNKEEPER_SECRET_PREVIOUS: SECRET });
  expect(await line.rotate()).toMatchObject({ code: 0 });
  const both = await start(url, NEW, SECRET);
  const restore = ['restore', file, '--replace', '--yes'];
  expect(await commands(url, { INNKEEPER_SECRET: NEW }).run(...restore)).toMatchObject({ code: 1 });
  expect(await line.run(...restore)).toMatchObject({ code: 0 });
  await both.service.refresh();
  expect(await made.failures(both)).toEqual([]);
  expect(await line.doctor()).toMatch(/rotation in progress: 0 of/);
  expect(await line.rotate()).toMatchObject({ code: 0 });
  await stop(both);
  expect(await made.failures(await start(url, NEW))).toEqual(['preference link: 404']);
});

/** Makes the process end right after its Nth write. */
function stoppedAfter(storage: Storage, writes: number): Storage {
  let left = writes;
  const counted =
    <Args extends unknown[], T>(act: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      const outcome = await act(...args);
      left -= 1;
      if (left === 0) throw new Error('stopped');
      return outcome;
    };
  const { sealed, facts } = storage;
  return {
    ...storage,
    facts: { get: facts.get, settle: facts.settle, replace: counted(facts.replace) },
    sealed: { list: sealed.list, replace: counted(sealed.replace), switchSecret: counted(sealed.switchSecret) },
  };
}

describe('a rotation of the secret file of an embedded database', () => {
  test('needs no restart: a running service adopts the new secret', async () => {
    const url = await sqlite.fresh();
    const file = `${url.slice('sqlite:'.length)}.secret`;
    const server = await start(url, '');
    const made = await seedData(server, receiver);
    const before = readSecretFile(file);
    const line = commands(url, {});
    expect(await line.rotate()).toMatchObject({ code: 0, stderr: '' });
    const after = readSecretFile(file);
    expect([after === before, after.length, readPreviousSecret(file)]).toEqual([false, 64, before]);
    expect(await made.failures(server)).toEqual([]);
    const madeAfter = await seedData(server, receiver);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    expect(existsSync(`${file}.recovered`)).toBe(false);
    expect(await line.doctor()).toContain(`${file}.previous can be removed`);
    await stop(server);

    const second = await start(url, '');
    for (const each of [made, madeAfter]) expect(await each.failures(second)).toEqual([]);
    await stop(second);
    rmSync(`${file}.previous`);
    const third = await start(url, '');
    expect(await madeAfter.failures(third)).toEqual([]);
    expect(await line.doctor()).toBe('strong null');
    // A second rotation: the first secret is now two behind.
    expect(await line.rotate()).toMatchObject({ code: 0 });
    expect(await madeAfter.failures(third)).toEqual([]);
    expect(await made.failures(third)).toEqual(['preference link: 404']);
  });

  test('interrupted between its files, it starts with both, and the next run completes it', async () => {
    const url = await sqlite.fresh();
    const file = `${url.slice('sqlite:'.length)}.secret`;
    const server = await start(url, '');
    const made = await seedData(server, receiver);
    await stop(server);
    const line = commands(url, {});
    // Interrupted after the copy of the old secret was written.
    copyFileSync(file, `${file}.previous`);
    const first = await start(url, '');
    expect(await made.failures(first)).toEqual([]);
    await stop(first);
    // Interrupted after the new secret replaced it, before the database changed. Two concurrent commands renew it once.
    const before = readSecretFile(file);
    for (let times = 0; times < 2; times++) renewSecretFile(file, url);
    expect(readPreviousSecret(file)).toBe(before);
    const second = await start(url, '');
    expect(await made.failures(second)).toEqual([]);
    expect(await line.doctor()).toMatch(/rotation in progress: 0 of/);
    // The copy is deleted too early.
    rmSync(`${file}.previous`);
    const { config, keyring } = {
      config: readConfig({ databaseUrl: url }, { env: {} }),
      keyring: second.service.keyring,
    };
    const watch = new SecretWatch({ ...config, secretPrevious: before }, keyring, second.logger);
    await watch.follow(second.service.storage);
    watch.look();
    watch.close();
    expect(readPreviousSecret(file)).toBe(before);
    const [one, other] = await Promise.all([line.rotate(), line.rotate()]);
    expect([one, other]).toMatchObject([{ code: 0 }, { code: 0 }]);
    expect(await made.failures(second)).toEqual([]);
    expect(readFileSync(file, 'utf8')).not.toContain(before);
  });
});
