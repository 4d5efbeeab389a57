import { createLocalJWKSet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { withCatalog } from '../http/options/example-catalog.ts';
import { basic, makeSignedInUser, startTestServer, type TestServer } from '../http/start.ts';
import { inThread } from './in-thread.ts';
import { commandLine } from './run-innkeeper.ts';

const places = databases.flatMap((database) =>
  ['the database', 'afar'].map((place) => ({ place, kind: database.kind, database })),
);

describe.each(places)(
  'innkeeper users show, suspend, resume, delete and export --where on $kind, from $place',
  ({ place, database }) => {
    let server: TestServer;
    let at: Awaited<ReturnType<typeof withCatalog>>;
    let cli: ReturnType<typeof commandLine>;
    beforeAll(async () => {
      const url = await database.fresh();
      server = await startTestServer(url);
      at = await withCatalog(server);
      cli = commandLine(url, inThread);
      if (place === 'afar') {
        const { token } = await cli.json('token', 'create', '--name', 'ci', '--access', 'own');
        const remote = { INNKEEPER_URL: server.url, INNKEEPER_TOKEN: token };
        cli = commandLine(url, (args) => inThread(args, remote));
      }
    });
    afterAll(() => server.close());

    // The command line does not know the server's port, so its links have the default one.
    const pathOf = (url: string) => new URL(url).pathname;
    const app = () => ['--app', at.application.clientId];
    const introspect = async (token: string) => {
      const body = new URLSearchParams({ token });
      return (await server.send('POST', '/oauth/v2/introspect', { headers: basic(at.application), body })).json.active;
    };

    test('one user, by code and by their own id, while the server runs', async () => {
      const { userCode, accessToken } = await makeSignedInUser(server, at.application, 'ada@example.com');
      const { json } = await server.send('GET', `/api/v2/app/${at.application.clientId}/users/${userCode}`, {
        headers: basic(at.application),
      });
      expect(await cli.json('users', 'show', userCode.toUpperCase(), ...app())).toEqual(json);
      expect(await cli.json('users', 'show', 'ada@example.com', ...app())).toEqual(json);
      const suspended = await cli.json('users', 'suspend', 'ada@example.com', ...app());
      expect(suspended).toMatchObject({ service_user_code: userCode, status: 'suspended' });
      expect(await introspect(accessToken)).toBe(false);
      expect((await cli.run('users', 'resume', userCode, ...app())).stdout).toContain('Resumed');
      expect(await introspect(accessToken)).toBe(true);

      const deleted = await cli.json('users', 'delete', userCode, ...app());
      expect(deleted).toEqual({
        service_user_code: userCode,
        clientUserId: 'ada@example.com',
        deleted: true,
        receipt: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      });
      for (const command of ['show', 'suspend', 'resume']) {
        const gone = await cli.run('users', command, userCode, ...app());
        expect(gone).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('no user') });
      }
      expect((await cli.run('users', 'show', 'x')).code).toBe(2);
      expect((await cli.run('users', 'show', 'x', '--app', '1_nobody')).code).toBe(1);
    });

    test("a user's preference link, and all of their data", async () => {
      const { userCode, accessToken } = await makeSignedInUser(server, at.application, 'grace@example.com');
      await server.post(
        '/api/user_options',
        { ...(await at.choice('vegetarian', [true])), access_token: accessToken },
        at.apiKey,
      );
      const link = (...args: string[]) => cli.json('users', 'link', 'grace@example.com', ...app(), ...args);
      const made = await link('--group', 'kitchen', '--language', 'de', '--expires', '7d');
      const opened = await server.send('GET', pathOf(made.url));
      expect([opened.status, opened.text.includes('Küche')]).toEqual([200, true]);
      const full = await link('--unsubscribe', 'kitchen.vegetarian=[false]', '--unsubscribe', 'open.tags=[]');
      expect((await server.send('POST', pathOf(full.unsubscribeUrl))).status).toBe(200);
      for (const wrong of [
        ['--expires', '7'],
        ['--expires', '366d'],
        ['--group', 'nothing'],
        ['--unsubscribe', 'kitchen.vegetarian=false'],
      ]) {
        expect((await cli.run('users', 'link', userCode, ...app(), ...wrong)).code).toBe(2);
      }
      expect(await link('--withdraw')).toMatchObject({ service_user_code: userCode, withdrawn: true });
      expect((await server.send('GET', pathOf(made.url))).status).toBe(404);

      const one = await cli.run('users', 'export', ...app(), '--user', userCode);
      const exported = JSON.parse(one.stdout);
      expect(exported).toMatchObject({
        user: { userUid: userCode, clientUserId: 'grace@example.com' },
        accessTokens: [{ tokenId: expect.any(String) }],
        options: [{ keyName: 'vegetarian', value: false }, { keyName: 'tags' }],
      });
      expect(exported.history).toHaveLength(3);
      expect(exported.events.map(({ type }: { type: string }) => type)).toEqual([
        ...['selection.saved', 'selection.saved', 'selection.saved', 'user.created'],
      ]);
      expect(exported.events[3].data).toMatchObject({ clientUserId: 'grace@example.com' });
      const { keys } = (await server.send('GET', '/oauth/v2/jwks')).json as { keys: [] };
      const { payload } = await jwtVerify(exported.receipts[0], createLocalJWKSet({ keys }));
      expect(payload).toMatchObject({ sub: userCode, option: 'vegetarian', value: false, by: 'unsubscribe' });
      const page = await cli.run('users', 'export', ...app(), '--user', userCode, '--format', 'html');
      expect(page.stdout).toMatch(/^<!doctype html>/);
      for (const word of ['grace@example.com', 'unsubscribe', 'user.created']) expect(page.stdout).toContain(word);
      expect(`${page.stdout}${one.stdout}`).not.toContain(accessToken);
      expect((await cli.run('users', 'export', ...app(), '--format', 'html')).code).toBe(2);
      expect((await cli.run('users', 'export', ...app(), '--user', 'nobody')).code).toBe(1);
      expect((await cli.run('users', 'delete', userCode, ...app(), '--yes')).code).toBe(0);
    });

    test('export writes users that match all conditions, with their status', async () => {
      for (const [id, value] of [
        ['one', true],
        ['two', false],
        ['three', true],
      ] as const) {
        const { userCode } = await makeSignedInUser(server, at.application, id);
        await server.post(
          '/api/user_options',
          await at.choice('vegetarian', [value], { user_uid: userCode }),
          at.apiKey,
        );
      }
      await cli.json('users', 'suspend', 'three', ...app());
      const exported = async (...more: string[]) => {
        const { code, stdout, stderr } = await cli.run('users', 'export', ...app(), ...more);
        if (code !== 0) throw new Error(stderr);
        return stdout.trim() === ''
          ? []
          : stdout
              .trim()
              .split('\n')
              .map((line) => JSON.parse(line) as { clientUserId: string });
      };
      const ids = async (...more: string[]) => (await exported(...more)).map(({ clientUserId }) => clientUserId).sort();
      expect(await ids('--where', 'kitchen.vegetarian=true')).toEqual(['one', 'three']);
      expect(await ids('--where', 'kitchen.vegetarian=true', '--status', 'active')).toEqual(['one']);
      expect(await ids('--where', 'kitchen.vegetarian', '--where', 'kitchen.vegetarian!=true')).toEqual(['two']);
      expect(await ids('--where', 'open.volume=5', '--effective', '--where', 'kitchen.vegetarian=false')).toEqual([
        'two',
      ]);
      expect(await ids('--status', 'suspended')).toEqual(['three']);
      expect(await exported('--status', 'suspended')).toMatchObject([{ clientUserId: 'three', status: 'suspended' }]);
      for (const wrong of [
        ['--where', 'no.key=1'],
        ['--where', 'kitchen.vegetarian=7'],
        ['--status', 'x'],
        ['--effective'],
      ]) {
        expect(await cli.run('users', 'export', ...app(), ...wrong)).toMatchObject({ code: 2, stdout: '' });
      }
    });
  },
);
