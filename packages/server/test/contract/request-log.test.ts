import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import type { NewLoggedRequest, RequestFilter, Storage } from '../../src/storage/port.ts';
import { orderedUuid } from '../../src/uuid.ts';
import { databases } from '../databases.ts';
import { createApplication, createUser, NOW, times } from './examples.ts';

const DAY = 86_400_000;

describe.each(databases)('the request log on $kind', (database) => {
  let storage: Storage;
  let appId: number;
  beforeAll(async () => {
    storage = await (await storageDriver(await database.fresh())).open();
  });
  beforeEach(async () => {
    appId = await createApplication(storage);
  });
  afterAll(() => storage.close());

  const request = (given: Partial<NewLoggedRequest> = {}): NewLoggedRequest => ({
    requestUid: orderedUuid(),
    appId,
    at: NOW,
    method: 'POST',
    route: '/api/user_options',
    status: 200,
    code: null,
    milliseconds: 1.25,
    requestId: 'r-1',
    address: '192.0.2.0',
    userAgent: 'tests "ü" \\u0000',
    credentials: 'bearer',
    userId: null,
    clientUserId: null,
    full: { path: '/full', request: '{"a":"\\u0000 ü"}', answer: '{"full":true}' },
    bare: { path: '/bare', request: null, answer: '{"bare":true}' },
    ...given,
  });
  const list = (filter: RequestFilter = {}, limit = 100, before: string | null = null) =>
    storage.requestLog.list(appId, filter, { before, limit });

  test('a request that names no existing user is stored without personal data', async () => {
    const stranger = await createUser(storage, await createApplication(storage));
    const mine = await createUser(storage, appId);
    const other = await createUser(storage, appId);
    const bare = [
      request(),
      request({ userId: randomUUID() }),
      request({ clientUserId: 'nobody@example.com' }),
      request({ userId: stranger.userId }),
      request({ clientUserId: stranger.clientUserId }),
      request({ userId: mine.userId, clientUserId: other.clientUserId }),
      request({ userId: mine.userId, clientUserId: 'nobody' }),
      request({ userId: randomUUID(), clientUserId: mine.clientUserId }),
    ];
    await storage.requestLog.add(bare);
    for (const { requestUid, full: _f, bare: parts, appId: _a, clientUserId: _c, ...facts } of bare) {
      expect(await storage.requestLog.find(appId, requestUid)).toEqual({
        ...facts,
        ...parts,
        requestUid,
        userId: null,
      });
    }
  });

  test('a request that names one user is stored in full until the user is deleted', async () => {
    const { userId, clientUserId } = await createUser(storage, appId);
    const named = [request({ userId }), request({ clientUserId }), request({ userId, clientUserId })];
    await storage.requestLog.add([...named, request()]);
    for (const { requestUid } of named) {
      expect(await storage.requestLog.find(appId, requestUid)).toMatchObject({
        userId,
        path: '/full',
        request: '{"a":"\\u0000 ü"}',
        answer: '{"full":true}',
      });
    }
    await storage.users.delete(appId, userId);
    expect(await list()).toMatchObject([{ path: '/bare' }]);
  });

  test('a concurrent deletion leaves nothing of the user', async () => {
    const users = await Promise.all(times(20, () => createUser(storage, appId)));
    await Promise.all(
      users.flatMap(({ userId, clientUserId }) => [
        storage.requestLog.add([request({ userId }), request({ clientUserId })]),
        storage.users.delete(appId, userId),
        storage.requestLog.add([request({ userId })]),
      ]),
    );
    const left = await list();
    expect(left.filter(({ path, userId }) => path !== '/bare' || userId !== null)).toEqual([]);
  });

  test('newest first, in pages, with any filter, without bodies', async () => {
    const { userId } = await createUser(storage, appId);
    const all = [
      request({ at: NOW - 3 }),
      request({ at: NOW - 2, status: 422, code: '1008' }),
      request({ at: NOW - 1, method: 'GET', userId }),
      request({ at: NOW, status: 500, code: '9500' }),
    ];
    await storage.requestLog.add(all);
    const [a, b, c, d] = all.map(({ requestUid }) => requestUid);
    const uids = async (filter: RequestFilter) => (await list(filter)).map(({ requestUid }) => requestUid);
    expect(await uids({})).toEqual([d, c, b, a]);
    expect((await list({}, 2)).map(({ requestUid }) => requestUid)).toEqual([d, c]);
    expect((await list({}, 2, c)).map(({ requestUid }) => requestUid)).toEqual([b, a]);
    expect((await list())[0]).toMatchObject({ request: null, answer: null });
    expect(await uids({ statusFrom: 400, statusTo: 499 })).toEqual([b]);
    expect(await uids({ code: '9500' })).toEqual([d]);
    expect(await uids({ method: 'GET' })).toEqual([c]);
    expect(await uids({ pathPrefix: '/ful' })).toEqual([c]);
    expect(await uids({ pathPrefix: '%' })).toEqual([]);
    expect(await uids({ userId })).toEqual([c]);
    expect(await uids({ requestId: all[1]?.requestId as string, code: '1008' })).toEqual([b]);
    expect(await uids({ requestId: 'none' })).toEqual([]);
    expect(await uids({ from: NOW - 2, to: NOW })).toEqual([c, b]);
    expect(await storage.requestLog.count(appId, { from: NOW - 2, to: NOW })).toBe(2);
    expect(await storage.requestLog.find(await createApplication(storage), a as string)).toBeUndefined();
  });

  test('a deleted application loses its requests, and gets no new ones', async () => {
    await storage.requestLog.add([request()]);
    await storage.applications.delete(appId);
    await storage.requestLog.add([request()]);
    expect(await list()).toEqual([]);
  });

  test('the newest thousand are kept, for a week at most', async () => {
    await storage.requestLog.add([request({ at: NOW - 8 * DAY }), ...times(1005, () => request())]);
    while ((await storage.purgeExpired(NOW)) > 0);
    const newest = (await list({}, 1000)).map(({ requestUid }) => requestUid);
    const other = request({ appId: await createApplication(storage) });
    await storage.requestLog.add([other]);
    for (const _ of times(2, String)) {
      await storage.requestLog.trim(appId, 1000);
      expect((await list({}, 2000)).map(({ requestUid }) => requestUid)).toEqual(newest);
    }
    expect(await storage.requestLog.find(other.appId, other.requestUid)).toBeDefined();
    expect(await storage.requestLog.count(appId, { from: 0, to: NOW })).toBe(0);
  });
});
