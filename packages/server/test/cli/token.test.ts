import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { startTestServer, type TestServer } from '../http/start.ts';
import { inThread } from './in-thread.ts';
import { commandLine } from './run-innkeeper.ts';

const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;

// All of it runs beside a server on the same database.
describe.each(databases)('innkeeper token on $kind', ({ fresh }) => {
  let cli: ReturnType<typeof commandLine>;
  let server: TestServer;
  beforeAll(async () => {
    const databaseUrl = await fresh();
    cli = commandLine(databaseUrl, inThread);
    server = await startTestServer(databaseUrl);
  });
  afterAll(() => server?.close());

  const applications = (token: string) =>
    server.send('GET', '/manage/v1/applications', { headers: { authorization: `Bearer ${token}` } });

  test('create shows a token once, list never does, and revoke ends it immediately', async () => {
    const { clientId } = await server.application();
    await server.application();
    const [all, one] = await Promise.all([
      cli.json('token', 'create', '--name', 'all <b>', '--access', 'read'),
      cli.json('token', 'create', '--name', 'one', '--app', clientId, '--app', clientId, '--expires', '12h'),
    ]);
    expect(Object.keys(all)).toEqual(['token', 'tokenId', 'name', 'apps', 'access', 'expiresAt']);
    expect(all).toMatchObject({
      token: expect.stringMatching(/^ikp_[\w-]{43}$/),
      name: 'all <b>',
      apps: null,
      access: 'read',
      expiresAt: expect.stringMatching(TIME),
    });
    expect(new Date(`${all.expiresAt}Z`).getTime() - Date.now()).toBeGreaterThan(89.9 * 86_400_000);
    expect(one).toMatchObject({ apps: [clientId], access: 'read' });
    expect((await applications(all.token)).json.total).toBe(2);
    expect((await applications(one.token)).json).toMatchObject({ items: [{ clientId }], total: 1 });

    // The service records the last use after it has responded.
    await expect
      .poll(async () => (await server.service.storage.manageTokens.list()).map((token) => token.lastUsedAt))
      .not.toContain(null);
    const [readable, listed] = await Promise.all([cli.run('token', 'list'), cli.json('token', 'list')]);
    expect(readable.stdout).toMatch(/^TOKEN ID +APPLICATIONS +ACCESS +EXPIRES +LAST USED +NAME\n/);
    expect(readable.stdout).toMatch(
      new RegExp(`${one.tokenId} +${clientId} +read +in 11 hours +(just now|\\d+ seconds ago) +one`),
    );
    expect(readable.stdout + JSON.stringify(listed)).not.toMatch(/ikp_/);
    expect(listed).toContainEqual({
      tokenId: one.tokenId,
      name: 'one',
      apps: [clientId],
      access: 'read',
      createdAt: expect.stringMatching(TIME),
      expiresAt: one.expiresAt,
      expired: false,
      lastUsedAt: expect.stringMatching(TIME),
    });

    expect(await cli.json('token', 'revoke', one.tokenId)).toEqual({ tokenId: one.tokenId, revoked: true });
    expect((await applications(one.token)).json.code).toBe('9401');
    expect((await applications(all.token)).status).toBe(200);
    const again = await cli.run('token', 'revoke', one.tokenId);
    expect(again).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('innkeeper token list') });
  });

  test.each([
    ['no name', [], 2],
    ['a blank name', ['--name', ' '], 2],
    ['an unknown application', ['--name', 'x', '--app', '1_a'], 1],
    ['another access', ['--name', 'x', '--access', 'admin'], 2],
    ['longer than a year', ['--name', 'x', '--expires', '366d'], 2],
    ['zero', ['--name', 'x', '--expires', '0'], 2],
    ['an invalid time', ['--name', 'x', '--expires', 'soon'], 2],
  ])('create with %s creates nothing', async (_, args, code) => {
    const before = (await server.service.storage.manageTokens.list()).length;
    const ending = await cli.run('token', 'create', ...args);
    expect(ending).toMatchObject({ code, stdout: '' });
    expect(ending.stderr).not.toBe('');
    expect(await server.service.storage.manageTokens.list()).toHaveLength(before);
  });
});
