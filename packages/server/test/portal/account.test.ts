import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { startTestServer, type TestServer } from '../http/start.ts';
import { manageAs } from '../manage/manage.ts';
import { signedIn } from './portal.ts';

type Item = Record<string, unknown>;
const itemsOf = ({ json }: { json: Item }) => json.items as Item[];

describe.each(databases)('an account on $kind', (database) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
  });
  afterAll(() => server?.close());

  test('lists and ends only its own sessions, immediately', async () => {
    const [ada, phone] = [await signedIn(server, 'ada@a.example'), await signedIn(server, 'ada@a.example')];
    const eve = await signedIn(server, 'eve@a.example');
    const listed = itemsOf(await ada.send('GET', '/account/sessions'));
    expect(listed).toHaveLength(2);
    expect(listed.filter(({ current }) => current)).toHaveLength(1);
    const other = listed.find(({ current }) => !current)?.sessionId;
    expect((await eve.send('DELETE', `/account/sessions/${other}`)).json.code).toBe('9404');
    expect((await phone.send('GET', '/session')).status).toBe(200);
    expect((await ada.send('DELETE', `/account/sessions/${other}`)).status).toBe(204);
    expect((await phone.send('GET', '/session')).json.code).toBe('9401');
    for (const id of [other, randomUUID(), 'x', '__proto__']) {
      expect((await ada.send('DELETE', `/account/sessions/${id}`)).json.code).toBe('9404');
    }
    expect(itemsOf(await ada.send('GET', '/account/sessions'))).toHaveLength(1);
  });

  test('creates personal access tokens, shown once, and revokes its own', async () => {
    const [ada, eve] = [await signedIn(server, 'ada@b.example'), await signedIn(server, 'eve@b.example')];
    const application = await server.application();
    const wanted = { name: 'deploy <b>', access: 'read', apps: [application.clientId], expires: '30d' };
    const made = await ada.send('POST', '/account/tokens', wanted);
    expect(made).toMatchObject({
      status: 201,
      json: { token: expect.stringMatching(/^ikp_/), name: 'deploy <b>', access: 'read', apps: [application.clientId] },
    });
    const program = manageAs(server, made.json.token as string);
    expect((await program.get('/applications')).json).toMatchObject({ total: 1 });
    expect((await program.send('POST', '/applications', { name: 'x' })).json.code).toBe('9403');

    const all = await ada.send('POST', '/account/tokens', { name: 'all' });
    expect(all.json).toMatchObject({ apps: null, access: 'read', lastUsedAt: null, expired: false });
    const listed = await ada.send('GET', '/account/tokens');
    expect(itemsOf(listed).map(({ name }) => name)).toEqual(['deploy <b>', 'all']);
    expect(listed.text).not.toContain('ikp_');
    expect(itemsOf(await eve.send('GET', '/account/tokens'))).toEqual([]);
    const { tokenId } = made.json;
    expect((await eve.send('DELETE', `/account/tokens/${tokenId}`)).json.code).toBe('9404');
    expect((await ada.send('DELETE', `/account/tokens/${tokenId}`)).status).toBe(204);
    expect((await ada.send('DELETE', `/account/tokens/${tokenId}`)).json.code).toBe('9404');
    expect((await ada.send('DELETE', '/account/tokens/x')).json.code).toBe('9404');
    expect((await program.get('/applications')).json.code).toBe('9401');
    // Deleting an account deletes its tokens.
    await server.service.storage.accounts.delete('ada@b.example');
    expect((await manageAs(server, all.json.token as string).get('/applications')).json.code).toBe('9401');
  });

  test.each([
    [{}, 'name'],
    [{ name: ' ' }, 'name'],
    [{ name: 'x', access: 'admin' }, 'access'],
    [{ name: 'x', expires: '366d' }, 'expires'],
    [{ name: 'x', expires: {} }, 'expires'],
    [{ name: 'x', apps: [] }, 'apps'],
    [{ name: 'x', apps: 'all' }, 'apps'],
    [{ name: 'x', apps: [1] }, 'apps[0]'],
    [{ name: 'x', scope: 'all' }, 'scope'],
  ])('%j creates no token', async (body, field) => {
    const ada = await signedIn(server);
    const answer = await ada.send('POST', '/account/tokens', body);
    expect(answer).toMatchObject({ status: 400, json: { code: '9400', errors: [{ field }] } });
    expect(itemsOf(await ada.send('GET', '/account/tokens'))).toEqual([]);
  });

  test('a token for an unknown application is not created', async () => {
    const ada = await signedIn(server);
    const answer = await ada.send('POST', '/account/tokens', { name: 'x', apps: ['1_a'] });
    expect(answer).toMatchObject({ status: 404, json: { code: '9404' } });
  });
});
