import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { endAll, serve } from '../operations/serve-process.ts';
import { inThread } from './in-thread.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'innkeeper-new-'));
  path = join(folder, 'innkeeper.db');
});
afterEach(async () => {
  await endAll();
  rmSync(folder, { recursive: true });
});

const run = (...args: string[]) => inThread([...args, '--database-url', `sqlite:${path}`]);
const create = () => run('app', 'create', '--name', 'One', '--json');
const files = () => readdirSync(folder).sort();

describe('a new database is not created', () => {
  const MAKERS = ['app create --name Two', 'admin create --email a@example.com', 'migrate'];

  test('if the secret of an earlier one exists: both are named, with suggested fixes', async () => {
    expect(await create()).toMatchObject({ code: 0 });
    rmSync(path);
    for (const maker of MAKERS) {
      const { code, stderr } = await run(...maker.split(' '));
      expect([maker, code]).toEqual([maker, 1]);
      expect(stderr).toContain(`the database ${path} does not exist, but ${path}.secret exists`);
      expect(stderr).toMatch(/→ Put the database back .*innkeeper restore FILE.*innkeeper serve --new/);
    }
    expect(files()).toEqual(['innkeeper.db.secret']);
    writeFileSync(`${path}-wal`, '');
    writeFileSync(`${path}-shm`, '');
    for (const reader of ['app list', 'scrub', 'users export --app ID', 'doctor']) {
      const { code, stdout, stderr } = await run(...reader.split(' '));
      expect([reader, code]).toEqual([reader, 1]);
      const said = `the database ${path} does not exist, but ${path}.secret, ${path}-wal and ${path}-shm exist`;
      expect(stdout + stderr).toContain(said);
    }
    rmSync(`${path}-wal`);
    rmSync(`${path}-shm`);
    truncateSync(`${path}.secret`, 65);
    writeFileSync(path, '');
    expect((await create()).stderr).toContain(`the database ${path} is empty, but`);
  });

  test.each(['innkeeper.db-wal', 'innkeeper.db.bak', 'innkeeper-2026-01-31.backup'])('beside %s', async (name) => {
    writeFileSync(join(folder, name), 'something');
    expect(await create()).toMatchObject({ code: 1, stderr: expect.stringContaining(join(folder, name)) });
    expect(files()).toEqual([name]);
  });

  test('except by serve --new, with the existing secret', async () => {
    expect(await create()).toMatchObject({ code: 0 });
    const secret = readFileSync(`${path}.secret`, 'utf8');
    rmSync(path);
    const settings = { databaseUrl: `sqlite:${path}` };
    const refused = await serve({ settings, failing: true });
    expect(await refused.exited).toMatchObject({ code: 1 });
    expect(existsSync(path)).toBe(false);
    const server = await serve({ settings, args: ['--new'] });
    server.signal('SIGTERM');
    expect(await server.exited).toMatchObject({ code: 0 });
    expect(readFileSync(`${path}.secret`, 'utf8')).toBe(secret);
    expect(JSON.parse((await run('app', 'list', '--json')).stdout)).toEqual([]);
  });

  test('and a secret deleted under a running service is written again', async () => {
    const server = await serve({ settings: { databaseUrl: `sqlite:${path}` } });
    const logged = (text: string) =>
      vi.waitFor(() => expect(server.logs().map(({ msg }) => msg)).toContainEqual(expect.stringContaining(text)), {
        timeout: 30_000,
        interval: 100,
      });
    await logged('created a new, empty database');
    const secret = readFileSync(`${path}.secret`, 'utf8');
    rmSync(`${path}.secret`);
    await logged('written again');
    expect(readFileSync(`${path}.secret`, 'utf8')).toBe(secret);
    expect(statSync(`${path}.secret`).mode & 0o777).toBe(0o600);
  });

  test('over a log that lost its database, nor by restore', async () => {
    expect(await create()).toMatchObject({ code: 0 });
    const backup = join(folder, 'kept');
    expect(await run('backup', backup)).toMatchObject({ code: 0 });
    rmSync(path);
    writeFileSync(`${path}-wal`, 'something');
    expect(await run('restore', backup)).toMatchObject({ code: 1, stderr: expect.stringContaining(`${path}-wal`) });
    expect(readFileSync(`${path}-wal`, 'utf8')).toBe('something');
    rmSync(`${path}-wal`);
    expect(await run('restore', backup)).toMatchObject({ code: 0 });
    expect((await run('app', 'list')).stdout).toContain('One');
  });
});

describe('a database that lost a part is reported and left unchanged', () => {
  const COMMANDS = ['app list', 'app create --name Two', 'migrate', 'migrate --check', 'doctor'];

  test('its log, which may contain the last writes', async () => {
    expect(await create()).toMatchObject({ code: 0 });
    writeFileSync(`${path}-shm`, '');
    for (const command of COMMANDS) {
      const { code, stdout, stderr } = await run(...command.split(' '));
      expect([command, code]).toEqual([command, 1]);
      expect(stdout + stderr).toContain(`the write-ahead log ${path}-wal was deleted or moved`);
      expect(stdout + stderr).toContain(`delete ${path}-shm to continue`);
    }
    const again = await serve({ settings: { databaseUrl: `sqlite:${path}` }, args: ['--new'], failing: true });
    expect(await again.exited).toMatchObject({ code: 1 });
    rmSync(`${path}-shm`);
    expect((await run('app', 'list')).stdout).toContain('One');
  });

  test('its log and its index, after a crash', async () => {
    const settings = { databaseUrl: `sqlite:${path}` };
    const crash = async (): Promise<void> => {
      const server = await serve({ settings });
      server.signal('SIGKILL');
      await server.exited;
    };
    const notes = () => files().filter((name) => name.startsWith('.innkeeper.db.open-'));
    await crash();
    expect(notes()).toHaveLength(1);
    // A command that checkpoints the log and deletes it is no loss.
    expect(await create()).toMatchObject({ code: 0 });
    expect(files()).toEqual(['innkeeper.db', 'innkeeper.db.secret']);
    await crash();
    rmSync(`${path}-wal`);
    rmSync(`${path}-shm`);
    const [note = ''] = notes();
    for (const command of COMMANDS) {
      const { code, stdout, stderr } = await run(...command.split(' '));
      expect([command, code]).toEqual([command, 1]);
      expect(stdout + stderr).toContain(`the write-ahead log ${path}-wal was deleted or moved`);
      expect(stdout + stderr).toContain(`delete ${join(folder, note)} to continue`);
    }
    rmSync(join(folder, note));
    const server = await serve({ settings });
    // Killing one process while another is running loses nothing either.
    const beside = await serve({ settings });
    beside.signal('SIGKILL');
    await beside.exited;
    expect(notes()).toHaveLength(2);
    server.signal('SIGTERM');
    expect(await server.exited).toMatchObject({ code: 0 });
    expect(files()).toEqual(['innkeeper.db', 'innkeeper.db.secret']);
    expect((await run('app', 'list')).stdout).toContain('One');
  });

  test('everything except its log', async () => {
    expect(await create()).toMatchObject({ code: 0 });
    truncateSync(path);
    writeFileSync(`${path}-wal`, 'something');
    for (const command of COMMANDS) {
      const { code, stdout, stderr } = await run(...command.split(' '));
      expect([command, code]).toEqual([command, 1]);
      expect(stdout + stderr).toContain(`the database ${path} is empty, but`);
    }
    expect(readFileSync(`${path}-wal`, 'utf8')).toBe('something');
  });

  test('the file: doctor suggests a fix that works', async () => {
    expect(await create()).toMatchObject({ code: 0 });
    rmSync(path);
    const { code, stdout } = await run('doctor');
    expect(code).toBe(1);
    expect(stdout).toMatch(/does not exist, but .*\.secret exists[\s\S]*innkeeper serve --new/);
    expect(stdout).not.toContain('innkeeper migrate');
  });
});

describe('a first start that failed midway', () => {
  test('with unsafe settings leaves nothing behind', async () => {
    const settings = { databaseUrl: `sqlite:${path}`, publicUrl: 'http://users.example.com' };
    const refused = await serve({ settings, failing: true });
    expect(await refused.exited).toMatchObject({ code: 1 });
    expect(files()).toEqual([]);
  });

  test('after the database and before its secret does not block the next', async () => {
    expect(await run('migrate')).toMatchObject({ code: 0 });
    expect(files()).toEqual(['innkeeper.db']);
    expect(await create()).toMatchObject({ code: 0 });
    // Once the database is in use, it needs exactly that secret.
    rmSync(`${path}.secret`);
    expect(await create()).toMatchObject({ code: 2, stderr: expect.stringContaining('.secret is missing') });
  });

  test('before the first table does not block the next', async () => {
    const database = new DatabaseSync(path);
    database.exec('pragma journal_mode = wal');
    database.close();
    expect(await create()).toMatchObject({ code: 0 });
  });

  test('while SQLite created the file does not block the next', async () => {
    const killed = join(folder, 'killed');
    const database = new DatabaseSync(killed);
    database.exec('pragma cache_size = 1; begin; create table t (x); insert into t values (zeroblob(1000000))');
    copyFileSync(killed, path);
    copyFileSync(`${killed}-journal`, `${path}-journal`);
    database.close();
    expect(await create()).toMatchObject({ code: 0 });
  });

  test('several concurrent starts agree on one secret', async () => {
    const endings = await Promise.all([create(), create(), create()]);
    expect(endings.map(({ code }) => code)).toEqual([0, 0, 0]);
  });
});

describe('a database behind a symbolic link', () => {
  let link: string;
  const byLink = (...args: string[]) => inThread([...args, '--database-url', `sqlite:${link}`]);
  beforeEach(() => {
    link = join(folder, 'link.db');
    mkdirSync(join(folder, 'disk'));
    path = join(folder, 'disk/innkeeper.db');
  });

  test('has all its files behind the link, and is the same by its own path', async () => {
    symlinkSync('disk/innkeeper.db', link);
    expect(await byLink('app', 'create', '--name', 'One')).toMatchObject({ code: 0 });
    expect(files()).toEqual(['disk', 'link.db']);
    expect(readdirSync(join(folder, 'disk')).sort()).toEqual(['innkeeper.db', 'innkeeper.db.secret']);
    expect((await run('app', 'list')).stdout).toContain('One');
  });

  test('finds the secret that an earlier version created beside the link', async () => {
    expect(await create()).toMatchObject({ code: 0 });
    symlinkSync(path, link);
    renameSync(`${path}.secret`, `${link}.secret`);
    expect((await byLink('app', 'list')).stdout).toContain('One');
    // If there are two secrets, the matching one is used.
    writeFileSync(`${path}.secret`, 'another secret that is long enough 0123456789\n', { mode: 0o600 });
    expect((await byLink('app', 'list')).stdout).toContain('One');
    renameSync(`${link}.secret`, `${path}.secret`);
    writeFileSync(`${link}.secret`, 'another secret that is long enough 0123456789\n', { mode: 0o600 });
    expect((await byLink('app', 'list')).stdout).toContain('One');
    rmSync(`${link}.secret`);
    rmSync(`${path}.secret`);
    expect((await byLink('app', 'list')).stderr).toContain('.secret is missing');
    expect(existsSync(`${path}.secret`)).toBe(false);
  });

  test('that leads nowhere is reported', async () => {
    symlinkSync('unmounted/innkeeper.db', link);
    expect(await byLink('app', 'create', '--name', 'One')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/link\.db is a symbolic link to .*unmounted.*does not exist.*\n.*disk is mounted/),
    });
    expect(files()).toEqual(['disk', 'link.db']);
    rmSync(link);
    symlinkSync(link, link);
    expect(await byLink('app', 'list')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('links form a loop'),
    });
  });
});
