import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rotateSecret } from '../../src/domain/applications/application.ts';
import { databases } from '../databases.ts';
import { EventReader } from './event-reader.ts';
import { EXAMPLE, withCatalog } from './options/example-catalog.ts';
import { basic, bearer, makeSignedInUser, startTestServer, type TestServer } from './start.ts';

type FeedEvent = { id: string; type: string; timestamp: string; clientId: string; data: Record<string, unknown> };
type Feed = { items: FeedEvent[]; next: string; code?: string; message?: string; oldest?: string };

describe.each(databases)('events on $kind', (database) => {
  let server: TestServer;
  let at: Awaited<ReturnType<typeof withCatalog>>;
  beforeAll(async () => {
    server = await startTestServer(await database.fresh());
    at = await withCatalog(server);
  });
  afterAll(() => server.close());

  const pathOf = (application = at.application) => `/api/v2/app/${application.clientId}/events`;
  const read = async (query = '', application = at.application) => {
    const answer = await server.send('GET', `${pathOf(application)}?${query}`, { headers: basic(application) });
    return { ...answer, json: answer.json as Feed };
  };
  const latest = async () => (await read('after=latest')).json.next;
  const signIn = () => makeSignedInUser(server, at.application);
  const save = async (userCode: string, name: string, value: unknown[]) => {
    const answer = await server.post(
      '/api/user_options',
      await at.choice(name, value, { user_uid: userCode }),
      at.apiKey,
    );
    return answer.json as { user_options_uid: string; option_group_uid: string; option_key_uid: string };
  };
  const follow = (headers: Record<string, string> = {}, query = '') =>
    EventReader.open(`${server.url}${pathOf()}?${query}`, { ...basic(at.application), ...headers });
  const followUser = (accessToken: string, headers: Record<string, string> = {}) =>
    EventReader.open(`${server.url}/api/user_options/events`, { ...at.apiKey, ...bearer(accessToken), ...headers });

  test('a stream ends when its client closes its side of the connection', async () => {
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    const headers = Object.entries({ ...basic(at.application), host: 'x', accept: 'text/event-stream' });
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    socket.write(`GET ${pathOf()}?after=latest HTTP/1.1\r\n${lines}\r\n`);
    let received = '';
    socket.on('data', (part) => {
      received += part;
    });
    await expect.poll(() => received).toContain('retry:');
    socket.end();
    await once(socket, 'close');
    // The response is complete: it has the last chunk.
    expect(received.endsWith('0\r\n\r\n')).toBe(true);
  });

  test('streams are limited per user, application and process, and a slot is freed when one ends', async () => {
    const small = await startTestServer(await database.fresh(), { streams: '4', streamsPerApplication: '3' });
    try {
      const [one, other] = [await withCatalog(small), await withCatalog(small)];
      const open = ({ application }: typeof one) =>
        EventReader.open(`${small.url}/api/v2/app/${application.clientId}/events`, basic(application));
      const readers = [await open(one), await open(one), await open(one)];
      const refused = await small.send('GET', `/api/v2/app/${one.application.clientId}/events`, {
        headers: { ...basic(one.application), accept: 'text/event-stream' },
      });
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30']);
      expect(refused.json).toMatchObject({ code: '9429', message: 'Too many open event streams.' });
      readers.push(await open(other));
      expect(readers.map(({ response }) => response.status)).toEqual([200, 200, 200, 200]);
      expect((await open(other)).response.status).toBe(429);
      for (const reader of readers) reader.close();
      await expect.poll(async () => (await open(one)).response.status).toBe(200);
    } finally {
      await small.close();
    }
    const { accessToken } = await signIn();
    const mine = await Promise.all(Array.from({ length: 50 }, () => followUser(accessToken)));
    expect(mine.every(({ response }) => response.status === 200)).toBe(true);
    const refused = await followUser(accessToken, { 'last-event-id': mine[0]?.lastId ?? '' });
    expect(refused.response.status).toBe(429);
    for (const reader of mine) reader.close();
  });

  test('the feed lists events in order, and resumes from a cursor', async () => {
    const start = await latest();
    const user = await signIn();
    const saved = await save(user.userCode, 'fruit', ['cherry']);
    await save(user.userCode, 'fruit', ['cherry', 'apple']);
    const userPath = `/api/v2/app/${at.application.clientId}/users/${user.userCode}`;
    const change = (body: object) =>
      server.send('PATCH', userPath, { headers: basic(at.application), body: JSON.stringify(body) });
    await change({ clientUserName: 'Grace' });
    await change({ status: 'suspended' });
    await change({ status: 'active' });
    expect((await read(`after=${start}&limit=99999999999999999999`)).status).toBe(200);
    const first = (await read(`after=${start}&limit=2`)).json;
    const { items, next } = (await read(`after=${first.next}`)).json;
    const events = [...first.items, ...items];
    const state = {
      ...{ service_user_code: user.userCode, clientUserId: user.clientUserId },
      ...{ clientUserName: 'Test user', status: 'active' },
    };
    const ids = {
      user_options_uid: saved.user_options_uid,
      user_uid: user.userCode,
      option_group_uid: saved.option_group_uid,
      option_key_uid: saved.option_key_uid,
    };
    const selection = { ...ids, group: 'kitchen', option: 'fruit', revision: 1, by: 'user_uid' };
    expect(events.map(({ type, data }) => [type, data])).toEqual([
      ['user.created', state],
      ['selection.saved', { ...selection, value: ['cherry'], previous: null }],
      ['selection.saved', { ...selection, value: ['apple', 'cherry'], previous: ['cherry'] }],
      ['user.updated', { ...state, clientUserName: 'Grace' }],
      ['user.suspended', { ...state, clientUserName: 'Grace', status: 'suspended' }],
      ['user.resumed', { ...state, clientUserName: 'Grace' }],
    ]);
    for (const { id, timestamp, clientId } of events) {
      expect(id).toMatch(/^evt_[0-9a-v]{13}$/);
      expect(new Date(timestamp).toISOString()).toBe(timestamp);
      expect(clientId).toBe(at.application.clientId);
    }
    expect(
      (await read(`after=${start}&type=user.updated&type=user.resumed`)).json.items.map(({ type }) => type),
    ).toEqual(['user.updated', 'user.resumed']);
    expect((await read(`after=${next}`)).json.items).toEqual([]);

    await server.send('DELETE', userPath, { headers: basic(at.application) });
    const reduced = (await read(`after=${start}`)).json.items;
    expect(reduced.map(({ id }) => id).slice(0, 6)).toEqual(events.map(({ id }) => id));
    const code = { service_user_code: user.userCode };
    expect(reduced.map(({ type, data }) => [type, data])).toEqual([
      ['user.created', code],
      ['selection.saved', ids],
      ['selection.saved', ids],
      ['user.updated', code],
      ['user.suspended', code],
      ['user.resumed', code],
      ['user.deleted', code],
    ]);
  });

  test('a publication has its event', async () => {
    const { publish, application } = await withCatalog(server);
    await publish({ ...EXAMPLE, groups: [{ name: 'kitchen' }] });
    const { items } = (await read('type=catalog.published', application)).json;
    expect(items.map(({ data }) => data)).toEqual([
      { revision: 1, changes: expect.any(Number), breaking: false, by: 'test' },
      { revision: 2, changes: expect.any(Number), breaking: expect.any(Boolean), by: 'test' },
    ]);
  });

  test('invalid input is rejected with a reason', async () => {
    const other = await server.application();
    const foreign = (await read('after=latest', other)).json.next;
    const refusals: [string, string][] = [
      ['after=nonsense', 'after is not a cursor.'],
      [`after=${foreign}`, 'after is a cursor of another application or service.'],
      [`after=${foreign}&after=latest`, 'after must be given once.'],
      ['limit=0', 'limit must be at least 1.'],
      ['limit=x', 'limit must be a whole number.'],
      ['type=user.vanished', 'type[0] must be one of user.created, '],
    ];
    for (const [query, message] of refusals) {
      const { status, json } = await read(query);
      expect({ status, code: json.code }).toEqual({ status: 400, code: '9400' });
      expect(json.message).toContain(message);
    }
    const stream = await follow({ 'last-event-id': foreign });
    expect(stream.response.status).toBe(400);
    stream.close();
    expect(await server.send('GET', pathOf())).toMatchObject({ status: 400, json: { code: '0011' } });
    const unknown = await server.send('GET', '/api/v2/app/1_x/events', { headers: basic(other) });
    expect(unknown).toMatchObject({ status: 400, json: { code: '0012' } });
    const user = await server.send('GET', '/api/user_options/events', { headers: at.apiKey });
    expect(user).toMatchObject({ status: 401, json: { code: '1011' } });
    expect((await followUser('x')).response.status).toBe(401);
  });

  test('a cursor whose events are gone is 410, with the oldest one', async () => {
    const application = await server.application();
    const start = (await read('after=latest', application)).json.next;
    await makeSignedInUser(server, application);
    expect((await read(`after=${start}`, application)).json.items).toHaveLength(1);
    const { storage, now } = server.service;
    expect(await storage.events.purge(application.appId, now() + 1_000)).toBe(1);
    const { status, json } = await read(`after=${start}`, application);
    expect({ status, code: json.code }).toEqual({ status: 410, code: '9410' });
    await makeSignedInUser(server, application);
    expect((await read(`after=${json.oldest}`, application)).json.items).toHaveLength(1);
    expect((await read('', application)).json.items).toHaveLength(1);
  });

  test('a stream sends events as they happen, and resumes where it was interrupted', async () => {
    const stream = await follow({}, 'after=latest&type=selection.saved');
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream');
    const user = await signIn();
    await save(user.userCode, 'portions', [2]);
    const event = await stream.next();
    expect(event).toMatchObject({
      event: 'selection.saved',
      data: { type: 'selection.saved', clientId: at.application.clientId, data: { value: 2, option: 'portions' } },
    });
    stream.close();
    await save(user.userCode, 'portions', [4]);
    await save(user.userCode, 'portions', [1]);
    const resumed = await follow({ 'last-event-id': event?.id as string }, 'type=selection.saved');
    const more = await resumed.take(2);
    expect(more.map(({ data }) => data)).toMatchObject([{ data: { value: 4 } }, { data: { value: 1 } }]);
    const { items } = (await read(`after=${more[0]?.id}`)).json;
    expect(items.map(({ id }) => id)).toEqual([more[1]?.data?.id]);
    resumed.close();
  });

  test('a stream ends with its secret', async () => {
    const { service } = server;
    const application = await server.application();
    const stream = await EventReader.open(`${server.url}${pathOf(application)}?after=latest`, basic(application));
    await makeSignedInUser(server, application);
    expect(await stream.next()).toMatchObject({ event: 'user.created' });
    const { storage, keyring, now } = service;
    const rotated = await rotateSecret({ storage, keyring }, application.appId, { overlap: 0 }, now());
    const clientSecret = rotated.clientSecret;
    await service.refresh();
    await makeSignedInUser(server, { ...application, clientSecret });
    expect(await stream.next()).toBeUndefined();
  });

  test("a page sees only its user's options", async () => {
    const [user, other] = [await signIn(), await signIn()];
    const stream = await followUser(user.accessToken);
    await save(other.userCode, 'portions', [1]);
    const saved = await save(user.userCode, 'portions', [2]);
    const event = await stream.next();
    expect(event).toMatchObject({
      event: 'selection',
      data: { type: 'selection.saved', user_options_uid: saved.user_options_uid, value: 2, previous: null },
    });
    await server.send('DELETE', `/api/user_options/${saved.user_options_uid}`, {
      headers: { ...at.apiKey, ...bearer(user.accessToken) },
    });
    expect(await stream.next()).toMatchObject({ event: 'selection', data: { type: 'selection.unset', value: null } });
    await at.publish({ ...EXAMPLE, groups: [...(EXAMPLE.groups ?? []), { name: 'more' }] });
    const published = await stream.next();
    expect(published).toMatchObject({ event: 'catalog', data: { revision: 2, timestamp: expect.any(String) } });
    expect(published?.data).not.toHaveProperty('by');
    stream.close();

    await save(user.userCode, 'portions', [4]);
    const resumed = await followUser(user.accessToken, { 'last-event-id': published?.id as string });
    expect(await resumed.next()).toMatchObject({ event: 'selection', data: { value: 4 } });
    const lost = await followUser(user.accessToken, { 'last-event-id': 'nonsense' });
    await save(user.userCode, 'portions', [1]);
    expect(await lost.take(2)).toMatchObject([{ event: 'reset' }, { event: 'selection', data: { value: 1 } }]);
    lost.close();
    expect(await resumed.next()).toMatchObject({ event: 'selection', data: { value: 1 } });
    await server.send('DELETE', `/api/v2/app/${at.application.clientId}/users/${user.userCode}`, {
      headers: basic(at.application),
    });
    expect(await resumed.next()).toBeUndefined();
  });

  test('a service that closes ends all of its streams', async () => {
    const own = await startTestServer(await database.fresh());
    const application = await own.application();
    const streams = await Promise.all(
      Array.from({ length: 3 }, () =>
        EventReader.open(`${own.url}${pathOf(application)}?after=latest`, basic(application)),
      ),
    );
    const ends = streams.map((stream) => stream.next());
    await own.close();
    expect(await Promise.all(ends)).toEqual([undefined, undefined, undefined]);
  });
});
