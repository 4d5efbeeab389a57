import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Application } from '../../src/domain/applications/application.ts';
import { type Follower, LiveEvents, type LivePage } from '../../src/domain/events/live-events.ts';
import { databases } from '../databases.ts';
import { editorOf, manageWith } from '../manage/manage.ts';
import { withCatalog } from './options/example-catalog.ts';
import { bearer, makeSignedInUser, startTestServer, type TestServer } from './start.ts';

const STREAMS = 300;
const TYPES = ['selection.saved', 'catalog.published'] as const;

/** The cost of one event with many followers. */
describe.each(databases)('many event streams on $kind', (database) => {
  let server: TestServer;
  let live: LiveEvents;
  let example: Awaited<ReturnType<typeof withCatalog>>;
  let application: Application;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
    live = new LiveEvents(server.service, { total: 1_000, perApplication: 1_000 });
    example = await withCatalog(server);
    application = (await server.service.applications.findByClientId(example.application.clientId)) as Application;
  });
  afterAll(async () => {
    live.close();
    await server.close();
  });

  const follow = (userId: string): Promise<Follower> =>
    live.follow(application, { after: 'latest', types: TYPES }, userId);
  const followAll = () => Promise.all(Array.from({ length: STREAMS }, () => follow(randomUUID())));

  test('a slow stream buffers one large event, or a few small ones', async () => {
    const user = await makeSignedInUser(server, example.application);
    const early = await follow(user.userCode);
    const { place } = early;
    early.end();
    const { option_group_uid, option_key_uid } = await example.keyNamed('tags');
    for (const letter of 'abcde') {
      const value = Array.from({ length: 15 }, (_, at) => letter.repeat(3_900) + at);
      const selection = { option_group_uid, option_key_uid, value };
      const headers = { ...example.apiKey, ...bearer(user.accessToken) };
      expect((await server.post('/api/user_options', selection, headers)).status).toBeLessThan(202);
    }
    const follower = await live.follow(application, { after: place, types: TYPES }, user.userCode);
    const seen: number[] = [];
    for (let count = 0; count < 5; ) {
      const { items } = (await follower.next()) as LivePage;
      seen.push(items.length);
      count += items.length;
    }
    // The first two events are smaller, because there was no earlier value.
    expect(seen).toEqual([2, 1, 1, 1]);
    follower.end();
  });

  test('only the streams that an event concerns are woken', async () => {
    const user = await makeSignedInUser(server, example.application);
    const [own, others] = [await follow(user.userCode), await followAll()];
    let woken = 0;
    for (const other of others) void other.next().then(() => woken++);
    const first = own.next();
    const { option_group_uid, option_key_uid } = await example.keyNamed('motto');
    const selection = { option_group_uid, option_key_uid, value: ['Carpe diem'] };
    const saved = await server.post('/api/user_options', selection, { ...example.apiKey, ...bearer(user.accessToken) });
    expect(saved.status).toBe(201);
    const page = (await first) as LivePage;
    expect(page.forUser(user.userCode)).toMatchObject([{ event: { type: 'selection.saved' } }]);
    const { no } = page.items.at(-1) as LivePage['items'][number];
    await vi.waitFor(() => expect(others.every(({ place }) => place >= no)).toBe(true), 10_000);
    expect(woken).toBe(0);
    for (const each of [own, ...others]) each.end();
  });

  test('a publication is sent to a few streams per turn of the event loop, and to all', async () => {
    const followers = await followAll();
    let [inTurn, most] = [0, 0];
    const nextTurn = () => {
      inTurn = 0;
      timer = setImmediate(nextTurn);
    };
    let timer = setImmediate(nextTurn);
    const pages = followers.map(async (follower) => {
      const page = await follower.next();
      most = Math.max(most, ++inTurn);
      return page;
    });
    const { edit } = editorOf(await manageWith(server), `/applications/${application.clientId}`);
    expect((await edit('POST', '/groups', { name: 'more' })).status).toBe(201);
    for (const page of await Promise.all(pages)) {
      expect((page as LivePage).forUser('')).toMatchObject([{ event: { type: 'catalog.published' } }]);
    }
    clearImmediate(timer);
    expect(most).toBeLessThanOrEqual(64);
    for (const each of followers) each.end();
  });
});
