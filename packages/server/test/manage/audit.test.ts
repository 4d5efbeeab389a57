import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { dump, KEEP_IDS } from '../dump.ts';
import { makeSignedInUser, startTestServer, type TestServer, uniqueName } from '../http/start.ts';
import { fromPortal, memberWith, signedIn } from '../portal/portal.ts';
import { byToken, editor, type Manage, manageAs, manageWith } from './manage.ts';

type Entry = {
  action: string;
  actor: string;
  subject: string;
  userUid: string | null;
  before: unknown;
  after: unknown;
};

describe.each(databases)('the audit log of /manage/v1 on $kind', (database) => {
  let url: string;
  let server: TestServer;
  let manage: Manage;
  beforeAll(async () => {
    url = await database.fresh();
    server = await startTestServer(url);
    manage = await manageWith(server, { name: 'ci' });
  });
  afterAll(() => server.close());

  const audit = async (clientId: string, query = '') =>
    (await manage.get(`/applications/${clientId}/audit?${query}`)).json as { items: Entry[]; next: string | null };

  test('shows who changed what, before and after, without secrets', async () => {
    const made = await manage.send('POST', '/applications', { name: 'Acme' });
    const { clientId, clientSecret } = made.json as { clientId: string; clientSecret: string };
    const path = `/applications/${clientId}`;
    await manage.send('PATCH', path, { name: 'Acme 2', settings: { accessTokenTtl: '2h' } });
    // These change nothing.
    await manage.send('PATCH', path, { settings: { accessTokenTtl: '2h' } });
    await manage.send('PATCH', path, { settings: { accessTokenTtl: 'x' } });
    await manage.send('PATCH', path, { settings: { accessTokenTtl: null } });
    const rotated = await manage.send('POST', `${path}/secrets`, { overlap: '1h' });
    const { items } = await audit(clientId);
    const by = { actor: byToken('ci'), userUid: null };
    expect(items).toMatchObject([
      {
        ...by,
        action: 'secret.rotated',
        subject: 'Acme 2',
        after: { previousExpiresAt: rotated.json.previousExpiresAt },
      },
      {
        ...by,
        action: 'application.changed',
        subject: 'Acme 2',
        before: { accessTokenTtl: 7200 },
        after: { accessTokenTtl: null },
      },
      {
        ...by,
        action: 'application.changed',
        before: { name: 'Acme', accessTokenTtl: null },
        after: { name: 'Acme 2', accessTokenTtl: 7200 },
      },
      { ...by, action: 'application.created', subject: 'Acme', before: null, after: { clientId, name: 'Acme' } },
    ]);
    const everything = JSON.stringify(items);
    for (const secret of [clientSecret, rotated.json.clientSecret as string, manage.token]) {
      expect(everything).not.toContain(secret);
    }
    const actionsOf = async (query: string) => (await audit(clientId, query)).items.map(({ action }) => action);
    expect(await actionsOf('search=ACME%202')).toEqual([
      'secret.rotated',
      'application.changed',
      'application.changed',
    ]);
    expect(await actionsOf('search=7200&action=application.changed')).toHaveLength(2);
    expect(await actionsOf('search=nothing')).toEqual([]);
    const found = await audit(clientId, 'search=acme&limit=3');
    expect(await actionsOf(`search=acme&after=${found.next}`)).toEqual(['application.created']);
    const reader = await manageWith(server, { access: 'users' });
    expect((await reader.get(`${path}/audit?search=acme`)).json.code).toBe('9403');
    const first = await audit(clientId, 'limit=1');
    const second = await audit(
      clientId,
      `limit=1&after=${first.next}&action=application.changed&actor=${encodeURIComponent(items[0]?.actor ?? '')}`,
    );
    expect(second.items).toEqual([items[1]]);
    expect((await audit(clientId, 'actor=somebody')).items).toEqual([]);
    expect((await audit(clientId, 'from=2020-01-01&to=2020-01-02')).items).toEqual([]);
  });

  test('the catalog, by revision', async () => {
    const { application, edit } = await editor(server);
    expect(await edit('POST', '/groups', { name: 'extra' })).toMatchObject({ status: 201 });
    expect((await audit(application.clientId)).items).toMatchObject([
      { action: 'catalog.published', subject: '2', before: { revision: 1 }, after: { revision: 2, changes: 1 } },
      { action: 'catalog.published', subject: '1' },
    ]);
  });

  test('every edit of a draft, undone and redone, without its text', async () => {
    const { application, edit, send } = await editor(server);
    const text = uniqueName('a text of the catalog');
    const translations = { Deutsch: text };
    expect((await edit('POST', '/groups?draft=true', { name: 'extra', translations }, '*')).status).toBe(201);
    for (const step of ['undo', 'redo']) {
      expect((await send('POST', `/catalog/draft/${step}`, undefined, { 'if-match': '*' })).status).toBe(200);
    }
    // There is nothing left to redo.
    expect((await send('POST', '/catalog/draft/redo', undefined, { 'if-match': '*' })).status).toBe(409);
    const { items } = await audit(application.clientId, 'action=catalog.draftEdited');
    const by = { actor: byToken(), subject: '1', before: null };
    expect(items).toMatchObject([
      { ...by, after: { kind: 'redo', version: 3, changes: 1, places: ['extra'] } },
      { ...by, after: { kind: 'undo', version: 2, changes: 1, places: ['extra'] } },
      { ...by, after: { kind: 'edit', version: 1, changes: 1, places: ['extra'] } },
    ]);
    expect(JSON.stringify(items)).not.toContain(text);
  });

  test('a user is named until deleted; actions by applications are not audited', async () => {
    const application = await server.application();
    const { clientId } = application;
    const user = await makeSignedInUser(server, application, `${uniqueName()}@example.com`);
    const path = `/applications/${clientId}/users/${user.userCode}`;
    await manage.send('POST', `${path}/special-token`);
    await manage.send('DELETE', `${path}/tokens`);
    expect((await audit(clientId, `userUid=${user.userCode}`)).items).toMatchObject([
      { action: 'user.allTokensRevoked', userUid: user.userCode },
      { action: 'user.specialTokenReissued', userUid: user.userCode },
    ]);
    expect((await manage.send('DELETE', path)).status).toBe(204);
    const { items } = await audit(clientId);
    expect(items.map(({ action, userUid }) => [action, userUid])).toEqual([
      ['user.erased', null],
      ['user.allTokensRevoked', null],
      ['user.specialTokenReissued', null],
    ]);
    await server.service.activity.flush();
    await new Promise((resolve) => setTimeout(resolve, 1200));
    expect(await dump(url, KEEP_IDS)).not.toContain(user.userCode);
    expect(await dump(url)).not.toContain(user.clientUserId);
  });

  test('entries about no application, or a deleted one, require full access', async () => {
    const name = uniqueName('doomed');
    const made = await manage.send('POST', '/applications', { name });
    const { clientId } = made.json as { clientId: string };
    await manage.send('DELETE', `/applications/${clientId}?confirm=${clientId}`);
    const found = await manage.get('/audit?action=application.deleted');
    expect((found.json.items as Entry[]).find(({ subject }) => subject === name)).toMatchObject({
      actor: byToken('ci'),
      before: { clientId, name },
      after: null,
    });
    const { appId } = await server.application();
    const scoped = await manageWith(server, { appIds: [appId] });
    expect((await scoped.get('/audit')).json).toMatchObject({ code: '9403' });
  });

  test('two tokens of one name are distinguished', async () => {
    const { clientId } = await server.application();
    const root = await signedIn(server, 'root@example.com');
    const made: { tokenId: string; token: string }[] = [];
    for (const name of ['twin', 'twin']) {
      const { json } = await root.send('POST', '/account/tokens', { name, access: 'own', apps: [clientId] });
      made.push(json as { tokenId: string; token: string });
      await manageAs(server, json.token as string).send('PATCH', `/applications/${clientId}`, { name: json.tokenId });
    }
    const { items } = await audit(clientId);
    const ends = made.map(({ tokenId }) => tokenId.slice(-12));
    expect(items.filter(({ action }) => action === 'application.changed').map(({ actor }) => actor)).toEqual(
      [...ends].reverse().map((end) => `token:twin (${end})`),
    );
    expect(items.filter(({ action }) => action === 'token.created').map(({ after }) => after)).toMatchObject(
      [...made].reverse().map(({ tokenId }) => ({ tokenId })),
    );
    await root.send('DELETE', `/account/tokens/${made[0]?.tokenId}`);
    expect((await audit(clientId, 'action=token.revoked')).items).toMatchObject([
      { before: { tokenId: made[0]?.tokenId } },
    ]);
  });

  test.each(['a\u0007b', 'a\nb', '\u009b31m', 'a\u202etxt.exe', 'a\u2066b', 'a\u2028b'])(
    '%j is not a valid name of a token or an application',
    async (name) => {
      const { clientId } = await server.application();
      const root = await signedIn(server, 'names@example.com');
      for (const answer of [
        await root.send('POST', '/account/tokens', { name }),
        await root.send('POST', '/applications', { name }),
        await root.send('PATCH', `/applications/${clientId}`, { name }),
      ]) {
        expect(answer).toMatchObject({ status: 400, json: { code: '9400', errors: [{ field: 'name' }] } });
      }
      const invited = { email: `${name}@example.com`, role: 'viewer' };
      expect((await root.send('POST', `/applications/${clientId}/invitations`, invited)).json).toMatchObject({
        errors: [{ field: 'email' }],
      });
      // Names of people and places in any script are allowed.
      const good = { name: 'שלום \u200fעולם 👩‍👩‍👧 نص' };
      expect((await root.send('PATCH', `/applications/${clientId}`, good)).status).toBe(200);
    },
  );

  test("viewers and translators see other members' names but not their addresses", async () => {
    const { application, path } = await editor(server);
    const { appId, clientId } = application;
    const [owner, testUser] = [
      await memberWith(server, [{ appId, role: 'owner' }]),
      await memberWith(server, [{ appId, role: 'editor' }]),
    ];
    await owner.send('PATCH', path, { name: 'Renamed' });
    await owner.send('PATCH', `${path}/members/${testUser.accountId}`, { role: 'viewer' });
    const group = { name: 'more' };
    expect((await owner.send('POST', `${path}/catalog/groups`, group, { ...fromPortal, 'if-match': '*' })).status).toBe(
      201,
    );
    const drafted = await owner.send(
      'POST',
      `${path}/catalog/groups?draft=true`,
      { name: 'draft' },
      { ...fromPortal, 'if-match': '*' },
    );
    expect(drafted.status).toBe(201);
    const paths = ['/audit', '/revisions', '/revisions/2', '/catalog/draft'];
    const read = async (by: { send: Manage['send'] }) =>
      Promise.all(paths.map(async (each) => (await by.send('GET', path + each)).text));
    for (const seen of await read(owner)) expect(seen).toContain(owner.email);
    const translator = await memberWith(server, [{ appId, role: 'translator' }]);
    const scoped = await manageWith(server, { appIds: [appId], access: 'read' });
    for (const reader of [testUser, translator, scoped]) {
      const seen = await read(reader);
      for (const [index, text] of seen.entries()) {
        expect([paths[index], text.includes(owner.email), text.includes(testUser.email)]).toEqual([
          paths[index],
          false,
          false,
        ]);
        expect(text).toContain(`"${owner.email.split('@')[0]}@…"`);
      }
      expect(seen[0]).toContain(`"subject":"${testUser.email.split('@')[0]}@…"`);
      const tried = await reader.send('GET', `${path}/audit?actor=${owner.email}`);
      expect(tried).toMatchObject({ status: 403, json: { code: '9403' } });
    }
    expect((await audit(clientId, `actor=${owner.email}`)).items.length).toBeGreaterThan(1);
  });

  test('one application sees nothing of another', async () => {
    const other = await server.application();
    const mine = await server.application();
    await manage.send('PATCH', `/applications/${other.clientId}`, { name: 'Other' });
    expect((await audit(mine.clientId)).items).toEqual([]);
    const scoped = await manageWith(server, { appIds: [mine.appId], access: 'read' });
    expect((await scoped.get(`/applications/${mine.clientId}/audit`)).status).toBe(200);
    expect((await scoped.get(`/applications/${other.clientId}/audit`)).status).toBe(404);
  });

  test.each(['action=x', 'after=x', 'userUid=x', 'from=x', 'limit=0'])('%s: 9400', async (query) => {
    const { clientId } = await server.application();
    expect((await manage.get(`/applications/${clientId}/audit?${query}`)).json).toMatchObject({ code: '9400' });
    expect((await manage.get(`/audit?${query}`)).json).toMatchObject({ code: '9400' });
  });
});
