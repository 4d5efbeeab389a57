import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { createApplication } from '../../src/domain/applications/application.ts';
import { TableDigest } from '../../src/domain/backup.ts';
import { checkSecret } from '../../src/domain/check-secret.ts';
import { createKeyring } from '../../src/domain/keyring.ts';
import { backupFiles, storageDriver } from '../../src/storage/open.ts';
import type { StoredRow } from '../../src/storage/port.ts';
import { createBackupFile } from '../../src/storage/sqlite/backup-file.ts';
import { databases } from '../databases.ts';
import { dump } from '../dump.ts';
import { EXAMPLE, withCatalog } from '../http/options/example-catalog.ts';
import { makeSignedInUser, SECRET, startTestServer } from '../http/start.ts';
import { scratchFile } from '../scratch-file.ts';
import { byName, summarizeDatabase } from '../summarize-database.ts';
import { bin, commandLine, runInnkeeper } from './run-innkeeper.ts';

/**
 * Kills the process when everything is written but not committed; because of the small cache, the log has the writes by
 * then.
 */
const KILLED_AT_COMMIT = `data:text/javascript,${encodeURIComponent(`
  import { DatabaseSync } from 'node:sqlite';
  const { exec } = DatabaseSync.prototype;
  DatabaseSync.prototype.exec = function (sql) {
    if (sql === 'commit') process.kill(process.pid, 'SIGKILL');
    exec.call(this, sql);
    if (sql === 'begin immediate') exec.call(this, 'pragma cache_size = 10');
  };
`)}`;

/**
 * Interrupts the process when it starts writing users, which is the second time it reads them: the first is the check.
 */
const INTERRUPTED = `data:text/javascript,${encodeURIComponent(`
  import { DatabaseSync } from 'node:sqlite';
  const { prepare } = DatabaseSync.prototype;
  let reads = 0;
  DatabaseSync.prototype.prepare = function (sql) {
    if (/^select .* from "users" order by/.test(sql) && ++reads === 2) process.kill(process.pid, 'SIGINT');
    return prepare.call(this, sql);
  };
`)}`;

describe.each(databases)('restoring into $kind', (database) => {
  let url: string;
  let file: string;
  beforeAll(async () => {
    url = await database.fresh();
    file = await bigBackup();
    await makeSomething(url);
  });

  /** A backup with so many users that restoring takes a while. */
  async function bigBackup(schema?: number, users = 20_000): Promise<string> {
    const path = scratchFile('backup');
    const file = createBackupFile(path, schema);
    const given: Record<string, Record<string, StoredRow[number]>[]> = {
      applications: [{ app_id: 7, client_id: '7_restored', name: 'Restored', settings: '{}', created_at: 1 }],
      users: Array.from({ length: users }, (_, index) => ({
        user_id: Buffer.from(randomUUID().replaceAll('-', ''), 'hex'),
        app_id: 7,
        client_user_id: `user-${index}`,
        created_at: index,
        status: 'active',
        link_generation: 0,
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

  test('an invalid backup is rejected, and nothing changes', async () => {
    const before = await dump(url);
    const bytes = readFileSync(file);
    const altered = (change: (copy: string) => void): string => {
      const copy = scratchFile('backup');
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
    const newer = scratchFile('db');
    await (await storageDriver(`sqlite:${newer}`)).migrate();
    sql('pragma user_version = 9999')(newer);
    type Case = [string, string[], number, RegExp];
    // These are rejected before the database is opened, so testing them once is enough.
    const badFiles: Case[] = [
      ['missing', [scratchFile('backup'), ...replace], 2, /does not exist/],
      ['a folder', [tmpdir(), ...replace], 2, /is a folder, not a file/],
      ['foreign', [altered((copy) => writeFileSync(copy, 'dear diary')), ...replace], 1, /is not a backup/],
      ['empty', [altered((copy) => truncateSync(copy, 0)), ...replace], 1, /is not a backup/],
      ['a database', [altered(sql('pragma application_id = 0')), ...replace], 1, /is not a backup/],
      ['with orders', [altered(sql('create view v as select 1')), ...replace], 1, /is not a backup/],
      ['truncated', [altered((copy) => truncateSync(copy, bytes.length / 2)), ...replace], 1, /is damaged/],
      ['a missing table', [altered(sql('drop table activity')), ...replace], 1, /is damaged/],
      [
        'newer',
        [altered(sql('pragma user_version = 9999')), ...replace],
        1,
        /newer Innkeeper.*Install Innkeeper \d+\.\d+\.\d+ or later/s,
      ],
      [
        'into a newer database',
        [file, ...replace, '--database-url', `sqlite:${newer}`],
        1,
        /nothing was changed: .* newer Innkeeper.*into a new database/s,
      ],
      ['another secret, checked', [file, '--check', '--secret', `${SECRET}!`], 1, /the file is complete, but/],
    ];
    const cases: Case[] = [
      ...(database.kind === 'sqlite' ? badFiles : []),
      ['damaged', [altered((copy) => writeFileSync(copy, flipped)), ...replace], 1, /is damaged/],
      ['edited', [altered(sql("update applications set name = 'Mine'")), ...replace], 1, /rows of applications/],
      ['not empty', [file], 1, /is not empty: it has 1 application/],
      ['without a terminal', [file, '--replace'], 2, /1 application.*--yes/s],
      ['another secret', [file, ...replace, '--secret', `${SECRET}!`], 1, /does not match the backup/],
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

  test('--check verifies a file without a database or a secret', async () => {
    chmodSync(file, 0o400);
    const nowhere = database.kind === 'sqlite' ? 'sqlite:/nowhere/x.db' : 'postgres://nobody@127.0.0.1:1/none';
    const { code, stdout } = await runInnkeeper(['restore', file, '--check', '--json', '--database-url', nowhere]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ whole: true, secret: 'none', rows: 20_002 });
  });

  test('a killed restore leaves the database unchanged', async () => {
    const target = await database.empty();
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

  test('an interrupted restore says that the database is unchanged', async () => {
    const target = await database.fresh();
    await makeSomething(target);
    const before = await dump(target);
    const { code, stdout, stderr } = await runInnkeeper(['restore', file, '--replace', '--yes'], {
      INNKEEPER_DATABASE_URL: target,
      INNKEEPER_SECRET: SECRET,
      NODE_OPTIONS: `--import="${INTERRUPTED}"`,
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/Interrupted: rolling back.*interrupted: .* was not changed/s);
    expect(await dump(target)).toBe(before);
  });

  test('replaces existing data only with --replace', async () => {
    const reported = await commandLine(url).json('restore', file, '--replace', '--yes');
    expect(reported).toMatchObject({ rows: 20_002, replaced: { applications: 1, users: 0, accounts: 0 } });
    expect(byName(await summarizeDatabase(url))).toMatchObject({ users: { rows: 20_000 }, applications: { rows: 1 } });
  });

  /** Resolves when the restore holds its lock on the users table. */
  async function atWork(databaseUrl: string): Promise<void> {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    const held = `select 1 from pg_locks where relation = 'users'::regclass and mode = 'AccessExclusiveLock' and granted`;
    while ((await client.query(held)).rows.length === 0) await sleep(2);
    await client.end();
  }

  test('upgrades a backup of an older schema', async () => {
    const target = await database.empty();
    const old = await bigBackup(3, 10);
    expect(await commandLine(target).json('restore', old)).toMatchObject({ schema: 3, rows: 12 });
    const storage = await (await storageDriver(target)).open();
    expect(await storage.applications.findByClientId('7_restored')).toMatchObject({ name: 'Restored' });
    expect(await storage.activity.list(7, { step: 'day', from: 0, to: Date.now() })).toEqual([]);
    await storage.close();
    const { stdout } = await commandLine(target).run('restore', old, '--replace', '--yes');
    expect(stdout).toMatch(/, replacing 1 application, \d+ users? and 0 portal accounts: 12 rows in /);
  });

  test('a full folder for temporary files is not a damaged backup', async () => {
    if (database.kind !== 'sqlite') return;
    const old = await bigBackup(3, 20_000);
    const kilobytes = Math.ceil(statSync(old).size / 1024);
    const temporary = mkdtempSync(join(inject('scratchFolder'), 'temporary-'));
    // Once too small for the copy, once too small for its upgrade.
    for (const most of [kilobytes - 100, kilobytes + 8]) {
      const command = ['-c', `ulimit -f ${most}; exec "$@"`, 'bash', process.execPath, bin, 'restore', old];
      const env = { PATH: process.env.PATH, TMPDIR: temporary, INNKEEPER_SECRET: SECRET };
      const target = `sqlite:${scratchFile('db')}`;
      const limited = spawn('bash', command, { env: { ...env, INNKEEPER_DATABASE_URL: target } });
      const [stderr, [code]] = await Promise.all([text(limited.stderr), once(limited, 'close')]);
      expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(`fits into ${temporary}`) });
      expect(stderr).toContain('TMPDIR');
      expect(stderr).not.toContain('damaged');
      expect(readdirSync(temporary)).toEqual([]);
    }
  });

  test('beside a running service, which serves the restored data within a second', async () => {
    const target = await database.empty();
    const server = await startTestServer(target);
    const groups = async (apiKey: string) =>
      (await server.send('GET', '/api/option_groups', { headers: { apiKey } })).json.total;
    const { run } = commandLine(target);
    const backup = scratchFile('backup');
    try {
      const { application, publish } = await withCatalog(server);
      expect(await groups(application.clientId)).toBe(3);
      expect((await run('backup', backup)).code).toBe(0);
      // Changes made since the backup: another revision, and another application.
      const later = await server.application();
      await publish({ ...EXAMPLE, groups: [] });
      await server.service.refresh();
      expect([await groups(application.clientId), await groups(later.clientId)]).toEqual([0, 0]);

      expect(await run('restore', backup, '--replace', '--yes')).toMatchObject({ code: 0, stderr: '' });
      await expect.poll(() => groups(application.clientId)).toBe(3);
      expect(await groups(later.clientId)).toBeUndefined();
      // The service can write to the restored database.
      expect((await makeSignedInUser(server, application)).accessToken).toBeTruthy();
    } finally {
      await server.close();
    }
  });

  test('a difference after writing rolls everything back', async () => {
    const target = await database.empty();
    const { dump, migrate } = await storageDriver(target);
    await migrate();
    const before = await summarizeDatabase(target);
    const opened = (await backupFiles()).open(await bigBackup(undefined, 10));
    if (opened.outcome !== 'opened') throw new Error(opened.outcome);
    const check = async (): Promise<void> => {
      throw new Error('differs');
    };
    await expect(dump.replace(opened.file.tables, opened.file.rows, { onlyEmpty: true, check })).rejects.toThrow(
      'differs',
    );
    expect(await summarizeDatabase(target)).toEqual(before);
    await makeSomething(target);
    expect(await dump.replace(opened.file.tables, opened.file.rows, { onlyEmpty: true, check })).toBe('not-empty');
    opened.file.close();
  });
});
