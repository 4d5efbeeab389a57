import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import { databases } from '../databases.ts';
import { withCatalog } from '../http/options/example-catalog.ts';
import { bearer, makeSignedInUser, makeUser, SECRET, startTestServer, uniqueName } from '../http/start.ts';
import { scratchFile } from '../scratch-file.ts';
import { DAMAGE, emptyLog, repeatKey } from '../sqlite/damage-file.ts';
import { byName, summarizeDatabase } from '../summarize-database.ts';
import { bin, commandLine, runInnkeeper } from './run-innkeeper.ts';

/** Access tokens are only valid at the address of their issuer. */
const HOME = { publicUrl: 'https://users.example.com' };

test('a backup removes only what killed backups to the same file left behind', async () => {
  const cli = commandLine(`sqlite:${scratchFile('db')}`);
  await cli.json('app', 'create', '--name', 'One');
  const file = scratchFile('backup');
  // No process has the first id; the parent of the tests is alive.
  const end = (pid: number | string, host = hostname()) => `.partial-${host}-${pid}-0123abcd`;
  const dead = `${file}${end(999_999_999)}`;
  const others = [
    `${file}${end(process.ppid)}`,
    `${file}${end('1x')}`,
    `${file}${end(999_999_999, 'another-host')}`,
    `${file}-2${end(999_999_999)}`,
  ];
  for (const path of [dead, ...others]) writeFileSync(path, 'half');
  const { code, stderr } = await cli.run('backup', file);
  expect(code).toBe(0);
  expect(stderr).toContain(`removed ${dead}, left by a backup that was killed`);
  expect([dead, ...others].filter((path) => existsSync(path))).toEqual(others);
  writeFileSync(dead, 'half');
  expect(await cli.run('backup', file, '--force', '--json')).toMatchObject({ code: 0, stderr: '' });
});

describe.each(databases)('a backup of $kind', (database) => {
  let made: Awaited<ReturnType<typeof backUpUnderLoad>>;

  /** Backs up an application whose users have every kind of credential, while others are being created. */
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
      const file = scratchFile('backup');
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
      return { url, file, reported: await backup, application, user, newcomer, choice, apiKey, slowest };
    } finally {
      await server.close();
    }
  }

  beforeAll(async () => {
    made = await backUpUnderLoad();
  });

  test('is consistent, and blocks no one', async () => {
    const { file, reported, slowest } = made;
    expect(reported).toMatchObject({ file, source: database.kind, secretIncluded: false, bytes: statSync(file).size });
    expect(slowest.count).toBeGreaterThan(0);
    expect(slowest.ms).toBeLessThan(15_000);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const copy = new DatabaseSync(file, { readOnly: true });
    const torn = copy.prepare(
      'select (select count(*) from users) as users, (select count(*) from profiles) as profiles, (select count(*) from users join special_tokens using (user_id)) as tokens',
    );
    const { users, profiles, tokens } = torn.get() as Record<string, number>;
    copy.close();
    // One user's token has been exchanged.
    expect([profiles, tokens]).toEqual([users, (users as number) - 1]);
  });

  test('contains no unencrypted secret', async () => {
    const bytes = readFileSync(made.file);
    const { application, user, newcomer } = made;
    for (const secret of [SECRET, application.clientSecret, user.accessToken, newcomer.specialToken]) {
      expect(bytes.includes(secret)).toBe(false);
    }
  });

  test.each(databases)('restored into $kind has the same rows, and every credential works', async (target) => {
    const { file, reported, application, user, newcomer, apiKey } = made;
    const url = await target.empty();
    expect(await commandLine(url).json('restore', file)).toMatchObject({ rows: reported.rows, replaced: null });
    expect(byName(await summarizeDatabase(url))).toEqual(byName(reported.tables));

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

  test('replaces an earlier backup only with --force, and never another file', async () => {
    const { run } = commandLine(made.url);
    const file = scratchFile('backup');
    copyFileSync(made.file, file);
    const inode = statSync(file).ino;
    const other = scratchFile('backup');
    writeFileSync(other, 'dear diary');
    const link = scratchFile('backup');
    symlinkSync(file, link);
    const circle = scratchFile('backup');
    symlinkSync(circle, circle);
    const [there, forced, foreign, nowhere, folder, inCircle] = await Promise.all([
      run('backup', made.file),
      run('backup', link, '--force', '--json'),
      run('backup', other, '--force'),
      run('backup', join(made.file, 'x.backup')),
      run('backup', inject('scratchFolder')),
      // For a file in an unreadable folder the system does not say whether it exists. Root may read all folders, so
      // this uses a loop of links.
      run('backup', join(circle, 'x.backup')),
    ]);
    expect(there).toMatchObject({ code: 2, stderr: expect.stringContaining('--force') });
    expect(forced.code).toBe(0);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(statSync(file).ino).not.toBe(inode);
    expect(byName(JSON.parse(forced.stdout).tables)).toEqual(byName(await summarizeDatabase(made.url)));
    expect(foreign).toMatchObject({ code: 2, stderr: expect.stringContaining('is not a backup') });
    expect(readFileSync(other, 'utf8')).toBe('dear diary');
    expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining('not a folder') });
    expect(folder).toMatchObject({ code: 2, stderr: expect.stringMatching(/is a folder.*name of a file in it/s) });
    expect(inCircle).toMatchObject({ code: 2, stderr: expect.stringMatching(/form a loop.*may read and write/s) });
  });

  test('leaves nothing behind when its disk is full', async () => {
    const file = scratchFile('backup');
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
    expect(stderr).toMatch(/cannot be written.*free disk space/s);
    expect(readdirSync(inject('scratchFolder')).filter((name) => name.includes(basename(file)))).toEqual([]);
  });

  test('fails for a damaged database, and names it', async () => {
    if (database.kind !== 'sqlite') return;
    const damaged = scratchFile('db');
    const url = `sqlite:${damaged}`;
    await commandLine(url).json('restore', made.file);
    emptyLog(damaged);
    const whole = readFileSync(damaged);
    const file = scratchFile('backup');
    const spoil = [
      () => DAMAGE['zeroed page'](damaged),
      // Rows that contradict each other: a key that exists twice.
      () => repeatKey(damaged),
    ];
    for (const damage of spoil) {
      writeFileSync(damaged, whole);
      damage();
      const { code, stderr } = await commandLine(url).run('backup', file);
      expect(stderr).toContain(damaged);
      expect(stderr).toMatch(/no backup was written: .*damaged.*innkeeper doctor --deep.*innkeeper restore/s);
      expect(stderr).not.toContain('free disk space');
      expect(code).toBe(1);
      expect(readdirSync(inject('scratchFolder')).filter((name) => name.includes(basename(file)))).toEqual([]);
    }
    // Follow the advice of the message.
    for (const ending of ['', '-wal', '-shm']) rmSync(damaged + ending, { force: true });
    await commandLine(url).json('restore', made.file);
    expect(byName(await summarizeDatabase(url))).toEqual(byName(made.reported.tables));
  });

  test('fails for an empty database and an older schema', async () => {
    const [empty, older] = await Promise.all([database.empty(), database.empty()]);
    const { latest } = await (await storageDriver(older)).migrate();
    await database.execute(
      older,
      database.kind === 'sqlite'
        ? `pragma user_version = ${latest - 1}`
        : `delete from schema_migrations where number = ${latest}`,
    );
    const [first, second] = await Promise.all([
      runInnkeeper(['backup', scratchFile('backup'), '--database-url', empty]),
      runInnkeeper(['backup', scratchFile('backup'), '--database-url', older]),
    ]);
    expect(first).toMatchObject({ code: 1, stderr: expect.stringContaining('nothing to back up') });
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining('innkeeper migrate') });
  });
});
