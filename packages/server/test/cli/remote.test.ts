import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { remoteCalls } from '../../src/cli/remote-call.ts';
import { databases } from '../databases.ts';
import { basic, startTestServer, type TestServer } from '../http/start.ts';
import { CATALOG } from './catalog-file.ts';
import { inThread } from './in-thread.ts';
import { commandLine } from './run-innkeeper.ts';

// The same commands with INNKEEPER_URL and INNKEEPER_TOKEN, without the database and its secret.
describe.each(databases)('the remote command line on $kind', ({ fresh }) => {
  const folder = mkdtempSync(join(tmpdir(), 'innkeeper-remote-'));
  let here: ReturnType<typeof commandLine>;
  let server: TestServer;
  let token: string;

  beforeAll(async () => {
    const databaseUrl = await fresh();
    here = commandLine(databaseUrl, inThread);
    server = await startTestServer(databaseUrl);
    ({ token } = await here.json('token', 'create', '--name', 'ci', '--access', 'own'));
  });
  afterAll(async () => {
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const runRemotely = (...args: string[]) => inThread(args, { INNKEEPER_URL: server.url, INNKEEPER_TOKEN: token });
  const remoteJson = async (...args: string[]) => {
    const { code, stdout, stderr } = await runRemotely(...args, '--json');
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    return JSON.parse(stdout);
  };
  const file = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  /** Remote and local commands have the same output, errors and exit code. */
  const same = async (...args: string[]) => {
    const [one, other] = [await runRemotely(...args), await here.run(...args)];
    const { milliseconds: _, ...remote } = one;
    expect(remote).toEqual({ code: other.code, stdout: other.stdout, stderr: other.stderr });
    return remote;
  };

  test('app and token', async () => {
    const made = await remoteJson('app', 'create', '--name', 'Afar');
    expect(Object.keys(made)).toEqual(['clientId', 'clientSecret', 'name']);
    const { clientId } = made;
    await same('app', 'list');
    await same('app', 'show', clientId, '--json');
    await same('app', 'set', clientId, 'accessTokenTtl=2h', 'allowedOrigins=https://app.example.com');
    await same('app', 'set', clientId, 'accessTokenTtl=', 'name=Far away');
    await same('app', 'set', clientId, 'accessTokenTtl=7');
    expect(await remoteJson('app', 'rotate-secret', clientId, '--overlap', '0s')).toHaveProperty('clientSecret');
    const narrow = await remoteJson('token', 'create', '--name', 'narrow', '--app', clientId);
    expect(narrow).toMatchObject({ access: 'read', apps: [clientId] });
    await same('token', 'list', '--json');
    // A token cannot create one that outlives it.
    const long = await remoteJson('token', 'create', '--name', 'long', '--expires', '365d');
    const [{ expiresAt }] = await here.json('token', 'list');
    expect(long.expiresAt <= expiresAt).toBe(true);
    // Nor can a token with limited permissions create any.
    const refused = await inThread(['token', 'create', '--name', 'more'], {
      INNKEEPER_URL: server.url,
      INNKEEPER_TOKEN: narrow.token,
    });
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('access own') });
    expect(await remoteJson('token', 'revoke', narrow.tokenId)).toEqual({ tokenId: narrow.tokenId, revoked: true });
    await same('token', 'revoke', narrow.tokenId);
    expect(await remoteJson('app', 'delete', clientId, '--yes')).toMatchObject({ deleted: true, users: 0 });
    for (const command of [
      ['app', 'show', clientId],
      ['app', 'set', clientId, 'accessTokenTtl=2h'],
      ['catalog', 'revisions', '--app', clientId],
      ['users', 'show', 'ada', '--app', clientId],
      ['token', 'create', '--name', 'none', '--app', clientId],
    ]) {
      expect((await same(...command, '--json')).code).toBe(1);
    }
  });

  test('catalog: plan, apply, export, types, revisions, diff, restore and translations', async () => {
    const { clientId } = await server.application();
    const app = ['--app', clientId];
    const path = file('catalog.yaml', CATALOG);
    expect((await same('catalog', 'plan', path, ...app)).code).toBe(2);
    expect(await remoteJson('catalog', 'apply', path, ...app)).toMatchObject({ revision: 1, published: true });
    expect((await same('catalog', 'plan', path, ...app)).code).toBe(0);
    await same('catalog', 'apply', path, ...app);
    for (const format of ['yaml', 'json', 'csv']) await same('catalog', 'export', ...app, '--format', format);
    await same('catalog', 'export', ...app, '--format', 'xliff', '--language', 'es', '--json');
    await same('catalog', 'types', ...app);
    await same('catalog', 'types', '--schemas', ...app);
    const texts = (await here.run('catalog', 'export', ...app, '--format', 'csv')).stdout;
    const translated = file('texts.csv', texts.replace('Notificaciones', 'Avisos'));
    expect(await remoteJson('catalog', 'import-translations', translated, ...app)).toMatchObject({ revision: 2 });
    const clash = file('clash.csv', texts.replace('Notificaciones', 'Mensajes'));
    expect((await same('catalog', 'import-translations', clash, ...app)).code).toBe(1);
    expect((await same('catalog', 'review', clash, ...app)).stdout).toBe('Marked 3 texts as reviewed.\n');
    await same('catalog', 'review', translated, ...app, '--withdraw', '--json');
    await same('catalog', 'review', file('bare.csv', 'path,es\nnotifications,Avisos\n'), ...app);
    await same('catalog', 'revisions', ...app, '--json');
    await same('catalog', 'show', '2', ...app);
    await same('catalog', 'diff', '1', ...app);
    await same('catalog', 'diff', '0', ...app);
    await same('catalog', 'diff', '9', ...app);
    for (const unknown of ['0', '9']) {
      expect((await same('catalog', 'show', unknown, ...app)).code).toBe(1);
      expect((await same('catalog', 'export', ...app, '--revision', unknown)).code).toBe(1);
      expect((await same('catalog', 'restore', unknown, ...app)).code).toBe(1);
    }
    await same('catalog', 'export', ...app, '--format', 'csv', '--revision', '0');
    const early = (await same('catalog', 'export', ...app, '--format', 'csv', '--revision', '1')).stdout;
    expect(early).toBe(texts);
    for (const [more, code] of [
      [['--format', 'csv', '--revision', '9'], 1],
      [['--format', 'csv', '--language', 'fr'], 2],
      [['--format', 'xliff', '--language', 'en,es'], 2],
    ] as const) {
      expect((await same('catalog', 'export', ...app, ...more)).code).toBe(code);
    }
    expect(await remoteJson('catalog', 'restore', '1', ...app, '--note', 'As it was')).toMatchObject({ revision: 3 });
    const noted = file('noted.csv', texts.replace('Azul', 'Celeste'));
    await remoteJson('catalog', 'import-translations', noted, ...app, '--note', 'Read & approved');
    await remoteJson('catalog', 'apply', path, ...app, '--note', 'Once more');
    const { items } = await remoteJson('catalog', 'revisions', ...app, '--limit', '3');
    expect(items.map(({ note }: { note: string }) => note)).toEqual(['Once more', 'Read & approved', 'As it was']);
    await same('catalog', 'show', '5', ...app);
    const breaking = file('breaking.yaml', CATALOG.replace('[1, 1.5, 2]', '[1, 2]'));
    expect((await same('catalog', 'plan', breaking, ...app)).code).toBe(3);
    expect((await same('catalog', 'apply', breaking, ...app)).code).toBe(1);
    expect((await same('catalog', 'apply', breaking, ...app, '--if-revision', '1')).code).toBe(1);
    await same('catalog', 'apply', file('wrong.yaml', 'groups: 7'), ...app);
  });

  test('catalog migrate: counts first, runs in parts, and rejects like the local command', async () => {
    const { clientId } = await server.application();
    const app = ['--app', clientId];
    await remoteJson('catalog', 'apply', file('catalog.yaml', CATALOG), ...app);
    const lines = [['red'], ['blue', 'red'], ['blue']].map((value, i) => {
      const options = [{ group: 'notifications', key: 'colour', value }];
      return JSON.stringify({ clientUserId: `u${i}`, clientUserName: 'User', options });
    });
    await remoteJson('users', 'import', file('colours.ndjson', lines.join('\n')), ...app);
    const migrate = ['catalog', 'migrate', ...app, '--key', 'notifications.colour', '--from', 'red', '--to', 'blue'];
    expect((await same(...migrate, '--dry-run')).stdout).toContain('would change 2 selections');
    expect(await remoteJson(...migrate)).toMatchObject({ planned: 2, migrated: 2, remaining: 0 });
    await same(...migrate, '--json');
    expect((await same(...migrate, '--to', 'green')).code).toBe(2);
    expect((await same(...migrate, '--key', 'notifications.volume')).code).toBe(2);
    expect((await same(...migrate, '--key', 'notifications.nothing')).code).toBe(1);
  });

  test('users: exports what was imported in parts, and names rejected lines', async () => {
    const { clientId } = await server.application();
    const app = ['--app', clientId];
    await remoteJson('catalog', 'apply', file('catalog.yaml', CATALOG), ...app);
    const line = (i: number) =>
      `{"clientUserId":"u${i}","clientUserName":"User ${i}","options":[{"group":"notifications","key":"newsletter","value":[true]}]}`;
    // More than one batch; line 2 is not JSON, and the last line repeats the first.
    const lines = [line(1), 'no JSON', ...Array.from({ length: 600 }, (_, i) => line(i + 2)), line(1), ''];
    const path = file('users.ndjson', lines.join('\n'));
    const rejects = join(folder, 'rejects.ndjson');
    const { code, stdout } = await runRemotely('users', 'import', path, ...app, '--rejects', rejects, '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      lines: 603,
      created: 601,
      rejected: 2,
      rejections: [
        { line: 2, clientUserId: null, code: '0021' },
        { line: 603, clientUserId: 'u1', code: '0001', reason: expect.stringContaining('earlier line') },
      ],
    });
    const [one, other] = [await runRemotely('users', 'export', ...app), await here.run('users', 'export', ...app)];
    expect(one.stdout).toBe(other.stdout);
    expect(one.stdout.trim().split('\n')).toHaveLength(601);
    const again = await runRemotely('users', 'import', file('again.ndjson', one.stdout), ...app, '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ lines: 601, unchanged: 601, rejected: 0 });
    const { json } = await server.send('GET', `/manage/v1/applications/${clientId}/audit?limit=200`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const actions = (json.items as { action: string }[]).map(({ action }) => action);
    expect(actions.filter((action) => action === 'users.imported')).toHaveLength(1);
    expect(actions.filter((action) => action === 'users.exported')).toHaveLength(2);
  });

  test('users import writes an event for each user, and none with --no-events', async () => {
    const { clientId, clientSecret } = await server.application();
    const feed = async (): Promise<string[]> => {
      const headers = basic({ clientId, clientSecret });
      const { json } = await server.send('GET', `/api/v2/app/${clientId}/events`, { headers });
      return (json.items as { data: { clientUserId: string } }[]).map(({ data }) => data.clientUserId);
    };
    const users = (id: string) => file(`${id}.ndjson`, JSON.stringify({ clientUserId: id, clientUserName: 'User' }));
    for (const [place, run] of [
      ['afar', runRemotely],
      ['here', here.run],
    ] as const) {
      const app = ['--app', clientId];
      const before = await feed();
      expect((await run('users', 'import', users(`${place}-quiet`), ...app, '--no-events')).code).toBe(0);
      expect(await feed()).toEqual(before);
      expect((await run('users', 'import', users(`${place}-told`), ...app)).code).toBe(0);
      expect(await feed()).toEqual([...before, `${place}-told`]);
    }
  });

  test('an export cannot start in the middle, and an import has at most 500 lines per part', async () => {
    const { clientId } = await server.application();
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const path = `/manage/v1/applications/${clientId}/users`;
    expect(await server.send('GET', `${path}/export?after=u1`, { headers })).toMatchObject({ status: 400 });
    const lines = Array.from({ length: 501 }, (_, i) => ({ line: i, text: '{}' }));
    expect(await server.post(`${path}/import`, { lines }, headers)).toMatchObject({
      status: 400,
      json: { code: '9400' },
    });
    expect(await server.post(`${path}/import`, { lines: [{ line: 1 }] }, headers)).toMatchObject({ status: 400 });
    expect(await server.post(`${path}/import`, { lines: [], import: 'x' }, headers)).toMatchObject({ status: 400 });
  });

  test('a wrong address or token is reported', async () => {
    const reported = async (settings: Record<string, string>) => (await inThread(['app', 'list'], settings)).stderr;
    expect(await reported({ INNKEEPER_URL: server.url })).toContain('INNKEEPER_TOKEN is not');
    expect(await reported({ INNKEEPER_URL: server.url, INNKEEPER_TOKEN: 'ikp_x' })).toContain('token is invalid');
    expect(await reported({ INNKEEPER_URL: 'http://users.example.com', INNKEEPER_TOKEN: token })).toContain(
      'sent unencrypted',
    );
    expect(await reported({ INNKEEPER_URL: 'http://127.0.0.1:1', INNKEEPER_TOKEN: token })).toContain(
      'cannot be reached',
    );
    expect(await reported({ INNKEEPER_URL: server.url, INNKEEPER_TOKEN_FILE: join(folder, 'none') })).toContain(
      'ENOENT',
    );
  });
});

describe('a hostile service', () => {
  let remote: Server;
  let answer: (response: ServerResponse) => void;
  beforeAll(async () => {
    remote = createServer((_, response) => answer(response.setHeader('content-type', 'application/json')));
    await new Promise<void>((resolve) => remote.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    remote.closeAllConnections();
    remote.close();
  });
  const run = (...args: string[]) => {
    const { port } = remote.address() as AddressInfo;
    return inThread(args, { INNKEEPER_URL: `http://127.0.0.1:${port}`, INNKEEPER_TOKEN: 'ikp_x' });
  };
  const evil = 'a\u001b]0;title\u0007\u001b[2J\u009b2J\rb';
  const shown = 'a\\u{1b}]0;title\\u{7}\\u{1b}[2J\\u{9b}2J\\u{d}b';

  test('sends no control sequence to the terminal, in results or errors', async () => {
    answer = (response) =>
      response.end(JSON.stringify({ items: [{ clientId: evil, name: 'Mine', createdAt: '2026-01-01 00:00:00' }] }));
    expect((await run('app', 'list')).stdout).toContain(shown);
    const { stdout } = await run('app', 'list', '--json');
    expect(stdout).not.toMatch(/[^\P{Cc}\n]/u);
    expect(JSON.parse(stdout)).toMatchObject([{ clientId: evil }]);
    const errors = [
      { field: evil, message: evil },
      { field: 'b', message: 'is wrong' },
    ];
    answer = (response) => {
      response.statusCode = 400;
      response.end(JSON.stringify({ code: '9400', message: evil, errors }));
    };
    const { stderr } = await run('app', 'list');
    expect(stderr).toContain(`innkeeper: ${shown}`);
    expect(stderr).toContain(`✗ ${shown} ${shown}`);
    expect((await run('app', 'list', '--json')).stderr).not.toMatch(/[^\P{Cc}\n]/u);
  });

  test.each(['{"items":', 'null', '7'])('%s is not an Innkeeper response', async (text) => {
    answer = (response) => response.end(text);
    const { stderr } = await run('app', 'list');
    expect(stderr).toContain('returned 200, which is not an Innkeeper response.');
  });

  test.each<[number, ...string[]]>([
    [200, 'app', 'list'],
    [400, 'catalog', 'export', '--app', 'a', '--format', 'csv', '--revision', '1'],
    [409, 'webhook', 'list', '--app', 'a'],
    [404, 'token', 'revoke', '01920000-0000-7000-8000-000000000000'],
    [412, 'catalog', 'restore', '1', '--app', 'a'],
  ])('a page with %i is not a response to %s %s', async (status, ...args) => {
    answer = (response) => response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>No</h1>');
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`returned ${status}, which is not an Innkeeper response.`);
  });

  test('a connection that is lost within a response is reported', async () => {
    answer = (response) => {
      response.write('{"items":');
      setImmediate(() => response.destroy());
    };
    const { code, stderr } = await run('app', 'create', '--name', 'One', '--json');
    expect(code).toBe(1);
    const { error } = JSON.parse(stderr);
    expect(error.message).toMatch(/cannot be reached: \w+\. The request may have been carried out\.$/);
    expect((await run('app', 'list')).stderr).toMatch(/cannot be reached: \w+\.\n/);
  });

  test('a service that does not respond in time is reported', async () => {
    const late = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new DOMException('Too late', 'TimeoutError'));
    const { call } = remoteCalls({ url: 'http://127.0.0.1:1', token: 'ikp_x' });
    const message = 'http://127.0.0.1:1 cannot be reached: no response within 60 seconds.';
    await expect(call('GET', '/tokens')).rejects.toThrow(/within 60 seconds\.$/);
    await expect(call('POST', '/tokens')).rejects.toThrow(`${message} The request may have been carried out.`);
    late.mockRestore();
  });

  test('an import that stops in the middle names the line and how to continue', async () => {
    const counts = { lines: 500, rejected: 0 };
    let parts = 0;
    answer = (response) => {
      const isImport = response.req.method === 'POST';
      if (isImport) parts++;
      if (parts < 2)
        response.end(JSON.stringify(isImport ? { counts, rejections: [], import: 'i' } : { name: 'One', counts: {} }));
      else response.destroy();
    };
    const folder = mkdtempSync(join(tmpdir(), 'innkeeper-remote-'));
    const path = join(folder, 'users.ndjson');
    writeFileSync(path, '{"clientUserId":"a","clientUserName":"A"}\n'.repeat(600));
    const { code, stderr } = await run('users', 'import', path, '--app', 'a');
    expect(code).toBe(1);
    expect(stderr).toContain('the import stopped at about line 500: http');
    expect(stderr).toContain('Imported users are kept. Run it again with --resume to continue');
    parts = 0;
    const updating = await run('users', 'import', path, '--app', 'a', '--update');
    rmSync(folder, { recursive: true });
    expect(updating.stderr).toContain('Imported users are kept. Run the same command again to continue');
  });

  test('a delete is done even if its receipt cannot be fetched', async () => {
    const user = { userUid: '0198c5a2-7d10-7c3e-9b1f-2f6a4e8d0c31', clientUserId: 'a', clientUserName: 'A' };
    answer = (response) => {
      if (response.req.url?.endsWith('/deletion-receipt') === true) response.destroy();
      else response.end(JSON.stringify(response.req.method === 'GET' ? user : {}));
    };
    const args = ['users', 'delete', user.userUid, '--app', 'a', '--yes'];
    expect(await run(...args)).toMatchObject({ code: 0, stdout: expect.stringContaining('Deleted A (a).') });
    const { code, stdout } = await run(...args, '--json');
    expect({ code, result: JSON.parse(stdout) }).toMatchObject({ code: 0, result: { deleted: true, receipt: null } });
  });

  test('a refused token comes with advice that works', async () => {
    answer = (response) => {
      response.statusCode = 401;
      response.end(JSON.stringify({ code: '9401', message: 'No.' }));
    };
    expect((await run('app', 'list')).stderr).toMatch(/portal.* innkeeper token create --name NAME/);
  });

  test('a refusal without fields ends an export and a migration', async () => {
    const keys = [{ keyUid: '1', name: 'k', type: 'string', archived: false }];
    answer = (response) => {
      const isTree = response.req.url?.endsWith('/tree') === true;
      response.statusCode = isTree ? 200 : 400;
      response.end(JSON.stringify(isTree ? { groups: [{ name: 'g', keys }] } : { code: '9400', message: 'No.' }));
    };
    for (const args of [
      ['export', '--format', 'csv', '--revision', '1'],
      ['migrate', '--key', 'g.k', '--from', 'a', '--to', 'b'],
    ]) {
      const ended = await run('catalog', ...args, '--app', 'a');
      expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('No.') });
    }
  });
});
