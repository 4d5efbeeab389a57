import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createKeyring } from '../../src/domain/keyring.ts';
import { databases } from '../databases.ts';
import { SECRET, startTestServer, type TestServer } from '../http/start.ts';
import { scratchFile } from '../scratch-file.ts';
import { inThread } from './in-thread.ts';
import { commandLine } from './run-innkeeper.ts';

const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
const DEFAULTS = {
  specialTokenTtl: 600,
  accessTokenTtl: 3600,
  deleteNeedsCredentials: true,
  saveByUserUid: 'open',
  allowedOrigins: [],
  rateLimit: 'default',
  addressRateLimit: 'off',
  historyKept: 0,
  eventsKept: 30,
  tokenAlgorithm: 'EdDSA',
  tokenClaims: [],
  accentColor: '',
  logo: '',
};

/** An image of one pixel. */
const LOGO = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

async function writeLogo(name: string, base64: string): Promise<string> {
  const file = scratchFile(name);
  await writeFile(file, base64, 'base64');
  return file;
}

// All of it runs beside a server on the same database.
describe.each(databases)('innkeeper app on $kind', ({ fresh }) => {
  let cli: ReturnType<typeof commandLine>;
  let server: TestServer;

  beforeAll(async () => {
    const databaseUrl = await fresh();
    cli = commandLine(databaseUrl, inThread);
    server = await startTestServer(databaseUrl);
  });
  afterAll(() => server?.close());

  const createUser = (clientId: string, clientSecret: string) =>
    server.post('/api/v2/app/create-user', {
      clientId,
      clientSecret,
      clientUserId: `user-${Math.random()}`,
      clientUserName: 'A user',
    });

  test('list suggests a next step if there are no applications', async () => {
    const [readable, json] = await Promise.all([cli.run('app', 'list'), cli.json('app', 'list')]);
    expect(readable).toMatchObject({ code: 0, stderr: '' });
    expect(readable.stdout).toMatch(
      /^No applications yet in (SQLite|PostgreSQL) at .*\nCreate one with: innkeeper app create/,
    );
    expect(json).toEqual([]);
  });

  test('create shows the credentials once, and they work immediately', async () => {
    const made = await cli.json('app', 'create', '--name', 'Acme 店');
    expect(Object.keys(made)).toEqual(['clientId', 'clientSecret', 'name']);
    expect(made).toMatchObject({ clientId: expect.stringMatching(/^\d+_[0-9a-f]{32}$/), name: 'Acme 店' });
    expect(made.clientSecret).toMatch(/^ink_[\w-]{43}$/);
    expect((await createUser(made.clientId, made.clientSecret)).status).toBe(200);

    const outputs = await Promise.all([
      cli.run('app', 'list'),
      cli.run('app', 'show', made.clientId),
      cli.run('app', 'show', made.clientId, '--json'),
      cli.run('app', 'set', made.clientId, 'accessTokenTtl=2h', '--json'),
    ]);
    const hash = createKeyring(SECRET).hashSecret(made.clientSecret);
    for (const { code, stdout, stderr } of outputs) {
      expect(code).toBe(0);
      expect(stdout + stderr).not.toContain(made.clientSecret.slice(4));
      expect(stdout + stderr).not.toContain(hash);
    }
  });

  test('create, list, show and rotate-secret are readable, and names cannot send control sequences to the terminal', async () => {
    const name = 'red \u001b[31m alert\nnext line';
    const refused = await cli.run('app', 'create', '--name', name);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--name contains a control') });
    const created = await cli.run('app', 'create', '--name', 'red alert');
    expect(created.stdout).toContain('Created the application red alert.');
    const clientId = /clientId +(\S+)/.exec(created.stdout)?.[1] as string;
    const secret = /clientSecret +(\S+)/.exec(created.stdout)?.[1] as string;
    expect((await createUser(clientId, secret)).status).toBe(200);
    // A name from before such names were rejected.
    await server.service.storage.applications.update(Number(clientId.split('_')[0]), { name });

    const [list, show] = await Promise.all([cli.run('app', 'list'), cli.run('app', 'show', clientId)]);
    const [head, ...rows] = list.stdout.trimEnd().split('\n') as [string, ...string[]];
    expect(head).toMatch(/^CLIENT ID +CREATED \(UTC\) +NAME$/);
    const row = rows.find((line) => line.startsWith(clientId)) as string;
    expect(row.slice(head.indexOf('NAME'))).toBe('red \\u{1b}[31m alert\\u{a}next line');
    expect(row.slice(head.indexOf('CREATED'), head.indexOf('NAME')).trim()).toMatch(TIME);

    expect(show.stdout).toMatch(/users +1\n/);
    expect(show.stdout).toMatch(/created +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/);
    expect(show.stdout).toMatch(/specialTokenTtl +10 minutes \(default\)\n +lifetime of a special token/);
    expect(show.stdout).toMatch(/current +created .* \(.* UTC\) +valid until rotated/);
    expect(show.stdout).not.toContain('\u001b');

    const rotated = await cli.run('app', 'rotate-secret', clientId, '--overlap', '90m');
    expect(rotated.stdout).toMatch(/valid for another 1 hour 30 minutes, until .* UTC/);
    expect((await cli.run('app', 'show', clientId)).stdout).toMatch(/previous +created .* +expires in 89 minutes/);
  });

  test('set changes all or nothing, and KEY= restores the default', async () => {
    const { clientId } = await cli.json('app', 'create', '--name', 'Settings');
    const shown = async () => cli.json('app', 'show', clientId);
    expect(await shown()).toEqual({
      clientId,
      name: 'Settings',
      createdAt: expect.stringMatching(TIME),
      users: 0,
      settings: DEFAULTS,
      secrets: [{ createdAt: expect.stringMatching(TIME), expiresAt: null }],
    });

    const half = await cli.run('app', 'set', clientId, 'accessTokenTtl=2h', 'name=Other', 'specialTokenTtl=59s');
    expect(half).toMatchObject({ code: 2, stdout: '' });
    expect(half.stderr).toContain('specialTokenTtl must be from 1 minute to 7 days');
    expect(await shown()).toMatchObject({ name: 'Settings', settings: DEFAULTS });
    for (const [assignment, problem] of [
      ['eventsKept=91', 'eventsKept must be a number of days, 1d to 90d, or 0 for no events'],
      ['eventsKept=91d', 'eventsKept must be a number of days, 1d to 90d, or 0 for no events'],
      ['historyKept=90m', 'historyKept must be a number of days, 1d to 36500d, or 0 for unlimited'],
      ['accessTokenTtl=3600', 'accessTokenTtl must be a number with s, m, h or d, for example 24h'],
    ] as const) {
      const refused = await cli.run('app', 'set', clientId, assignment);
      expect([assignment, refused.code, refused.stdout]).toEqual([assignment, 2, '']);
      expect(refused.stderr).toContain(problem);
    }
    const days = await cli.json('app', 'set', clientId, 'eventsKept=90', 'historyKept=365d');
    expect(days.settings).toMatchObject({ eventsKept: 90, historyKept: 365 });
    const none = await cli.json('app', 'set', clientId, 'eventsKept=0', 'historyKept=unlimited');
    expect(none.settings).toMatchObject({ eventsKept: 0, historyKept: 0 });
    await cli.run('app', 'set', clientId, 'eventsKept=', 'historyKept=0');

    const assignments = [
      'name=Other = name',
      'specialTokenTtl=7d',
      'accessTokenTtl=60s',
      'deleteNeedsCredentials=false',
      'saveByUserUid=secret',
      'allowedOrigins=https://a.example, http://localhost:3000',
      'rateLimit=600/1m',
      'addressRateLimit=off',
      'historyKept=30d',
      'eventsKept=7d',
      'tokenAlgorithm=ES256',
      'accentColor=#1F5FBF',
      `logo=@${await writeLogo('logo.png', LOGO)}`,
    ];
    const changed = {
      specialTokenTtl: 604_800,
      accessTokenTtl: 60,
      deleteNeedsCredentials: false,
      saveByUserUid: 'secret',
      allowedOrigins: ['https://a.example', 'http://localhost:3000'],
      rateLimit: '600/1m',
      addressRateLimit: 'off',
      historyKept: 30,
      eventsKept: 7,
      tokenAlgorithm: 'ES256',
      tokenClaims: [],
      accentColor: '#1f5fbf',
      logo: `data:image/png;base64,${LOGO}`,
    };
    const result = await cli.json('app', 'set', clientId, ...assignments);
    expect(result).toEqual({ clientId, name: 'Other = name', settings: changed });
    expect(await shown()).toMatchObject({ name: 'Other = name', settings: changed });

    expect((await cli.run('app', 'show', clientId)).stdout).toMatch(/logo +image\/png, 70 bytes\n/);
    for (const file of [await writeLogo('page.png', btoa('<svg>')), 'nothing.png']) {
      expect(await cli.run('app', 'set', clientId, `logo=@${file}`)).toMatchObject({ code: 2, stdout: '' });
    }

    const reset = await cli.run('app', 'set', clientId, 'specialTokenTtl=', 'allowedOrigins=');
    expect(reset.stdout).toMatch(/specialTokenTtl +10 minutes \(default\)/);
    expect((await shown()).settings).toEqual({ ...changed, specialTokenTtl: 600, allowedOrigins: [] });
  });

  test('rotate-secret keeps two secrets valid, never three', async () => {
    const { clientId, clientSecret: first } = await cli.json('app', 'create', '--name', 'Rotating');
    const works = async (secret: string) => (await createUser(clientId, secret)).status === 200;

    const second = await cli.json('app', 'rotate-secret', clientId);
    expect(Object.keys(second)).toEqual(['clientSecret', 'previousExpiresAt']);
    const end = Date.parse(`${second.previousExpiresAt.replace(' ', 'T')}Z`);
    expect(Math.abs(end - Date.now() - 86_400_000)).toBeLessThan(60_000);
    expect(await works(second.clientSecret)).toBe(true);
    expect(await works(first)).toBe(true);

    const refused = await cli.run('app', 'rotate-secret', clientId);
    expect({ code: refused.code, stdout: refused.stdout }).toEqual({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(`previous secret is still valid, until ${second.previousExpiresAt} UTC`);
    expect(refused.stderr).toMatch(/--revoke-previous/);
    expect([await works(first), await works(second.clientSecret)]).toEqual([true, true]);

    const third = await cli.json('app', 'rotate-secret', clientId, '--overlap', '1h', '--revoke-previous');
    await expect.poll(() => works(first)).toBe(false);
    expect(await works(second.clientSecret)).toBe(true);
    expect((await cli.json('app', 'show', clientId)).secrets).toHaveLength(2);

    const fourth = await cli.json('app', 'rotate-secret', clientId, '--overlap', '0s');
    await expect.poll(() => works(third.clientSecret)).toBe(false);
    expect(await works(second.clientSecret)).toBe(false);
    expect(await works(fourth.clientSecret)).toBe(true);
    expect((await cli.json('app', 'show', clientId)).secrets).toHaveLength(1);
  });

  test('delete in a script needs no confirmation and deletes all users', async () => {
    const { clientId, clientSecret } = await cli.json('app', 'create', '--name', 'Doomed');
    await createUser(clientId, clientSecret);
    await createUser(clientId, clientSecret);

    const result = await cli.json('app', 'delete', clientId);
    expect(result).toEqual({ clientId, name: 'Doomed', users: 2, deleted: true });
    await expect.poll(async () => (await createUser(clientId, clientSecret)).json.code).toBe('0012');
    expect((await cli.json('app', 'list')).map((row: { clientId: string }) => row.clientId)).not.toContain(clientId);
  });

  test('an unknown application fails with a suggested fix', async () => {
    const calls = [['show'], ['set', 'accessTokenTtl=2h'], ['delete', '--yes'], ['rotate-secret']];
    const endings = await Promise.all(calls.map(([verb = '', ...more]) => cli.run('app', verb, '1_nobody', ...more)));
    for (const { code, stdout, stderr } of endings) {
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/no application with the clientId "1_nobody".*\n.*innkeeper app list/);
    }
  });
});
