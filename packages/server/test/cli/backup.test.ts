import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { createApplication } from '../../src/domain/applications/create-application.ts';
import { TableDigest } from '../../src/domain/backup/summarize-table.ts';
import { checkSecret } from '../../src/domain/check-secret.ts';
import { createKeyring } from '../../src/domain/keyring.ts';
import { backupFiles, storageDriver } from '../../src/storage/open.ts';
import type { StoredRow } from '../../src/storage/port.ts';
import { createBackupFile } from '../../src/storage/sqlite/backup-file.ts';
import { databases } from '../databases.ts';
import { dump } from '../dump.ts';
import { EXAMPLE, withCatalog } from '../http/options/example-catalog.ts';
import { bearer, makeSignedInUser, makeUser, SECRET, startTestServer, uniqueName } from '../http/start.ts';
import { byName, summarizeDatabase } from '../summarize-database.ts';
import { bin, commandLine, runInnkeeper } from './run-innkeeper.ts';

/** Access tokens are good at the address that issued them. */
const HOME = { publicUrl: 'https://users.example.com' };

/** Ends itself when all is written but not committed; with so small a cache, what is written is in the log by then. */
const KILLED_AT_COMMIT = `data:text/javascript,${encodeURIComponent(`
  import { DatabaseSync } from 'node:sqlite';
  const { exec } = DatabaseSync.prototype;
  DatabaseSync.prototype.exec = function (sql) {
    if (sql === 'commit') process.kill(process.pid, 'SIGKILL');
    exec.call(this, sql);
    if (sql === 'begin immediate') exec.call(this, 'pragma cache_size = 10');
  };
`)}`;

const summarize = (url: string) => summarizeDatabase(url, scratch());

const scratch = (): string => join(inject('scratchFolder'), `${randomBytes(8).toString('hex')}.backup`);

describe.each(databases)('a backup of $kind', (database) => {
  let made: Awaited<ReturnType<typeof backUpUnderLoad>>;

  /** A shop with users who have every kind of credential, backed up while others are being made. */
  async function backUpUnderLoad() {
    const url = await database.fresh();
    const server = await startTestServer(url, HOME);
    try {
      const { application, choice, apiKey } = await withCatalog(server);
      const user = await makeSignedInUser(server, application);
      const newcomer = await makeUser(server, application);
      const saved = await server.post(
        '/api/user_options',
        { user_uid: user.userCode, ...(await choice('fruit', ['apple', 'cherry'])) },
        apiKey,
      );
      expect(saved.status).toBe(201);
      const file = scratch();
      const backup = commandLine(url).json('backup', file);
      let under = true;
      void backup.finally(() => {
        under = false;
      });
      const slowest = { ms: 0, count: 0 };
      while (under) {
        const from = performance.now();
        const { clientId, clientSecret } = application;
        const names = { clientUserId: uniqueName(), clientUserName: 'Under load' };
        const answers = await Promise.all(
          ['a', 'b', 'c', 'd'].map((end) =>
            server.post('/api/v2/app/create-user', {
              clientId,
              clientSecret,
              ...names,
              clientUserId: names.clientUserId + end,
            }),
          ),
        );
        for (const { status } of answers) expect(status).toBe(200);
        slowest.ms = Math.max(slowest.ms, performance.now() - from);
        slowest.count += answers.length;
      }
      return { url, file, told: await backup, application, user, newcomer, choice, apiKey, slowest };
    } finally {
      await server.close();
    }
  }

  beforeAll(async () => {
    made = await backUpUnderLoad();
  });

  test('is of one moment, and nobody was held up', async () => {
    const { file, told, slowest } = made;
    expect(told).toMatchObject({ file, source: database.kind, secretIncluded: false, bytes: statSync(file).size });
    expect(slowest.count).toBeGreaterThan(0);
    expect(slowest.ms).toBeLessThan(15_000);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const copy = new DatabaseSync(file, { readOnly: true });
    const torn = copy.prepare(
      'select (select count(*) from users) as users, (select count(*) from profiles) as profiles, (select count(*) from users join special_tokens using (user_id)) as tokens',
    );
    const { users, profiles, tokens } = torn.get() as Record<string, number>;
    copy.close();
    // One of them has spent its token.
    expect([profiles, tokens]).toEqual([users, (users as number) - 1]);
  });

  test('holds no secret in the clear', async () => {
    const bytes = readFileSync(made.file);
    const { application, user, newcomer } = made;
    for (const secret of [SECRET, application.clientSecret, user.accessToken, newcomer.specialToken]) {
      expect(bytes.includes(secret)).toBe(false);
    }
  });

  test.each(databases)('restored into $kind has the same rows, and every credential works', async (target) => {
    const { file, told, application, user, newcomer, apiKey } = made;
    const url = await target.fresh();
    expect(await commandLine(url).json('restore', file)).toMatchObject({ rows: told.rows, replaced: null });
    expect(byName(await summarize(url))).toEqual(byName(told.tables));

    const server = await startTestServer(url, HOME);
    try {
      const { clientSecret } = application;
      const options = await server.send('GET', '/api/user_options', {
        headers: { ...apiKey, ...bearer(user.accessToken) },
      });
      expect(options).toMatchObject({ status: 200, json: { items: [{ option: { value: ['apple', 'cherry'] } }] } });
      const { specialToken } = newcomer;
      const granted = await server.post('/oauth/v2/get-access-token', { clientSecret, specialToken });
      expect(granted.status).toBe(200);
      const again = await makeUser(server, application);
      expect(again.specialToken).toEqual(expect.any(String));
    } finally {
      await server.close();
    }
  });

  test('replaces an earlier backup only when told to, and nothing that is no backup', async () => {
    const { run } = commandLine(made.url);
    const file = scratch();
    copyFileSync(made.file, file);
    const inode = statSync(file).ino;
    const other = scratch();
    writeFileSync(other, 'dear diary');
    const link = scratch();
    symlinkSync(file, link);
    const [there, forced, foreign, nowhere] = await Promise.all([
      run('backup', made.file),
      run('backup', link, '--force', '--json'),
      run('backup', other, '--force'),
      run('backup', join(made.file, 'x.backup')),
    ]);
    expect(there).toMatchObject({ code: 2, stderr: expect.stringContaining('--force') });
    expect(forced.code).toBe(0);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(statSync(file).ino).not.toBe(inode);
    expect(byName(JSON.parse(forced.stdout).tables)).toEqual(byName(await summarize(made.url)));
    expect(foreign).toMatchObject({ code: 2, stderr: expect.stringContaining('is not a backup') });
    expect(readFileSync(other, 'utf8')).toBe('dear diary');
    expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining('not a folder') });
  });

  test('leaves nothing behind when its disk is full', async () => {
    const file = scratch();
    const limited = spawn('bash', ['-c', 'ulimit -f 100; exec "$@"', 'bash', process.execPath, bin, 'backup', file], {
      env: {
        PATH: process.env.PATH,
        INNKEEPER_DATABASE_URL: made.url,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    limited.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    expect(await once(limited, 'close')).toEqual([1, null]);
    expect(stderr).toMatch(/cannot be written.*space on its disk/s);
    expect(readdirSync(inject('scratchFolder')).filter((name) => name.includes(basename(file)))).toEqual([]);
  });

  test('is refused of an empty database, and of one with an older schema', async () => {
    const [empty, older] = await Promise.all([database.fresh(), database.fresh()]);
    const { latest } = await (await storageDriver(older)).migrate();
    await database.execute(
      older,
      database.kind === 'sqlite'
        ? `pragma user_version = ${latest - 1}`
        : `delete from schema_migrations where number = ${latest}`,
    );
    const [first, second] = await Promise.all([
      runInnkeeper(['backup', scratch(), '--database-url', empty]),
      runInnkeeper(['backup', scratch(), '--database-url', older]),
    ]);
    expect(first).toMatchObject({ code: 1, stderr: expect.stringContaining('nothing to back up') });
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining('innkeeper migrate') });
  });
});

describe.each(databases)('restoring into $kind', (database) => {
  let url: string;
  let file: string;
  beforeAll(async () => {
    url = await database.fresh();
    file = await bigBackup();
    await makeSomething(url);
  });

  /** An application with so many users that restoring them takes a while. */
  async function bigBackup(schema?: number, users = 20_000): Promise<string> {
    const path = scratch();
    const file = createBackupFile(path, schema);
    const given: Record<string, Record<string, StoredRow[number]>[]> = {
      applications: [{ app_id: 7, client_id: '7_restored', name: 'Restored', settings: '{}', created_at: 1 }],
      users: Array.from({ length: users }, (_, index) => ({
        user_id: Buffer.from(randomUUID().replaceAll('-', ''), 'hex'),
        app_id: 7,
        client_user_id: `user-${index}`,
        created_at: index,
      })).sort((one, other) => Buffer.compare(one.user_id, other.user_id)),
      facts: [{ name: 'secret-check', value: createKeyring(SECRET).seal(Buffer.from('innkeeper')) }],
    };
    const tables = file.tables.map((table) => {
      const rows = (given[table.name] ?? []).map((row) => table.columns.map((column) => row[column] ?? null));
      const digest = new TableDigest(table);
      digest.add(rows);
      file.add(table, rows);
      return digest.summary();
    });
    file.finish({ version: '0.0.1', madeAt: 1, source: 'sqlite', tables });
    return path;
  }

  async function makeSomething(databaseUrl: string) {
    const storage = await (await storageDriver(databaseUrl)).open();
    const keyring = createKeyring(SECRET);
    await checkSecret(storage, keyring);
    const application = await createApplication(storage, keyring, 'There before', Date.now());
    await storage.close();
    return application;
  }

  test('what cannot be restored is refused, and nothing is changed', async () => {
    const before = await dump(url);
    const bytes = readFileSync(file);
    const altered = (change: (copy: string) => void): string => {
      const copy = scratch();
      writeFileSync(copy, bytes, { mode: 0o600 });
      change(copy);
      return copy;
    };
    const sql = (text: string) => (copy: string) => {
      const opened = new DatabaseSync(copy);
      opened.exec(text);
      opened.close();
    };
    const flipped = Buffer.from(bytes);
    flipped.fill(0xa5, bytes.length / 2, bytes.length / 2 + 64);
    const replace = ['--replace', '--yes'];
    type Case = [string, string[], number, RegExp];
    // No database is opened before these are refused: one will do.
    const badFiles: Case[] = [
      ['missing', [scratch(), ...replace], 2, /does not exist/],
      ['foreign', [altered((copy) => writeFileSync(copy, 'dear diary')), ...replace], 1, /is not a backup/],
      ['empty', [altered((copy) => truncateSync(copy, 0)), ...replace], 1, /is not a backup/],
      ['a database', [altered(sql('pragma application_id = 0')), ...replace], 1, /is not a backup/],
      ['with orders', [altered(sql('create view v as select 1')), ...replace], 1, /is not a backup/],
      ['truncated', [altered((copy) => truncateSync(copy, bytes.length / 2)), ...replace], 1, /is damaged/],
      ['a table short', [altered(sql('drop table activity')), ...replace], 1, /is damaged/],
      [
        'newer',
        [altered(sql('pragma user_version = 9999')), ...replace],
        1,
        /newer Innkeeper.*that version or a later/s,
      ],
      ['another secret, checked', [file, '--check', '--secret', `${SECRET}!`], 1, /The file is whole, but/],
    ];
    const cases: Case[] = [
      ...(database.kind === 'sqlite' ? badFiles : []),
      ['damaged', [altered((copy) => writeFileSync(copy, flipped)), ...replace], 1, /is damaged/],
      ['edited', [altered(sql("update applications set name = 'Mine'")), ...replace], 1, /rows of applications/],
      ['not empty', [file], 1, /is not empty, it has 1 application/],
      ['nobody to ask', [file, '--replace'], 2, /1 application.*--yes/s],
      ['another secret', [file, ...replace, '--secret', `${SECRET}!`], 1, /made under another secret/],
    ];
    const { run } = commandLine(url);
    for (let from = 0; from < cases.length; from += 4) {
      await Promise.all(
        cases.slice(from, from + 4).map(async ([name, args, code, message]) => {
          const ending = await run('restore', ...args);
          expect({ name, ...ending }).toMatchObject({ name, code, stdout: '', stderr: expect.stringMatching(message) });
        }),
      );
    }
    expect(await dump(url)).toBe(before);
  });

  test('--check tells that a file is whole without a database or a secret', async () => {
    chmodSync(file, 0o400);
    const nowhere = database.kind === 'sqlite' ? 'sqlite:/nowhere/x.db' : 'postgres://nobody@127.0.0.1:1/none';
    const { code, stdout } = await runInnkeeper(['restore', file, '--check', '--json', '--database-url', nowhere]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ whole: true, secret: 'none', rows: 20_002 });
  });

  test('one that is killed leaves the database as it was', async () => {
    const target = await database.fresh();
    await makeSomething(target);
    const before = await dump(target);
    const nodeArgs = database.kind === 'sqlite' ? ['--import', KILLED_AT_COMMIT] : [];
    const child = spawn(process.execPath, [...nodeArgs, bin, 'restore', file, '--replace', '--yes'], {
      env: { PATH: process.env.PATH, INNKEEPER_DATABASE_URL: target, INNKEEPER_SECRET: SECRET },
      stdio: 'ignore',
    });
    const ended = once(child, 'exit');
    if (database.kind === 'postgres') {
      await Promise.race([atWork(target), ended]);
      child.kill('SIGKILL');
    }
    expect(await ended).toEqual([null, 'SIGKILL']);
    if (database.kind === 'sqlite') {
      expect(statSync(`${target.slice('sqlite:'.length)}-wal`).size).toBeGreaterThan(1_000_000);
    }
    expect(await dump(target)).toBe(before);
  });

  test('replaces what is there, when told to', async () => {
    const told = await commandLine(url).json('restore', file, '--replace', '--yes');
    expect(told).toMatchObject({ rows: 20_002, replaced: { applications: 1, users: 0, accounts: 0 } });
    expect(byName(await summarize(url))).toMatchObject({ users: { rows: 20_000 }, applications: { rows: 1 } });
  });

  /** Resolves when somebody has the tables of PostgreSQL to itself. */
  async function atWork(databaseUrl: string): Promise<void> {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    const held = `select 1 from pg_locks where relation = 'users'::regclass and mode = 'AccessExclusiveLock' and granted`;
    while ((await client.query(held)).rows.length === 0) await sleep(2);
    await client.end();
  }

  test('a backup of an older schema is brought up to date', async () => {
    const target = await database.fresh();
    const old = await bigBackup(3, 10);
    expect(await commandLine(target).json('restore', old)).toMatchObject({ schema: 3, rows: 12 });
    const storage = await (await storageDriver(target)).open();
    expect(await storage.applications.findByClientId('7_restored')).toMatchObject({ name: 'Restored' });
    expect(await storage.activity.list(7, { step: 'day', from: 0, to: Date.now() })).toEqual([]);
    await storage.close();
  });

  test('beside a running service, which serves what was restored within a second', async () => {
    const target = await database.fresh();
    const server = await startTestServer(target);
    const groups = async (apiKey: string) =>
      (await server.send('GET', '/api/option_groups', { headers: { apiKey } })).json.total;
    const { run } = commandLine(target);
    const backup = scratch();
    try {
      const { application, publish } = await withCatalog(server);
      expect(await groups(application.clientId)).toBe(3);
      expect((await run('backup', backup)).code).toBe(0);
      // Since then: another revision, and another application.
      const later = await server.application();
      await publish({ ...EXAMPLE, groups: [] });
      await server.service.refresh();
      expect([await groups(application.clientId), await groups(later.clientId)]).toEqual([0, 0]);

      expect(await run('restore', backup, '--replace', '--yes')).toMatchObject({ code: 0, stderr: '' });
      await expect.poll(() => groups(application.clientId)).toBe(3);
      expect(await groups(later.clientId)).toBeUndefined();
      // What the service writes goes on, into what was restored.
      expect((await makeSignedInUser(server, application)).accessToken).toBeTruthy();
    } finally {
      await server.close();
    }
  });

  test('what differs after it was written undoes all of it', async () => {
    const target = await database.fresh();
    const { whole, migrate } = await storageDriver(target);
    await migrate();
    const before = await summarize(target);
    const opened = (await backupFiles()).open(await bigBackup(undefined, 10));
    if (opened.outcome !== 'opened') throw new Error(opened.outcome);
    const check = async (): Promise<void> => {
      throw new Error('differs');
    };
    await expect(whole.replace(opened.file.tables, opened.file.rows, { onlyEmpty: true, check })).rejects.toThrow(
      'differs',
    );
    expect(await summarize(target)).toEqual(before);
    await makeSomething(target);
    expect(await whole.replace(opened.file.tables, opened.file.rows, { onlyEmpty: true, check })).toBe('not-empty');
    opened.file.close();
  });
});
