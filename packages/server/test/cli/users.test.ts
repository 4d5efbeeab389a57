import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMO_CATALOG } from '../../src/demo/make-demo.ts';
import { publishCatalog } from '../../src/domain/catalog/publish.ts';
import { readDefinition } from '../../src/domain/catalog/read-definition.ts';
import { finish } from '../../src/domain/slices.ts';
import { databases } from '../databases.ts';
import { basic, SECRET, startTestServer, type TestServer } from '../http/start.ts';
import { inThread } from './in-thread.ts';
import { bin, commandLine } from './run-innkeeper.ts';

type Line = Record<string, unknown>;

const CHANNELS = [['email'], ['sms'], ['email', 'push']];
/** A user with three selections, as exported from another system. */
const numbered = (i: number): Line => ({
  clientUserId: `user-${i}@example.com`,
  clientUserName: `User number ${i}`,
  created_at: '2025-01-31 08:00:00',
  options: [
    { group: 'notifications', key: 'newsletter', value: [i % 2 === 0] },
    { group: 'notifications', key: 'channels', value: CHANNELS[i % 3] },
    { group: 'appearance', key: 'theme', value: ['dark'] },
  ],
});

// All of it runs beside a server on the same database.
describe.each(databases)('innkeeper users on $kind', ({ fresh, kind }) => {
  const folder = mkdtempSync(join(tmpdir(), 'innkeeper-users-'));
  let cli: ReturnType<typeof commandLine>;
  let server: TestServer;
  let databaseUrl: string;

  beforeAll(async () => {
    databaseUrl = await fresh();
    cli = commandLine(databaseUrl, inThread);
    server = await startTestServer(databaseUrl);
  });
  afterAll(async () => {
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Publishes the demo's catalog, except for the keys in `without`. */
  const publish = async (appId: number, without: string[] = [], { storage } = server.service): Promise<void> => {
    const groups = DEMO_CATALOG.groups?.map((group) => ({
      ...group,
      keys: group.keys?.filter(({ name }) => !without.includes(name)) ?? [],
    }));
    const read = finish(readDefinition({ ...DEMO_CATALOG, groups }));
    if (!('definition' in read)) throw new Error(JSON.stringify(read));
    const options = { author: 'test', now: Date.now(), allowBreaking: true };
    const { outcome } = await publishCatalog(storage, appId, read.definition, options);
    expect(outcome).toBe('published');
  };
  const application = async () => {
    const made = await server.application();
    await publish(made.appId);
    return made;
  };
  let files = 0;
  const fileOf = (lines: (Line | string)[]): string => {
    const path = join(folder, `users-${++files}.ndjson`);
    const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
    writeFileSync(path, `${texts.join('\n')}\n`);
    return path;
  };
  const importFile = async (path: string, clientId: string, ...flags: string[]) => {
    const { code, stdout, stderr } = await cli.run('users', 'import', path, '--app', clientId, '--json', ...flags);
    expect(stderr).toBe('');
    return { code, ...JSON.parse(stdout) };
  };
  const exported = async (clientId: string): Promise<Line[]> => {
    const { code, stdout } = await cli.run('users', 'export', '--app', clientId);
    expect(code).toBe(0);
    return stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  };

  test('imported users exist immediately, with their selections, and get special tokens', async () => {
    const app = await application();
    const mia = {
      clientUserId: 'mia@example.com',
      clientUserName: 'Mia 🦊',
      service_user_code: '01997a52-7c1e-4d3a-9a0b-6f1d2c3b4a59',
      created_at: '2025-01-31 08:00:00.250',
      options: [{ group: 'notifications', key: 'channels', value: ['SMS', 'E-Mail'], language: 'Deutsch' }],
    };
    const bare = { clientUserId: 'bare', clientUserName: 'Bare' };
    const result = await importFile(fileOf([mia, '', bare]), app.clientId);
    expect(result).toMatchObject({ code: 0, lines: 2, created: 2, rejected: 0, interrupted: false, rejections: [] });

    const { status, json } = await server.send('GET', `/api/user_options?user_uid=${mia.service_user_code}`, {
      headers: { apiKey: app.clientId, ...basic(app) },
    });
    expect(status).toBe(200);
    const [saved] = json.items as { option: { value: unknown } }[];
    expect(JSON.stringify(saved)).toContain('["email","sms"]');

    const { clientId, clientSecret } = app;
    const again = await server.post('/api/v2/app/special-token', { clientId, clientSecret, clientUserId: 'bare' });
    expect(again).toMatchObject({ status: 200, json: { clientUserName: 'Bare' } });
  });

  test('rejected lines are reported by number and reason, stored on request, and the others are imported', async () => {
    const app = await application();
    const rejects = join(folder, `rejects-${kind}.ndjson`);
    const twice = { clientUserId: 'twice', clientUserName: 'First' };
    const path = fileOf([
      '\ufeff{"clientUserId":"bom","clientUserName":"With a mark"}\r',
      'not json',
      { clientUserId: 'no name' },
      { ...numbered(1), options: [{ group: 'appearance', key: 'theme', value: ['pink'] }] },
      twice,
      { ...twice, clientUserName: 'Second' },
      numbered(1),
      'x'.repeat(1024 * 1024 + 1),
    ]);
    const result = await importFile(path, app.clientId, '--rejects', rejects);
    expect(result).toMatchObject({ code: 1, lines: 8, created: 3, rejected: 5 });
    const expected = [
      { line: 2, code: '0021', field: null, clientUserId: null },
      { line: 3, code: '0023', field: 'clientUserName', clientUserId: 'no name' },
      { line: 4, code: '1008', field: 'options[0].value[0]', clientUserId: 'user-1@example.com' },
      { line: 6, code: '0001', field: 'clientUserId', clientUserId: 'twice' },
      { line: 8, code: '9413', field: null, clientUserId: null },
    ];
    expect(result.rejections).toMatchObject(expected);
    const kept = readFileSync(rejects, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(kept).toMatchObject(expected);
    expect(kept[0].text).toBe('not json');
    expect(statSync(rejects).mode & 0o777).toBe(0o600);
    expect((await exported(app.clientId)).map(({ clientUserName }) => clientUserName)).toEqual([
      'With a mark',
      'First',
      'User number 1',
    ]);

    const readable = await cli.run('users', 'import', path, '--app', app.clientId);
    expect(readable.code).toBe(1);
    expect(readable.stdout).toMatch(/^ +3 {2}unchanged$/m);
    expect(readable.stdout).toMatch(/^ {2}line 4 +1008 +options\[0\]\.value\[0\] is not among the allowed values/m);
    expect(readable.stdout).toContain('--rejects FILE');
  });

  test('an existing user is compared, updated or left alone', async () => {
    const app = await application();
    const path = fileOf([numbered(1), numbered(2)]);
    const changed = { ...numbered(1), options: [{ group: 'appearance', key: 'theme', value: ['light'] }] };
    const next = fileOf([changed, numbered(2), numbered(3)]);
    expect(await importFile(path, app.clientId)).toMatchObject({ code: 0, created: 2 });
    expect(await importFile(path, app.clientId)).toMatchObject({ code: 0, created: 0, unchanged: 2 });
    expect(await importFile(next, app.clientId)).toMatchObject({
      code: 1,
      created: 1,
      unchanged: 1,
      rejections: [{ line: 1, code: '0001', field: 'options[0].value', reason: expect.stringContaining('--update') }],
    });
    expect(await importFile(next, app.clientId, '--resume')).toMatchObject({ code: 0, skipped: 3 });
    expect(await importFile(next, app.clientId, '--update')).toMatchObject({ code: 0, updated: 1, unchanged: 2 });
    const [first] = await exported(app.clientId);
    expect(first?.options).toMatchObject([{ value: [false] }, { value: ['sms'] }, { key: 'theme', value: ['light'] }]);
  });

  test('an update keeps selections newer than their line, and says how many', async () => {
    const app = await application();
    const themed = (value: string, updatedAt?: string) => {
      const option = { group: 'appearance', key: 'theme', value: [value], ...(updatedAt && { updated_at: updatedAt }) };
      return fileOf([{ ...numbered(1), options: [option] }]);
    };
    const theme = async () => (await exported(app.clientId))[0]?.options;
    expect(await importFile(themed('dark', '2025-03-01 10:00:00'), app.clientId)).toMatchObject({ created: 1 });
    const older = themed('light', '2025-03-01 09:59:59.999');
    const kept = { code: 0, updated: 0, unchanged: 1, keptNewer: 1 };
    expect(await importFile(older, app.clientId, '--update')).toMatchObject(kept);
    expect(await theme()).toMatchObject([{ value: ['dark'], updated_at: '2025-03-01 10:00:00.000' }]);
    const readable = await cli.run('users', 'import', older, '--app', app.clientId, '--update');
    expect(readable.stdout).toMatch(/^ +1 {2}selections kept, newer than their line$/m);
    const newer = themed('light', '2025-03-01 10:00:01');
    expect(await importFile(newer, app.clientId, '--update')).toMatchObject({ updated: 1, keptNewer: 0 });
    // A line without times is as recent as the import.
    expect(await importFile(themed('system'), app.clientId, '--update')).toMatchObject({ updated: 1, keptNewer: 0 });
    expect(await theme()).toMatchObject([{ value: ['system'] }]);
  });

  test('an older export does not restore users deleted since, unless requested', async () => {
    const app = await application();
    expect(await importFile(fileOf([numbered(1), numbered(2)]), app.clientId)).toMatchObject({ created: 2 });
    const older = fileOf((await exported(app.clientId)) as Line[]);
    const [{ service_user_code }] = (await exported(app.clientId)) as [{ service_user_code: string }];
    const path = `/api/v2/app/${app.clientId}/users/${service_user_code}`;
    expect(await server.send('DELETE', path, { headers: basic(app) })).toMatchObject({ status: 204 });
    const kept = { code: 0, created: 0, unchanged: 1, deletedSince: 1, rejected: 0 };
    expect(await importFile(older, app.clientId, '--update')).toMatchObject(kept);
    expect(await importFile(older, app.clientId)).toMatchObject(kept);
    expect(await exported(app.clientId)).toHaveLength(1);
    const readable = await cli.run('users', 'import', older, '--app', app.clientId, '--update');
    expect(readable.stdout).toMatch(/^ +1 {2}deleted since, left out \(--restore-deleted restores them\)$/m);
    const restored = { code: 0, created: 1, unchanged: 1, deletedSince: 0 };
    expect(await importFile(older, app.clientId, '--restore-deleted')).toMatchObject(restored);
    expect(await exported(app.clientId)).toMatchObject([{ service_user_code }, {}]);
  });

  test('a profile without a user makes create-user return 0024, until a complete user adopts it', async () => {
    const app = await application();
    const { clientId, clientSecret } = app;
    const orphan = { clientUserId: 'lost@example.com', clientUserName: 'Lost', profileOnly: true };
    expect(await importFile(fileOf([orphan]), clientId)).toMatchObject({ code: 0, created: 0, profilesOnly: 1 });
    const create = () => server.post('/api/v2/app/create-user', { clientId, clientSecret, ...orphan });
    expect(await create()).toMatchObject({ status: 400, json: { code: '0024' } });
    expect(await exported(clientId)).toEqual([{ ...orphan, service_user_code: expect.any(String) }]);

    const whole = { ...numbered(5), clientUserId: 'lost@example.com' };
    expect(await importFile(fileOf([whole]), clientId)).toMatchObject({ code: 0, adopted: 1 });
    expect(await create()).toMatchObject({ status: 400, json: { code: '0001' } });
    const { clientUserId } = orphan;
    expect(await server.post('/api/v2/app/special-token', { clientId, clientSecret, clientUserId })).toMatchObject({
      status: 200,
      json: { clientUserName: 'User number 5' },
    });
  });

  test('an export imported elsewhere is equal, including archived selections and orphans', async () => {
    const app = await application();
    const lines = Array.from({ length: 600 }, (_, i) => numbered(i));
    const text = {
      group: 'notifications',
      key: 'quiet_until',
      value: ['2026-01-01'],
      updated_at: '2025-05-05 05:05:05',
    };
    const orphan = { clientUserId: 'orphan', clientUserName: 'Orphan', profileOnly: true };
    const path = fileOf([...lines, { clientUserId: 'é "\\', clientUserName: 'É', options: [text] }, orphan]);
    expect(await importFile(path, app.clientId)).toMatchObject({ code: 0, created: 601, profilesOnly: 1 });
    await publish(app.appId, ['quiet_until']);

    const [first, again] = [join(folder, 'first.ndjson'), join(folder, 'again.ndjson')];
    const summary = await cli.json('users', 'export', '--app', app.clientId, '--output', first);
    expect(summary).toMatchObject({ clientId: app.clientId, users: 601, profilesOnly: 1 });
    expect(statSync(first).mode & 0o777).toBe(0o600);
    const { stdout } = await cli.run('users', 'export', '--app', app.clientId);
    expect(stdout).toBe(readFileSync(first, 'utf8'));

    // Another database with the same catalog.
    const elsewhere = await fresh();
    const other = await startTestServer(elsewhere);
    try {
      const target = await other.application();
      const there = commandLine(elsewhere, inThread);
      await publish(target.appId, [], other.service);
      await publish(target.appId, ['quiet_until'], other.service);
      const strict = await there.run('users', 'import', first, '--app', target.clientId, '--json');
      expect(JSON.parse(strict.stdout)).toMatchObject({ created: 600, rejections: [{ code: '1012' }] });
      expect(await there.json('users', 'import', first, '--app', target.clientId, '--with-retired')).toMatchObject({
        created: 1,
        unchanged: 601,
      });
      await there.json('users', 'export', '--app', target.clientId, '--output', again);
      expect(readFileSync(again, 'utf8')).toBe(stdout);
    } finally {
      await other.close();
    }

    // Another application in the same database, where the codes are taken.
    const sibling = await application();
    await publish(sibling.appId, ['quiet_until']);
    const taken = await importFile(first, sibling.clientId, '--with-retired');
    expect(taken).toMatchObject({ code: 1, created: 0, profilesOnly: 1, rejected: 601 });
    expect(taken.rejections).toHaveLength(100);
    expect(taken.rejections[0].reason).toContain('--new-codes');
    const copied = await importFile(first, sibling.clientId, '--with-retired', '--new-codes');
    expect(copied).toMatchObject({ code: 0, created: 601 });
    const nameless = (users: Line[]) =>
      JSON.stringify(users, (name, value) => (/^(service_user_code|user_options_uid)$/.test(name) ? '' : value));
    expect(nameless(await exported(sibling.clientId))).toBe(nameless(await exported(app.clientId)));
  });

  test('an import killed midway and resumed loses and duplicates nothing', async () => {
    const app = await application();
    const count = 4_000;
    const lines = Array.from({ length: count }, (_, i) => numbered(i));
    const path = fileOf(lines);
    const { storage } = server.service;
    const run = (signal: NodeJS.Signals, at: number) => interrupt(lines, app, at, signal);

    await run('SIGKILL', 1_000);
    // PostgreSQL may still commit what the killed client had sent.
    let afterKill = -1;
    for (let counted = 0; counted !== afterKill; await new Promise((resolve) => setTimeout(resolve, 300))) {
      afterKill = counted;
      counted = await storage.applications.countUsers(app.appId);
    }
    expect(afterKill).toBeGreaterThanOrEqual(1_000);
    expect(afterKill).toBeLessThan(count);
    expect(afterKill % 500).toBe(0);

    const { code, stdout } = await run('SIGINT', afterKill + 1_000);
    const interrupted = JSON.parse(stdout);
    expect(code).toBe(1);
    expect(interrupted).toMatchObject({ interrupted: true, rejected: 0, skipped: afterKill });
    const afterStop = await storage.applications.countUsers(app.appId);
    expect(afterStop).toBe(afterKill + interrupted.created);
    expect(afterStop).toBeLessThan(count);

    const rest = await importFile(path, app.clientId, '--resume');
    expect(rest).toMatchObject({ code: 0, lines: count, created: count - afterStop, skipped: afterStop, rejected: 0 });
    expect(await storage.applications.countUsers(app.appId)).toBe(count);
    expect(await importFile(path, app.clientId)).toMatchObject({ code: 0, unchanged: count });
    const {
      users: [page],
    } = await storage.transfer.exportUsers(app.appId, { after: null, limit: 1 });
    const { userId, selections } = page as { userId: string; selections: { selectionId: string }[] };
    expect(selections).toHaveLength(3);
    expect(
      (await storage.selections.history(userId, { offset: 0, limit: 1000 }, selections[0]?.selectionId ?? '')).items,
    ).toHaveLength(1);
  });

  /** Starts an import whose last lines are held back, and sends it a signal once that many users are imported. */
  const interrupt = async (
    lines: Line[],
    app: { appId: number; clientId: string },
    at: number,
    signal: NodeJS.Signals,
  ): Promise<{ code: number | null; stdout: string }> => {
    const child = spawn(process.execPath, [bin, 'users', 'import', '-', '--app', app.clientId, '--resume', '--json'], {
      env: { ...process.env, INNKEEPER_DATABASE_URL: databaseUrl, INNKEEPER_SECRET: SECRET },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const given = lines.slice(0, at + 750);
    child.stdin.on('error', () => {}).write(given.map((line) => `${JSON.stringify(line)}\n`).join(''));
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
    });
    const ended = once(child, 'close') as Promise<[number | null]>;
    while (child.exitCode === null && (await server.service.storage.applications.countUsers(app.appId)) < at) {
      await sleep(5);
    }
    child.kill(signal);
    return { code: (await ended)[0], stdout };
  };

  test('standard input is read, with or without a final newline', async () => {
    const app = await application();
    const child = spawn(process.execPath, [bin, 'users', 'import', '-', '--app', app.clientId, '--json'], {
      env: { ...process.env, INNKEEPER_DATABASE_URL: databaseUrl, INNKEEPER_SECRET: SECRET },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    child.stdin.end(`${JSON.stringify(numbered(1))}\n${JSON.stringify(numbered(2))}`);
    const [chunk] = await once(child.stdout.setEncoding('utf8'), 'data');
    expect(JSON.parse(chunk)).toMatchObject({ lines: 2, created: 2 });
    await once(child, 'close');
  });

  test('importing many users needs constant memory', async () => {
    const app = await application();
    const [few, many] = kind === 'sqlite' ? [2_000, 10_000] : [1_000, 4_000];
    const path = (from: number, count: number) => fileOf(Array.from({ length: count }, (_, i) => numbered(from + i)));
    // Memory can only be measured for a whole process.
    const imported = (file: string) => commandLine(databaseUrl).json('users', 'import', file, '--app', app.clientId);
    const small = await imported(path(0, few));
    const large = await imported(path(few, many));
    expect([small, large]).toMatchObject([{ created: few }, { created: many }]);
    // Mostly garbage that the heap has not collected and SQLite's page cache of 64 MB; only 32 bytes a user grow with
    // the file.
    expect(large.peakMemoryBytes).toBeLessThan(420 * 1024 * 1024);
  });
});
