import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sqliteDump } from '../../src/storage/sqlite/dump.ts';
import { mountPoints } from '../../src/storage/sqlite/open-file.ts';
import { inThread } from '../cli/in-thread.ts';
import { runInnkeeper } from '../cli/run-innkeeper.ts';
import { endAll, serve } from '../operations/serve-process.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'innkeeper-foreign-'));
  path = join(folder, 'innkeeper.db');
});
afterEach(async () => {
  await endAll();
  rmSync(folder, { recursive: true });
});

const run = (...args: string[]) => inThread([...args, '--database-url', `sqlite:${path}`]);

describe('a log next to another database than its own', () => {
  const notes = () => readdirSync(folder).filter((name) => name.includes('.open-'));

  test('is not written into it, and each suggested fix works', async () => {
    expect(await run('app', 'create', '--name', 'One')).toMatchObject({ code: 0 });
    const old = join(folder, 'old');
    cpSync(path, old);
    const server = await serve({ settings: { databaseUrl: `sqlite:${path}` } });
    expect(await run('app', 'create', '--name', 'Two')).toMatchObject({ code: 0 });
    server.signal('SIGKILL');
    await server.exited;
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
    cpSync(folder, `${folder}-whole`, { recursive: true });

    renameSync(path, join(folder, 'right'));
    cpSync(old, path);
    const before = readFileSync(path);
    for (const command of ['app list', 'migrate', 'migrate --check', 'scrub', 'doctor']) {
      const { code, stdout, stderr } = await run(...command.split(' '));
      expect([command, code]).toEqual([command, 1]);
      expect(stdout + stderr).toContain(`the write-ahead log ${path}-wal belongs to another file than ${path}`);
      expect(stdout + stderr).toContain(`move ${path}-wal and ${path}-shm away`);
    }
    const again = await serve({ settings: { databaseUrl: `sqlite:${path}` }, failing: true });
    expect(await again.exited).toMatchObject({ code: 1 });
    expect(again.stderr()).toContain('belongs to another file');
    expect(readFileSync(path).equals(before)).toBe(true);

    // A new file that reuses the old one's inode number is detected by its creation time.
    const [note = ''] = notes();
    const noted = JSON.parse(readFileSync(join(folder, note), 'utf8'));
    const { dev, ino } = statSync(path);
    writeFileSync(join(folder, note), JSON.stringify({ ...noted, database: `${dev}:${ino}` }));
    expect((await run('app', 'list')).stderr).toContain('belongs to another file');
    writeFileSync(join(folder, note), JSON.stringify(noted));

    for (const ending of ['-wal', '-shm']) renameSync(path + ending, join(folder, `away${ending}`));
    expect((await run('app', 'list')).stdout).not.toContain('Two');
    rmSync(path);
    for (const ending of ['-wal', '-shm']) renameSync(join(folder, `away${ending}`), path + ending);
    renameSync(join(folder, 'right'), path);
    expect((await run('app', 'list')).stdout).toContain('Two');
    expect(notes()).toEqual([]);

    // All files copied elsewhere: the log still belongs to its database.
    path = join(`${folder}-whole`, 'innkeeper.db');
    expect((await run('app', 'list')).stdout).toContain('Two');
    rmSync(`${folder}-whole`, { recursive: true });
  });
});

describe("another program's database", () => {
  const FOREIGN = {
    'with tables': 'create table notes (text); insert into notes values (1)',
    'with tables and a version': 'create table notes (text); pragma user_version = 3',
    'with an application id': 'pragma application_id = 252006674; create table notes (text)',
  };

  test.each(Object.entries(FOREIGN))('%s is rejected and unchanged', async (_, sql) => {
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
    const before = readFileSync(path);
    for (const command of ['migrate', 'migrate --check', 'app create --name One', 'scrub', 'doctor']) {
      const { code, stdout, stderr } = await run(...command.split(' '));
      expect([command, code]).not.toEqual([command, 0]);
      expect(stdout + stderr).toContain(`${path} is not an Innkeeper database`);
    }
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(existsSync(`${path}.secret`)).toBe(false);
  });
});

describe('a file in use by another process', () => {
  test('is named when locked, with the process', async () => {
    expect(await run('app', 'create', '--name', 'One')).toMatchObject({ code: 0 });
    const holder = new DatabaseSync(path);
    holder.exec('begin immediate');
    const own = runInnkeeper(['app', 'create', '--name', 'Two'], { INNKEEPER_DATABASE_URL: `sqlite:${path}` });
    const { code, stderr } = await own;
    holder.exec('rollback');
    holder.close();
    expect(code).toBe(1);
    expect(stderr).toContain(`${path} is locked by process ${process.pid} (`);
    expect(stderr).toContain('wait for it, then try again');
  });

  test('is not reported as restored if it was moved meanwhile', async () => {
    expect(await run('app', 'create', '--name', 'One')).toMatchObject({ code: 0 });
    const away = join(folder, 'away.db');
    const restored = sqliteDump(path).replace([], () => (async function* () {})(), {
      onlyEmpty: false,
      async check() {
        renameSync(path, away);
      },
    });
    await expect(restored).rejects.toThrow(`${path} was deleted or moved while this command was writing to it`);
  });
});

test('doctor names a missing table and index', async () => {
  expect(await run('app', 'create', '--name', 'One')).toMatchObject({ code: 0 });
  const database = new DatabaseSync(path);
  database.exec('drop index access_tokens_by_end; drop table webhook_responses');
  database.close();
  const { code, stdout } = await run('doctor');
  expect(code).toBe(1);
  expect(stdout).toContain('damaged: index access_tokens_by_end is missing; table webhook_responses is missing');
});

test('a file mounted on its own is recognised by its mount', () => {
  const mounts = `22 1 8:1 / / rw - ext4 /dev/sda1 rw\n90 22 8:1 /vol/a\\040b.db /data/a\\040b.db rw - ext4 /dev/sda1 rw\n`;
  expect(mountPoints(mounts)).toEqual(['/', '/data/a b.db']);
});

test('a command rejects a clock behind what the database has seen, and warns of one far ahead', async () => {
  expect(await run('app', 'create', '--name', 'One')).toMatchObject({ code: 0 });
  const mark = (at: number) => {
    const database = new DatabaseSync(path);
    database
      .prepare(
        "insert into facts (name, value) values ('clock-mark', ?) on conflict (name) do update set value = excluded.value",
      )
      .run(JSON.stringify({ at, doubtMs: 0, waitMs: 0 }));
    database.close();
  };
  mark(Date.now() + 3 * 86_400_000);
  const behind = await run('app', 'list');
  expect(behind).toMatchObject({ code: 1, stderr: expect.stringContaining('behind the time last seen') });
  mark(Date.now() - 700 * 86_400_000);
  const ahead = await run('app', 'list');
  expect(ahead).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('ahead of the time last seen in the database'),
  });
  mark(Date.now() - 700 * 86_400_000);
  expect(await run('app', 'list', '--json')).toMatchObject({ code: 0, stderr: '' });
  expect((await run('doctor')).stdout).toContain('the clock is ahead, or the service was off');
});
