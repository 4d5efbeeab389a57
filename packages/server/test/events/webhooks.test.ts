import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { NewApplication } from '../../src/domain/applications/application.ts';
import { type DeliveryRecord, StorageUnavailable } from '../../src/storage/port.ts';
import { databases } from '../databases.ts';
import { basic, makeUser, startTestServer, type TestServer, uniqueName } from '../http/start.ts';
import { type Manage, manageWith } from '../manage/manage.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const ALLOW = { webhooksAllow: '127.0.0.1' };
const WAIT = { timeout: 60_000, interval: 20 };
const DAY = 86_400_000;

type Act = (...args: never[]) => Promise<unknown>;
type Event = { id: string; type: string; clientId: string; data: Record<string, unknown> };

describe.each(databases)('events sent to webhooks on $kind', (database) => {
  let url: string;
  let server: TestServer;
  let receiver: Receiver;
  let application: NewApplication & { appId: number };
  let manage: Manage;
  let path: string;
  beforeAll(async () => {
    url = await database.fresh();
    server = await startTestServer(url, ALLOW);
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    receiver = await startReceiver();
    application = await server.application();
    manage = await manageWith(server, { appIds: [application.appId] });
    path = `/applications/${application.clientId}/webhooks`;
    return async () => {
      await manage.send('DELETE', `/applications/${application.clientId}?confirm=${application.clientId}`);
      await receiver.close();
    };
  });

  const make = async (given: object = {}) => {
    const { json } = await manage.send('POST', path, { url: receiver.url, ...given });
    return json as { webhookId: string; secret: string };
  };
  const rename = (clientUserId: string, clientUserName: string, at = server) =>
    at.send('PATCH', `/api/v2/app/${application.clientId}/users/by-client-id/${clientUserId}`, {
      headers: { ...basic(application), 'content-type': 'application/json' },
      body: JSON.stringify({ clientUserName }),
    });
  const deliveries = async (webhookId: string): Promise<DeliveryRecord[]> =>
    (await server.service.storage.deliveries.list(webhookId, {}, { before: null, limit: 100 })).toReversed();
  const deliveriesAre = (webhookId: string, expected: Partial<DeliveryRecord>[]) =>
    vi.waitFor(async () => expect(await deliveries(webhookId)).toMatchObject(expected), WAIT);
  const events = (): Event[] => receiver.received.map(({ body }) => JSON.parse(body) as Event);

  test("each event arrives signed, and each user's events in order", async () => {
    const { webhookId, secret } = await make();
    const ids = ['a', 'b', 'c'].map((prefix) => uniqueName(prefix));
    for (const id of ids) await makeUser(server, application, id);
    for (const name of ['First', 'Second']) await Promise.all(ids.map((id) => rename(id, name)));
    await receiver.until(9);
    for (const { body, headers } of receiver.received) {
      const event = new Webhook(secret).verify(body, headers as Record<string, string>) as Event;
      expect([event.id, event.clientId]).toEqual([headers['webhook-id'], application.clientId]);
    }
    for (const id of ids) {
      const own = events().filter(({ data }) => data.clientUserId === id);
      expect(own.map(({ type, data }) => [type, data.clientUserName])).toEqual([
        ['user.created', 'Test user'],
        ['user.updated', 'First'],
        ['user.updated', 'Second'],
      ]);
    }
    await deliveriesAre(webhookId, Array(9).fill({ state: 'succeeded', attempts: 1, status: 204 }));
    const { json } = await manage.get(`${path}/${webhookId}`);
    expect(json).toMatchObject({ failingSince: null, recent: { deliveries: 9, failed: 0, pending: 0 } });
    expect(json.lastSuccessAt).not.toBeNull();
  });

  test('a webhook whose secret cannot be decrypted is retried, never sent unsigned, and blocks no others', async () => {
    const { webhookId } = await make({ description: 'sealed under another secret' });
    const other = await startReceiver();
    const { webhookId: healthy } = await make({ url: other.url });
    await database.execute(url, `update webhooks set sealed_secret = 'x' where description like 'sealed under%'`);
    await manage.send('PATCH', `${path}/${webhookId}`, { description: 'changed' });
    await makeUser(server, application);
    await deliveriesAre(webhookId, [{ state: 'pending', attempts: 1, status: null, problem: 'unreachable' }]);
    await deliveriesAre(healthy, [{ state: 'succeeded', attempts: 1 }]);
    expect(receiver.received).toEqual([]);
    await manage.send('POST', `${path}/${webhookId}/rotate-secret`, { overlap: '0s' });
    const [{ deliveryId } = { deliveryId: '' }] = await deliveries(webhookId);
    await manage.send('POST', `${path}/${webhookId}/deliveries/${deliveryId}/resend`);
    await receiver.until(1);
    await deliveriesAre(webhookId, [{ state: 'succeeded' }]);
    await other.close();
  });

  test('a process with an outdated secret releases its webhooks', async () => {
    await make();
    await makeUser(server, application);
    await receiver.until(1);
    const { storage, keyring } = server.service;
    const claim = async () => {
      const now = server.service.now();
      return storage.deliveries.claim(randomUUID(), { now, until: now + 1, limit: 10 });
    };
    expect(await claim()).toEqual([]);
    keyring.master.isOutdated = true;
    try {
      await vi.waitFor(async () => expect(await claim()).toMatchObject([{ appId: application.appId }]), WAIT);
    } finally {
      keyring.master.isOutdated = false;
    }
    await makeUser(server, application);
    await receiver.until(2);
  });

  test('events of one application are not read on behalf of another', async () => {
    const quiet = await server.application();
    const quietManage = await manageWith(server, { appIds: [quiet.appId] });
    await quietManage.send('POST', `/applications/${quiet.clientId}/webhooks`, { url: receiver.url });
    await make();
    // Both webhooks are leased and have read all events so far.
    await makeUser(server, quiet);
    await makeUser(server, application);
    await receiver.until(2);
    const read = vi.spyOn(server.service.storage.events, 'read');
    const SAVES = 30;
    for (let saves = 1; saves <= SAVES; saves++) {
      await makeUser(server, application);
      await receiver.until(2 + saves);
    }
    const readsOf = (appId: number) => read.mock.calls.filter(([of]) => of === appId).length;
    const [ofBusy, ofQuiet] = [readsOf(application.appId), readsOf(quiet.appId)];
    read.mockRestore();
    // The periodic check of all webhooks, every few seconds, affects both equally.
    expect(ofBusy - ofQuiet).toBeGreaterThanOrEqual(SAVES - 1);
    await quietManage.send('DELETE', `/applications/${quiet.clientId}?confirm=${quiet.clientId}`);
  });

  test('only of the chosen types, from its creation on', async () => {
    await makeUser(server, application);
    await make({ types: ['user.updated'] });
    const { clientUserId } = await makeUser(server, application);
    await rename(clientUserId, 'Other');
    await receiver.until(1);
    expect(events()).toMatchObject([{ type: 'user.updated', data: { clientUserId, clientUserName: 'Other' } }]);
  });

  test('a failed delivery is retried after a pause, and later events of the user wait for it', async () => {
    const { webhookId } = await make();
    receiver.answer = (_, response) => void response.writeHead(302, { location: `${receiver.url}/there` }).end();
    const { clientUserId } = await makeUser(server, application);
    await deliveriesAre(webhookId, [{ state: 'pending', attempts: 1, status: 302 }]);
    const [failed] = await deliveries(webhookId);
    const pause = (failed?.nextAt ?? 0) - (failed?.lastAt ?? 0);
    expect(pause).toBeGreaterThanOrEqual(5_000);
    expect(pause).toBeLessThanOrEqual(5_500);
    await rename(clientUserId, 'Later');
    await deliveriesAre(webhookId, [{ state: 'pending' }, { state: 'waiting', attempts: 0 }]);
    // Deliveries about other users are not delayed.
    receiver.answer = () => 200;
    await makeUser(server, application);
    await deliveriesAre(webhookId, [{ state: 'pending' }, { state: 'waiting' }, { state: 'succeeded' }]);
    const view = await manage.get(`${path}/${webhookId}`);
    expect(view.json).toMatchObject({ recent: { deliveries: 1, failed: 0, pending: 2 } });
    // Make the retry due.
    await database.execute(url, 'update webhook_deliveries set next_at = 1 where next_at is not null');
    await deliveriesAre(webhookId, [
      { state: 'succeeded', attempts: 2, status: 200 },
      { state: 'succeeded', attempts: 1 },
      { state: 'succeeded' },
    ]);
    const [first, , again, later] = events() as [Event, Event, Event, Event];
    expect(again).toEqual(first);
    expect(later.data).toMatchObject({ clientUserId, clientUserName: 'Later' });
    expect(receiver.received.map(({ path: requested }) => requested)).toEqual(['/', '/', '/', '/']);
  });

  test('410 switches a webhook off, and so do five days without success; it continues where it stopped', async () => {
    const { webhookId } = await make();
    receiver.answer = () => 410;
    await makeUser(server, application);
    await deliveriesAre(webhookId, [{ state: 'failed', status: 410 }]);
    await vi.waitFor(async () => {
      expect((await manage.get(`${path}/${webhookId}`)).json).toMatchObject({ enabled: false, offReason: 'gone' });
    }, WAIT);
    await makeUser(server, application);
    const [{ deliveryId }] = (await deliveries(webhookId)) as [DeliveryRecord];
    const resend = () => manage.send('POST', `${path}/${webhookId}/deliveries/${deliveryId}/resend`);
    expect((await resend()).json).toMatchObject({ code: '9409', message: 'This webhook is switched off.' });
    receiver.answer = () => 500;
    await manage.send('PATCH', `${path}/${webhookId}`, { enabled: true });
    await deliveriesAre(webhookId, [{ state: 'failed' }, { state: 'pending', attempts: 1, status: 500 }]);
    const since = server.service.now() - 5 * DAY;
    await database.execute(url, `update webhooks set failing_since = ${since}, lease_until = 0, lease_owner = null`);
    await database.execute(url, 'update webhook_deliveries set next_at = 1 where next_at is not null');
    await vi.waitFor(async () => {
      expect((await manage.get(`${path}/${webhookId}`)).json).toMatchObject({ enabled: false, offReason: 'failing' });
    }, WAIT);
  });

  test('a delivery shows its request and response, can be resent, and contains only ids once the user is deleted', async () => {
    const { webhookId } = await make();
    receiver.answer = (_, response) => void response.writeHead(200).end('Hello Test user');
    const { clientUserId } = await makeUser(server, application);
    await deliveriesAre(webhookId, [{ state: 'succeeded' }]);
    const list = await manage.get(`${path}/${webhookId}/deliveries?state=succeeded`);
    const [item] = list.json.items as [{ deliveryId: string; eventId: string; userUid: string }];
    expect(item).toMatchObject({ type: 'user.created', status: 200, problem: null, nextAt: null });
    const one = `${path}/${webhookId}/deliveries/${item.deliveryId}`;
    const shown = (await manage.get(one)).json as { request: string; response: string };
    expect(shown).toMatchObject({ ...item, response: 'Hello Test user', request: receiver.received[0]?.body });
    expect((await manage.send('POST', `${one}/resend`)).json).toMatchObject({ state: 'pending', attempts: 0 });
    await receiver.until(2);
    expect(receiver.received[1]?.headers['webhook-id']).toBe(item.eventId);
    await deliveriesAre(webhookId, [{ state: 'succeeded', attempts: 1 }]);
    await server.send('DELETE', `/api/v2/app/${application.clientId}/users/${item.userUid}`, {
      headers: basic(application),
    });
    await receiver.until(3);
    const after = (await manage.get(one)).json as { request: string; response: null };
    expect(after.response).toBeNull();
    expect(JSON.parse(after.request).data).toEqual({ service_user_code: item.userUid });
    expect(after.request).not.toContain(clientUserId);
    const tested = await manage.send('POST', `${path}/${webhookId}/test`);
    const again = await manage.send('POST', `${path}/${webhookId}/deliveries/${tested.json.deliveryId}/resend`);
    expect(again.json).toMatchObject({ code: '9409', message: 'A test cannot be sent again.' });
    const reader = await manageWith(server, { access: 'read' });
    for (const hidden of [`${path}/${webhookId}/deliveries`, one]) {
      expect((await reader.get(hidden)).json.code).toBe('9403');
    }
    expect((await manage.get(`${path}/${webhookId}/deliveries/x`)).json.code).toBe('9404');
    expect((await manage.get(`${path}/${webhookId}/deliveries?state=lost`)).json.code).toBe('9400');
  });

  test('events that wait for a slow receiver contain only ids if their user is deleted meanwhile', async () => {
    const release = Promise.withResolvers<void>();
    receiver.answer = () => release.promise.then(() => 204);
    const USERS = 40;
    const IN_FLIGHT = 32;
    const ids = Array.from({ length: USERS }, () => uniqueName());
    for (const id of ids) await makeUser(server, application, id);
    const { webhookId } = await make();
    await manage.send('POST', `${path}/${webhookId}/replay`, { since: '2000-01-01 00:00:00' });
    await receiver.until(IN_FLIGHT);
    // Longer than an event may wait in memory.
    await sleep(1_200);
    for (const id of ids) {
      const { clientId } = application;
      await server.send('DELETE', `/api/v2/app/${clientId}/users/by-client-id/${id}`, { headers: basic(application) });
    }
    release.resolve();
    await receiver.until(2 * USERS);
    const created = events().filter(({ type }) => type === 'user.created');
    const names = created.map(({ data }) => data.clientUserName);
    expect(names).toEqual([...Array(IN_FLIGHT).fill('Test user'), ...Array(USERS - IN_FLIGHT).fill(undefined)]);
  });

  test('a replay resends events since a time, with the same ids', async () => {
    const { webhookId } = await make();
    await makeUser(server, application);
    await makeUser(server, application);
    await deliveriesAre(webhookId, [{ state: 'succeeded' }, { state: 'succeeded' }]);
    await manage.send('POST', `${path}/${webhookId}/replay`, { since: '2025-01-01' });
    await receiver.until(4);
    const ids = events().map(({ id }) => id);
    expect(new Set(ids.slice(2))).toEqual(new Set(ids.slice(0, 2)));
  });

  test('the metrics show the outcomes of attempts, and how far a webhook is behind', async () => {
    const figures = async () => {
      const text = await (await fetch(`${server.url}/metrics`)).text();
      const read = (name: string) =>
        Number(
          text
            .split('\n')
            .find((line) => line.startsWith(`${name} `))
            ?.split(' ')[1],
        );
      const outcome = (name: string) => read(`innkeeper_webhook_deliveries_total{outcome="${name}"}`);
      return {
        succeeded: outcome('succeeded'),
        retried: outcome('retried'),
        lag: read('innkeeper_webhook_lag_seconds'),
      };
    };
    const before = await figures();
    const { promise: open, resolve: answerAll } = Promise.withResolvers<void>();
    receiver.answer = async (received) => {
      await open;
      return received === receiver.received[0] ? 500 : 204;
    };
    const { webhookId } = await make();
    const switchTo = (enabled: boolean) => manage.send('PATCH', `${path}/${webhookId}`, { enabled });
    await switchTo(false);
    // More than one read returns.
    await Promise.all(Array.from({ length: 140 }, () => makeUser(server, application)));
    await switchTo(true);
    await vi.waitFor(async () => expect((await figures()).lag).toBeGreaterThan(0), WAIT);
    await receiver.until(32);
    expect(receiver.received, 'more than are in flight at once').toHaveLength(32);
    answerAll();
    await vi.waitFor(async () => {
      const { succeeded, retried, lag } = await figures();
      expect(lag).toBe(0);
      expect(succeeded + retried - before.succeeded - before.retried).toBeGreaterThanOrEqual(140);
      expect(retried).toBeGreaterThan(before.retried);
    }, WAIT);
  });

  test('a limit spreads requests over time', async () => {
    const at: number[] = [];
    receiver.answer = () => {
      at.push(performance.now());
      return 204;
    };
    await make({ maxPerSecond: 2, types: ['user.created'] });
    await Promise.all(Array.from({ length: 3 }, () => makeUser(server, application)));
    await receiver.until(3);
    // Ideally a second passes between the first and the third. A late timer may catch up on a tenth of it, and one
    // request may take longer than another.
    expect((at[2] as number) - (at[0] as number)).toBeGreaterThan(500);
  });

  test.each(['enqueue', 'settle', 'take'] as const)(
    'if the response to %s is lost after its commit, nothing gets stuck',
    async (name) => {
      const { webhookId } = await make();
      const clientUserId = uniqueName();
      receiver.answer = name === 'take' ? () => 500 : () => 204;
      await makeUser(server, application, clientUserId);
      await receiver.until(1);
      const store = server.service.storage.deliveries as unknown as Record<string, Act>;
      const real = store[name] as Act;
      const lost = new Promise<void>((resolve) => {
        store[name] = async (...args) => {
          const done = await real(...args);
          if (name === 'take' && (done as unknown[]).length === 0) return done;
          store[name] = real;
          resolve();
          throw new StorageUnavailable('The connection was lost.');
        };
      });
      try {
        for (const each of ['First', 'Second', 'Third']) await rename(clientUserId, each);
        receiver.answer = () => 204;
        if (name === 'take') {
          const [{ deliveryId } = { deliveryId: '' }] = await deliveries(webhookId);
          await manage.send('POST', `${path}/${webhookId}/deliveries/${deliveryId}/resend`);
        }
        await lost;
      } finally {
        store[name] = real;
      }
      await deliveriesAre(webhookId, Array(4).fill({ state: 'succeeded' }));
      const names = events().flatMap(({ data }) => (data.clientUserName === 'Test user' ? [] : [data.clientUserName]));
      expect([...new Set(names)]).toEqual(['First', 'Second', 'Third']);
    },
  );

  test('another process on the same database sends what one left behind', async () => {
    const first = await startTestServer(url, ALLOW);
    const { webhookId } = await make();
    const own = '00000000-0000-4000-8000-000000000000';
    const lease = (owner: string, until: number) =>
      `update webhooks set lease_owner = ${database.kind === 'sqlite' ? `x'${owner.replaceAll('-', '')}'` : `'${owner}'`}, lease_until = ${until}`;
    // Simulates a process that is killed while sending: the lease expires, and the delivery is sent again.
    receiver.answer = () => 500;
    await makeUser(first, application);
    await deliveriesAre(webhookId, [{ state: 'pending', attempts: 1 }]);
    await database.execute(
      url,
      "update webhook_deliveries set state = 'sending', next_at = null where ended_at is null",
    );
    await database.execute(url, lease(own, server.service.now() - 1));
    receiver.answer = () => 200;
    await deliveriesAre(webhookId, [{ state: 'succeeded', attempts: 2 }]);
    await first.close();
    await makeUser(server, application);
    await deliveriesAre(webhookId, [{ state: 'succeeded' }, { state: 'succeeded', attempts: 1 }]);
    expect(receiver.received).toHaveLength(3);
  });
});
