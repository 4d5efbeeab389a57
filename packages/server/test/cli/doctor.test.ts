import { readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkCapacity, checkClock } from '../../src/cli/doctor/database.ts';
import { judgeCertificate } from '../../src/cli/doctor/public-address.ts';
import type { Mark } from '../../src/domain/clock.ts';
import { bytesForScrub } from '../../src/storage/sqlite/scrub.ts';
import { databases } from '../databases.ts';
import { startReceiver } from '../events/receiver.ts';
import { freePort } from '../free-port.ts';
import { SECRET } from '../http/start.ts';
import { DAMAGE, emptyLog, makeFreePages } from '../sqlite/damage-file.ts';
import { startOidcProvider } from '../tokens/oidc-provider-process.ts';
import { commandLine, runInnkeeper } from './run-innkeeper.ts';

type Check = { check: string; ok: boolean; detail: string; remedy: string | null };

const failures = (stdout: string): Check[] => (JSON.parse(stdout) as Check[]).filter(({ ok }) => !ok);

describe.each(databases)('innkeeper doctor on $kind', ({ kind, empty, execute }) => {
  let databaseUrl: string;
  let port: string;
  const doctor = (settings: Record<string, string> = {}, ...flags: string[]) =>
    runInnkeeper(['doctor', ...flags], {
      INNKEEPER_DATABASE_URL: databaseUrl,
      INNKEEPER_SECRET: SECRET,
      INNKEEPER_PORT: port,
      ...settings,
    });

  beforeAll(async () => {
    databaseUrl = await empty();
    port = String(await freePort());
  });

  test('reports pending migrations and runs none', async () => {
    for (const ending of [await doctor({}, '--json'), await doctor({}, '--json')]) {
      expect(ending.code).toBe(1);
      expect(failures(ending.stdout)).toEqual([
        {
          ...(kind === 'sqlite'
            ? { check: 'database', detail: expect.stringMatching(/^no database at \//) }
            : { check: 'migrations', detail: 'the database is new' }),
          ok: false,
          remedy: expect.stringContaining('innkeeper migrate'),
        },
      ]);
    }
  });

  test('reports no problem after migrate', async () => {
    const cli = commandLine(databaseUrl);
    await cli.json('migrate');
    await cli.json('app', 'create', '--name', 'One');
    const mistyped = { INNKEEPER_TRUSTED_PROXYS: '10.0.0.7', INNKEEPER_BOGUS: 'x', INNKEEPER_CLIENT_ID: '1_x' };
    const [readable, json] = await Promise.all([doctor(), doctor({ INNKEEPER_PORT: '0', ...mistyped }, '--json')]);
    expect(readable).toMatchObject({ code: 0, stderr: '' });
    expect(readable.stdout).toMatch(
      new RegExp(`✓ +database +${kind === 'sqlite' ? 'SQLite' : 'PostgreSQL'} at .*readable and writable`),
    );
    expect(readable.stdout).toMatch(/✓ +token service +embedded/);
    expect(readable.stdout).toContain(`127.0.0.1:${port} is free`);
    // The tests' PostgreSQL runs with fsync off, which is a warning.
    const summary = kind === 'sqlite' ? 'All checks passed.' : 'No failures; 1 warning.';
    expect(readable.stdout.endsWith(`\n\n${summary}\n`)).toBe(true);
    expect(readable.stdout.includes('fsync, full_page_writes off')).toBe(kind === 'postgres');
    expect(json.code).toBe(0);
    const [proxies, bogus, ...rest] = JSON.parse(json.stdout) as Check[];
    const names = rest.map(({ check }) => check);
    const room = kind === 'sqlite' ? 'disk' : 'connections';
    expect(names).toEqual([
      ...['settings', 'secret', 'database', 'migrations', 'data', room, 'clock', 'token service', 'port'],
    ]);
    const { detail } = rest.find(({ check }) => check === room) as Check;
    expect(detail).toMatch(
      kind === 'sqlite' ? /GB free beside a database of \d+/ : /^\d+ of \d+ of PostgreSQL are in use$/,
    );
    expect(proxies).toEqual({
      check: 'environment',
      ok: true,
      detail: 'INNKEEPER_TRUSTED_PROXYS is not a setting and has no effect.',
      remedy: 'Did you mean INNKEEPER_TRUSTED_PROXIES?',
    });
    expect(bogus).toMatchObject({ ok: true, remedy: 'See: innkeeper serve --help' });
  });

  test('with --deep also checks indexes, if the database allows it', async () => {
    const data = async () => {
      const { code, stdout } = await doctor({}, '--deep', '--json');
      return { code, data: (JSON.parse(stdout) as Check[]).find(({ check }) => check === 'data') };
    };
    if (kind === 'sqlite') {
      expect(await data()).toMatchObject({ code: 0, data: { ok: true, detail: expect.stringContaining('indexes') } });
      return;
    }
    expect(await data()).toMatchObject({
      code: 0,
      data: {
        ok: true,
        detail: expect.stringContaining('amcheck'),
        remedy: expect.stringContaining('create extension'),
      },
    });
    await execute(databaseUrl, 'create extension amcheck');
    expect(await data()).toMatchObject({
      code: 0,
      data: { ok: true, detail: expect.stringMatching(/\d\d indexes are consistent/) },
    });
    await execute(databaseUrl, 'drop extension amcheck');
  });

  test('reports users without a profile', async () => {
    const id = kind === 'sqlite' ? "x'00112233445566778899aabbccddeeff'" : "'00112233-4455-6677-8899-aabbccddeeff'";
    await execute(
      databaseUrl,
      `insert into users (user_id, app_id, client_user_id, created_at) select ${id}, app_id, 'nobody', 0 from applications limit 1`,
    );
    // In parallel, so on different ports: each check binds its port for a moment.
    const [quick, deep] = await Promise.all([
      doctor({}, '--json'),
      doctor({ INNKEEPER_PORT: '0' }, '--deep', '--json'),
    ]);
    // A known problem is reported until a check finds it gone.
    const known = await doctor({}, '--json');
    await execute(databaseUrl, `delete from users where user_id = ${id}`);
    expect(await doctor({}, '--json')).toMatchObject({ code: 0 });
    for (const { code, stdout } of [quick, deep, known]) {
      expect(code).toBe(1);
      expect(failures(stdout)).toMatchObject([
        {
          check: 'data',
          detail: expect.stringContaining('damaged: 1 users have'),
          remedy: expect.stringContaining('restore'),
        },
      ]);
    }
  });

  test('finds damage of the file and says how to restore it', async () => {
    if (kind !== 'sqlite') return;
    const url = await empty();
    const path = url.slice('sqlite:'.length);
    const cli = commandLine(url);
    await cli.json('app', 'create', '--name', 'One');
    makeFreePages(path);
    emptyLog(path);
    const whole = readFileSync(path);
    for (const damage of ['overwritten free list', 'truncated file', 'damaged header'] as const) {
      writeFileSync(path, whole);
      DAMAGE[damage](path);
      const { code, stdout } = await doctor({ INNKEEPER_DATABASE_URL: url }, '--json');
      expect({ damage, code }).toEqual({ damage, code: 1 });
      expect(failures(stdout)[0]).toMatchObject({
        detail: expect.stringContaining('damaged'),
        remedy: expect.stringMatching(/-wal.*innkeeper restore BACKUP_FILE/),
      });
    }
  });

  test('reports a read-only database', async () => {
    if (kind !== 'sqlite') return;
    await execute(
      databaseUrl,
      "create trigger full_disk before update on facts begin select raise(fail, 'database or disk is full'); end",
    );
    const ending = await doctor({}, '--json');
    await execute(databaseUrl, 'drop trigger full_disk');
    expect(ending.code).toBe(1);
    expect(failures(ending.stdout)).toMatchObject([
      {
        check: 'database',
        detail: expect.stringContaining('database or disk is full'),
        remedy: expect.stringContaining('the free disk space'),
      },
    ]);
  });

  test('reports that the check itself ran out of space', async () => {
    if (kind === 'sqlite') return;
    await execute(
      databaseUrl,
      `create function full_disk() returns event_trigger language plpgsql as $$ begin
         raise exception 'could not extend file "base/1/2674": No space left on device' using errcode = 'disk_full';
       end $$;
       create event trigger full_disk on ddl_command_start when tag in ('CREATE SCHEMA') execute function full_disk()`,
    );
    const { stdout } = await doctor({}, '--json');
    await execute(databaseUrl, 'drop event trigger full_disk; drop function full_disk()');
    const detail = expect.stringContaining('No space left on device');
    expect(failures(stdout)).toEqual([
      { check: 'data', ok: false, detail, remedy: expect.stringMatching(/^Free some disk space .* again\.$/) },
    ]);
  });

  test('reports a secret of another database, a port of another one, and a newer version', async () => {
    // The port belongs to a service on another database, because this one does not have its keys.
    const other = createHttpServer((_, answer) => answer.end('{"status":"ok","keys":[{"kid":"other"}]}'));
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
    const { port: taken } = other.address() as { port: number };
    const wrong = await doctor({ INNKEEPER_SECRET: `another ${SECRET}`, INNKEEPER_PORT: String(taken) }, '--json');
    other.close();
    expect(failures(wrong.stdout)).toMatchObject([{ check: 'secret', remedy: expect.stringContaining('original') }]);
    expect(JSON.parse(wrong.stdout)).toContainEqual({
      check: 'port',
      ok: true,
      detail: `127.0.0.1:${taken} is in use by Innkeeper with another database`,
      remedy: expect.stringContaining('INNKEEPER_DATABASE_URL'),
    });

    if (kind === 'sqlite') {
      await execute(databaseUrl, 'pragma user_version = 99');
      const newer = await doctor({}, '--json');
      expect(failures(newer.stdout)).toMatchObject([{ check: 'migrations', detail: expect.stringContaining('newer') }]);
    }
  });
});

describe('each failure has a suggested fix', () => {
  const doctor = (settings: Record<string, string>, ...flags: string[]) =>
    runInnkeeper(['doctor', ...flags], {
      INNKEEPER_DATABASE_URL: 'postgres://somebody:hunter2@127.0.0.1:1/innkeeper',
      INNKEEPER_SECRET: SECRET,
      INNKEEPER_PORT: '0',
      ...settings,
    });

  test('a weak secret and an unreachable database, without waiting for it', async () => {
    const ending = await doctor({ INNKEEPER_SECRET: 'weak' });
    expect(ending.code).toBe(1);
    expect(ending.milliseconds).toBeLessThan(15_000);
    expect(ending.stdout).toMatch(/✗ +secret +INNKEEPER_SECRET is weak.*\n +→ Create one with: openssl/);
    expect(ending.stdout).toMatch(
      /✗ +database +PostgreSQL at 127\.0\.0\.1:1\/innkeeper: .*ECONNREFUSED.*\n +→ Check INNKEEPER_DATABASE_URL/,
    );
    expect(ending.stdout).toMatch(/\n\n2 of 6 checks failed\.\n$/);
    expect(ending.stdout + ending.stderr).not.toContain('hunter2');
  });

  test('an invalid setting', async () => {
    const ending = await doctor({ INNKEEPER_WORKERS: 'many' }, '--json');
    expect(ending.code).toBe(1);
    expect(failures(ending.stdout)).toEqual([
      {
        check: 'settings',
        ok: false,
        detail: expect.stringContaining('INNKEEPER_WORKERS'),
        remedy: expect.stringContaining('--help'),
      },
    ]);
  });

  test('an unreachable token service', async () => {
    const { stdout } = await doctor(
      {
        INNKEEPER_TOKEN_SERVICE_URL: 'http://127.0.0.1:1',
        INNKEEPER_TOKEN_SERVICE_CLIENT_ID: 'x',
        INNKEEPER_TOKEN_SERVICE_CLIENT_SECRET: 'x',
      },
      '--json',
    );
    const failure = failures(stdout).find(({ check }) => check === 'token service');
    expect(failure).toMatchObject({ remedy: expect.stringContaining('INNKEEPER_TOKEN_SERVICE_URL') });
  });

  test('a token service with and without the token-exchange grant', async () => {
    const server = await startOidcProvider();
    const tokenService = async () => {
      const settings = { URL: server.url, CLIENT_ID: server.clientId, CLIENT_SECRET: server.clientSecret };
      const named = Object.entries(settings).map(([name, value]) => [`INNKEEPER_TOKEN_SERVICE_${name}`, value]);
      const { stdout } = await doctor(Object.fromEntries(named), '--json');
      return (JSON.parse(stdout) as Check[]).find(({ check }) => check === 'token service');
    };
    try {
      expect(await tokenService()).toMatchObject({ ok: true, detail: `${server.url} responds`, remedy: null });
      const metadata = { issuer: server.url, token_endpoint: `${server.url}/token`, jwks_uri: `${server.url}/jwks` };
      const publish = (grants?: string[]) =>
        server.fail({
          path: '/.well-known/oauth-authorization-server',
          status: 200,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ ...metadata, grant_types_supported: grants }),
        });
      await publish(['client_credentials']);
      expect(await tokenService()).toMatchObject({
        ok: true,
        detail: expect.stringContaining('does not list the token-exchange grant'),
        remedy: expect.stringContaining('0002'),
      });
      await publish();
      expect(await tokenService()).toMatchObject({ ok: true, remedy: null });
    } finally {
      await server.stop();
    }
  });

  test('an OpenID provider that works, one with another name, and an unreachable one', async () => {
    const provider = await startOidcProvider();
    const openId = async (issuer: string) => {
      const settings = { ISSUER: issuer, CLIENT_ID: provider.clientId, CLIENT_SECRET: provider.clientSecret };
      const named = Object.entries(settings).map(([name, value]) => [`INNKEEPER_OIDC_${name}`, value]);
      const { stdout } = await doctor(Object.fromEntries(named), '--json');
      return (JSON.parse(stdout) as Check[]).find(({ check }) => check === 'OpenID');
    };
    try {
      expect(await openId(provider.url)).toMatchObject({ ok: true, remedy: null });
      const other = provider.url.replace('127.0.0.1', 'localhost');
      expect(await openId(other)).toMatchObject({
        ok: false,
        detail: `${other} reports another issuer: ${provider.url}`,
        remedy: `Set INNKEEPER_OIDC_ISSUER to ${provider.url}`,
      });
      expect(await openId(`${provider.url}/nowhere`)).toMatchObject({
        ok: false,
        remedy: expect.stringContaining('Check INNKEEPER_OIDC_ISSUER'),
      });
    } finally {
      await provider.stop();
    }
    expect(await openId(provider.url)).toMatchObject({ ok: false, detail: `${provider.url} cannot be reached` });
  });

  test('an untrusted certificate, and an unreachable address', async () => {
    const secure = await startReceiver({ tls: true });
    const certificate = async (publicUrl: string) => {
      const { stdout } = await doctor({ INNKEEPER_PUBLIC_URL: publicUrl }, '--json');
      return (JSON.parse(stdout) as Check[]).find(({ check }) => check === 'certificate');
    };
    expect(await certificate(secure.url)).toMatchObject({
      ok: true,
      detail: expect.stringContaining('is not trusted'),
    });
    await secure.close();
    expect(await certificate(secure.url)).toMatchObject({ ok: true, detail: expect.stringContaining('ECONNREFUSED') });
    expect(await certificate('http://localhost:8080')).toBeUndefined();
  });

  test('limits that are about to be reached', () => {
    const [url, now] = ['https://users.example.com', Date.parse('2026-01-01')];
    const inDays = (days: number) =>
      judgeCertificate(url, { validTo: now + days * 86_400_000, problem: undefined }, now);
    expect(inDays(30)).toMatchObject({ ok: true, remedy: null, detail: `of ${url}, valid for 30 more days` });
    expect(inDays(13)).toMatchObject({ ok: true, remedy: expect.stringContaining('Renew') });
    expect(inDays(-1)).toMatchObject({ ok: false, detail: `of ${url} has expired` });
    const disk = (free: number, size: number) =>
      checkCapacity({ kind: 'disk', free, size, forScrub: bytesForScrub(size) });
    expect(disk(5e9, 2e9)).toMatchObject({ remedy: null });
    for (const [free, size] of [
      [3e9, 2e9],
      [1e8, 1e6],
    ] as const) {
      expect(disk(free, size)).toMatchObject({
        ok: true,
        remedy: expect.stringContaining('Free'),
      });
    }
    expect(checkCapacity({ kind: 'connections', used: 79, most: 100 })).toMatchObject({ remedy: null });
    const full = { remedy: expect.stringContaining('max_connections') };
    expect(checkCapacity({ kind: 'connections', used: 80, most: 100 })).toMatchObject(full);
  });

  describe('a port in use', () => {
    const other = createServer((socket) => socket.end('not HTTP\n'));
    const innkeeper = createHttpServer((_, answer) => answer.end('{"status":"ok"}'));
    const portOf = (server: typeof other) => String((server.address() as { port: number }).port);

    beforeAll(async () => {
      for (const server of [other, innkeeper]) await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    });
    afterAll(() => {
      other.close();
      innkeeper.close();
    });

    test('by another program', async () => {
      const { stdout } = await doctor({ INNKEEPER_PORT: portOf(other) });
      expect(stdout).toMatch(/✗ +port +.* is in use by another program\n +→ Choose another port with --port/);
    });

    test('by Innkeeper itself is fine', async () => {
      const { stdout } = await doctor({ INNKEEPER_PORT: portOf(innkeeper) });
      expect(stdout).toMatch(/✓ +port +.* is in use by Innkeeper(?: |$)/m);
    });
  });

  test('a clock that is certainly wrong, or behind what was written', () => {
    const now = Date.UTC(2030, 0, 1);
    expect(checkClock([now - 1000, now + 30_000], undefined, now)).toMatchObject({
      ok: true,
      detail: '2030-01-01 00:00:00 UTC',
    });
    expect(checkClock([], undefined, 0)).toMatchObject({
      ok: false,
      detail: '1970-01-01 00:00:00 UTC is not plausible',
    });
    expect(checkClock([now + 7_200_000], undefined, now)).toMatchObject({
      ok: false,
      detail: expect.stringContaining('2 hours before the newest record'),
      remedy: expect.stringContaining('NTP'),
    });
  });

  test("a clock that differs from the database's, and one that jumped", () => {
    const now = Date.UTC(2030, 0, 1);
    const skewed = (skewMs: number) => checkClock([], { skewMs, mark: undefined }, now);
    expect(skewed(-40)).toMatchObject({ ok: true, detail: "2030-01-01 00:00:00 UTC, 40 ms from the database's clock" });
    expect(skewed(30_000)).toMatchObject({
      ok: true,
      detail: "2030-01-01 00:00:00 UTC is 30 seconds ahead of the database's clock",
      remedy: expect.stringContaining('NTP'),
    });
    expect(skewed(-7_200_000)).toMatchObject({
      ok: false,
      detail: expect.stringContaining('2 hours behind the database'),
      remedy: expect.stringContaining('NTP'),
    });
    const marked = (mark: Mark) => checkClock([], { skewMs: undefined, mark }, now);
    expect(marked({ at: now - 30_000, doubtMs: 0, waitMs: 0 })).toMatchObject({
      remedy: null,
      detail: '2030-01-01 00:00:00 UTC, last seen in the database at 2029-12-31 23:59:30',
    });
    expect(marked({ at: now, doubtMs: 730 * 86_400_000, waitMs: 7_200_000 })).toMatchObject({
      ok: true,
      detail: expect.stringMatching(/jumped 730 days ahead .*paused for 2 hours/),
      remedy: expect.stringContaining('NTP'),
    });
    expect(marked({ at: now + 7_200_000, doubtMs: 0, waitMs: 0 })).toMatchObject({ ok: false });
  });
});
