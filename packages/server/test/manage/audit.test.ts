import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { dump } from '../dump.ts';
import { makeSignedInUser, startTestServer, type TestServer, uniqueName } from '../http/start.ts';
import { editor, type Manage, manageWith } from './manage.ts';

type Entry = {
  action: string;
  actor: string;
  subject: string;
  userUid: string | null;
  before: unknown;
  after: unknown;
};

describe.each(databases)('the audit of /manage/v1 on $kind', (database) => {
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

  test('who changed what, from what to what, and no secret', async () => {
    const made = await manage.send('POST', '/applications', { name: 'Acme' });
    const { clientId, clientSecret } = made.json as { clientId: string; clientSecret: string };
    const path = `/applications/${clientId}`;
    await manage.send('PATCH', path, { name: 'Acme 2', settings: { accessTokenTtl: '2h' } });
    // Nothing came of these.
    await manage.send('PATCH', path, { settings: { accessTokenTtl: '2h' } });
    await manage.send('PATCH', path, { settings: { accessTokenTtl: 'x' } });
    await manage.send('PATCH', path, { settings: { accessTokenTtl: null } });
    const rotated = await manage.send('POST', `${path}/secrets`, { overlap: '1h' });
    const { items } = await audit(clientId);
    const by = { actor: 'token:ci', userUid: null };
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
    const first = await audit(clientId, 'limit=1');
    const second = await audit(clientId, `limit=1&after=${first.next}&action=application.changed&actor=token:ci`);
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

  test('a user is named until erased; the applications themselves are not told of', async () => {
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
    const everything = await dump(url);
    expect(everything).not.toContain(user.userCode);
    expect(everything).not.toContain(user.clientUserId);
  });

  test('what is about no application, or one that is gone, is for who may do everything', async () => {
    const name = uniqueName('doomed');
    const made = await manage.send('POST', '/applications', { name });
    const { clientId } = made.json as { clientId: string };
    await manage.send('DELETE', `/applications/${clientId}?confirm=${clientId}`);
    const found = await manage.get('/audit?action=application.deleted');
    expect((found.json.items as Entry[]).find(({ subject }) => subject === name)).toMatchObject({
      actor: 'token:ci',
      before: { clientId, name },
      after: null,
    });
    const { appId } = await server.application();
    const scoped = await manageWith(server, { appIds: [appId] });
    expect((await scoped.get('/audit')).json).toMatchObject({ code: '9403' });
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
