import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SECRET } from '../http/start.ts';
import { inThread } from './in-thread.ts';
import { runInnkeeper } from './run-innkeeper.ts';

const folder = mkdtempSync(join(tmpdir(), 'innkeeper-misuse-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const settings = { INNKEEPER_DATABASE_URL: `sqlite:${join(folder, 'innkeeper.db')}`, INNKEEPER_SECRET: SECRET };

describe('usage errors exit with 2, one message and no result', () => {
  test.each([
    ['an unknown command', 'app sho', "unknown command 'sho' (Did you mean show?)"],
    ['an unknown flag', 'app list --jsn', "unknown option '--jsn'"],
    ['no name', 'app create', "required option '--name <name>' not specified"],
    ['a blank name', 'app create --name ', '--name is blank.'],
    ['a name too long', `app create --name ${'x'.repeat(256)}`, '--name is longer than 255 characters.'],
    ['no id', 'app show', "missing required argument 'ID'"],
    ['an extra id', 'app show 1_a 2_b', 'too many arguments'],
    ['no assignment', 'app set 1_a', "missing required argument 'KEY=VALUE'"],
    ['an assignment without =', 'app set 1_a accessTokenTtl', '"accessTokenTtl" is not KEY=VALUE.'],
    ['a key of every object', 'app set 1_a __proto__=x', '"__proto__" is not a setting of an application.'],
    ['a key given twice', 'app set 1_a accessTokenTtl=1h accessTokenTtl=2h', 'accessTokenTtl is given twice.'],
    ['an empty name', 'app set 1_a name=', 'name is blank.'],
    ['an origin with a path', 'app set 1_a allowedOrigins=https://a.example/x', 'must be a full origin'],
    [
      'one origin of several',
      'app set 1_a allowedOrigins=https://a.example,https://b.example/',
      'got "https://b.example/"',
    ],
    ['an overlap in words', 'app rotate-secret 1_a --overlap soon', "argument 'soon' is invalid"],
    ['an overlap without a unit', 'app rotate-secret 1_a --overlap 24', 'a number with s, m, h or d, for example 24h'],
    ['no overlap without a unit', 'app rotate-secret 1_a --overlap 0', 'a number with s, m, h or d, for example 24h'],
    [
      'a lifetime without a unit',
      'app set 1_a accessTokenTtl=3600',
      'accessTokenTtl must be a number with s, m, h or d',
    ],
    ['a rate limit without a unit', 'app set 1_a rateLimit=600/60', 'rateLimit must be off, or a burst of requests'],
    ['an expiry without a unit', 'token create --name ci --expires 90', 'a number with s, m, h or d, for example 24h'],
    ['an overlap too long', 'app rotate-secret 1_a --overlap 31d', 'The maximum is 30d.'],
    ['a port in words', 'serve --port many', 'INNKEEPER_PORT is "many": it must be a number from 0 to 65535.'],
    ['a database of another kind', 'migrate --database-url mysql://x', 'it must be sqlite:PATH or postgres://….'],
    [
      'a database address that cannot be read',
      'app list --database-url postgres://u:hun/ter2@db.example.com/innkeeper',
      'INNKEEPER_DATABASE_URL is not a valid URL.',
    ],
    [
      'one of several such addresses',
      'migrate --database-url postgres://u:hun%2Fter2@db.example.com:5432,db2.example.com:x/innkeeper',
      'INNKEEPER_DATABASE_URL is not a valid URL.',
    ],
  ])('%s', async (_, line, message) => {
    const ending = await inThread(line.split(' '), settings);
    expect(ending).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
    expect(ending.stderr).not.toMatch(/hun.*ter2/);
    expect(ending.stderr).toMatch(/^innkeeper: /);
    expect(ending.stderr).not.toMatch(/\n {4}at /);
  });

  test.each([
    ['the command line', 'app show --json', "missing required argument 'ID'"],
    ['an argument', 'app set 1_a accessTokenTtl=1s --json', 'accessTokenTtl must be from 1 minute to 30 days'],
    ['a setting', 'serve --port many --json', 'INNKEEPER_PORT is "many"'],
  ])('with --json too, when it is %s', async (_, line, message) => {
    const ending = await inThread(line.split(' '), settings);
    expect(ending).toMatchObject({ code: 2, stdout: '' });
    expect(JSON.parse(ending.stderr)).toEqual({
      error: expect.objectContaining({ message: expect.stringContaining(message) }),
    });
  });

  test('an unknown key is rejected with a list of the valid ones', async () => {
    const { stderr } = await inThread(['app', 'set', '1_a', 'color=red'], settings);
    expect(stderr).toMatch(/"color" is not a setting of an application/);
    expect(stderr).toMatch(/accessTokenTtl +lifetime of an access token.*default: 1 hour/);
  });

  test('no command shows the help', async () => {
    const ending = await runInnkeeper([]);
    expect(ending).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('Usage: innkeeper') });
  });
});

describe('failures exit with 1 and a suggested fix, never with a stack', () => {
  const list = (databaseUrl: string, secret = SECRET) =>
    runInnkeeper(['app', 'list'], { INNKEEPER_DATABASE_URL: databaseUrl, INNKEEPER_SECRET: secret });
  const create = (databaseUrl: string, secret = SECRET) =>
    inThread(['app', 'create', '--name', 'x'], { INNKEEPER_DATABASE_URL: databaseUrl, INNKEEPER_SECRET: secret });
  const doctor = (databaseUrl: string) =>
    runInnkeeper(['doctor', '--port', '0'], { INNKEEPER_DATABASE_URL: databaseUrl, INNKEEPER_SECRET: SECRET });
  beforeAll(() => create(settings.INNKEEPER_DATABASE_URL));
  const expectFailure = (ending: Awaited<ReturnType<typeof list>>, text: RegExp) => {
    expect(ending).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(text) });
    expect(ending.stderr).toMatch(/\n +→ /);
    expect(ending.stderr).not.toMatch(/\n {4}at /);
  };

  test('a path through a file', async () => {
    writeFileSync(join(folder, 'file'), '');
    expectFailure(
      await create(`sqlite:${join(folder, 'file/innkeeper.db')}`),
      /file: a (file is in the way|part of the path)/,
    );
  });

  test('a file that is not a database', async () => {
    writeFileSync(join(folder, 'text.db'), 'not a database, but long enough to be taken for one\n'.repeat(40));
    expectFailure(await list(`sqlite:${join(folder, 'text.db')}`), /file is not a database/);
  });

  test('a folder in place of a database file is not taken for hard links', async () => {
    for (const command of [list, create, doctor]) {
      const { code, stdout, stderr } = await command(`sqlite:${folder}`);
      expect(code).toBe(1);
      expect(stdout + stderr).toContain(`${folder} is a folder, not a database file`);
      expect(stdout + stderr).toContain(`→ Add a file name: sqlite:${folder}/innkeeper.db`);
    }
  });

  test.skipIf(process.platform === 'win32')('a device or a pipe, next to which no secret is created', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const path of [pipe, '/dev/null']) {
      for (const command of [list, create])
        expectFailure(await command(`sqlite:${path}`), /is a device, pipe or socket/);
      expectFailure(await create(`sqlite:${path}`, ''), /is a device, pipe or socket/);
      expect(existsSync(`${path}.secret`)).toBe(false);
    }
  });

  test.runIf(process.platform === 'linux')('a folder that the system does not allow to create', async () => {
    expectFailure(await create('sqlite:/proc/data/innkeeper.db'), /\/proc\/data: does not exist/);
    expectFailure(await create('sqlite:/proc/data/innkeeper.db', ''), /\/proc\/data: does not exist/);
  });

  test.each(['prefer', 'require', 'verify-ca'])(
    'PostgreSQL with sslmode=%s, without a warning of its driver',
    async (mode) => {
      const ending = await list(`postgres://somebody@127.0.0.1:1/innkeeper?sslmode=${mode}`);
      expectFailure(ending, /^innkeeper: the database cannot be used: .*ECONNREFUSED/);
    },
  );

  test('PostgreSQL on a closed port', async () => {
    const ending = await list('postgres://somebody:hunter2@127.0.0.1:1/innkeeper');
    expectFailure(ending, /the database cannot be used: .*ECONNREFUSED/);
    expect(ending.stderr).not.toContain('hunter2');
    expect(ending.stderr).toContain('host, port, user, password, database name');
    expect(ending.stderr).not.toMatch(/SQLite|-wal/);
  });

  test.each([
    ['an unknown host', 'no-such-host.invalid', /cannot listen on no-such-host\.invalid: unknown host name/],
    [
      'an address of another machine',
      '203.0.113.7',
      /cannot listen on 203\.0\.113\.7:18099: .*address of this machine/,
    ],
  ])('%s to listen on', async (_, host, text) => {
    for (const workers of ['1', '2']) {
      const flags = ['--host', host, '--port', '18099', '--public-url', 'https://a.example', '--workers', workers];
      expectFailure(await runInnkeeper(['serve', ...flags, '--log-level', 'silent'], settings), text);
    }
  });

  test('the secret of another database', async () => {
    const other = await list(settings.INNKEEPER_DATABASE_URL, `another ${SECRET}`);
    expectFailure(other, /INNKEEPER_SECRET does not match this database/);
  });

  test('a weak secret that a new database would be bound to', async () => {
    expectFailure(await create(`sqlite:${join(folder, 'weak.db')}`, 'weak'), /INNKEEPER_SECRET is weak/);
    expect((await create(`sqlite:${join(folder, 'weak.db')}`)).code).toBe(0);
  });
});
