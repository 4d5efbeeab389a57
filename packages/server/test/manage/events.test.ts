import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NewApplication } from '../../src/domain/applications/application.ts';
import { databases } from '../databases.ts';
import { basic, makeUser, startTestServer, type TestServer, uniqueName } from '../http/start.ts';
import { type Manage, manageWith } from './manage.ts';

type Event = { id: string; type: string; data: { service_user_code: string; clientUserName?: string } };
type Listed = { items: Event[]; limit: number; next: string | null };

describe.each(databases)('events in /manage/v1 on $kind', (database) => {
  let server: TestServer;
  let manage: Manage;
  let application: NewApplication & { appId: number };
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
    manage = await manageWith(server);
    application = await server.application();
  });
  afterAll(() => server.close());

  const get = (query = '', by = manage) => by.get(`/applications/${application.clientId}/events?${query}`);
  const list = async (query = '') => (await get(query)).json as unknown as Listed;
  const rename = (clientUserId: string, clientUserName: string) =>
    server.send('PATCH', `/api/v2/app/${application.clientId}/users/by-client-id/${clientUserId}`, {
      headers: { ...basic(application), 'content-type': 'application/json' },
      body: JSON.stringify({ clientUserName }),
    });

  test('newest first, in pages, by type or by user', async () => {
    expect(await list()).toEqual({ items: [], limit: 50, next: null });
    const ids = ['a', 'b', 'c'].map((prefix) => uniqueName(prefix));
    for (const id of ids) await makeUser(server, application, id);
    for (const id of ids) await rename(id, `Name of ${id}`);
    const { items: all, next } = await list();
    expect(next).toBeNull();
    expect(all.map(({ type }) => type)).toEqual([...Array(3).fill('user.updated'), ...Array(3).fill('user.created')]);
    expect(all[0]?.data.clientUserName).toBe(`Name of ${ids[2]}`);
    const feed = await server.send('GET', `/api/v2/app/${application.clientId}/events`, {
      headers: basic(application),
    });
    expect(all.toReversed()).toEqual((feed.json as unknown as Listed).items);

    const paged: Event[] = [];
    for (let query = 'limit=4'; ; ) {
      const page = await list(query);
      paged.push(...page.items);
      if (page.next === null) break;
      query = `limit=4&after=${page.next}`;
    }
    expect(paged).toEqual(all);

    const created = all.filter(({ type }) => type === 'user.created');
    expect(await list('type=user.created')).toEqual({ items: created, limit: 50, next: null });
    expect(await list('type=user.deleted')).toEqual({ items: [], limit: 50, next: null });
    const { service_user_code: userUid } = (all[0] as Event).data;
    const own = all.filter(({ data }) => data.service_user_code === userUid);
    expect(own).toHaveLength(2);
    expect((await list(`userUid=${userUid}`)).items).toEqual(own);
    expect((await list(`userUid=${userUid}&type=user.updated`)).items).toEqual(own.slice(0, 1));
    const { items } = (await manage.get(`/applications/${application.clientId}/audit?userUid=${userUid}`)).json;
    expect(items).toMatchObject([{ action: 'user.read' }]);
  });

  test('events contain user data: reading them requires access to users', async () => {
    const reader = await manageWith(server, { access: 'read' });
    expect((await get('', reader)).status).toBe(403);
    const other = await server.application();
    const { json } = await manage.get(`/applications/${other.clientId}/events`);
    expect(json).toEqual({ items: [], limit: 50, next: null });
  });

  test('an id without an event is a valid place; an invalid id is rejected', async () => {
    expect((await get('after=evt_vvvvvvvvvvvvv')).status).toBe(200);
    expect((await list('after=evt_0000000000000')).items).toEqual([]);
    for (const query of ['after=latest', 'after=evt_0', 'type=user.gone', 'userUid=1', 'limit=0']) {
      const { status, json } = await get(query);
      expect([query, status, json.code]).toEqual([query, 400, '9400']);
    }
  });
});
