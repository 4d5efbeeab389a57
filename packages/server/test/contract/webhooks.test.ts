import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import type { DeliveryRecord, Lease, NewWebhook, Storage, WebhookRecord } from '../../src/storage/port.ts';
import { databases } from '../databases.ts';
import { createApplication, createUser, MINUTE, NOW, tally, times } from './examples.ts';
import { attempt, delivery, webhook } from './webhook-examples.ts';

const DAY = 86_400_000;
const ALL = { before: null, limit: 100 };

describe.each(databases)('webhooks on $kind', (database) => {
  let storage: Storage;
  let appId: number;
  beforeAll(async () => {
    storage = await (await storageDriver(await database.fresh())).open();
  });
  afterAll(() => storage.close());
  beforeEach(async () => {
    appId = await createApplication(storage);
  });

  const make = async (given: Partial<NewWebhook> = {}) => {
    const made = webhook(appId, given);
    expect(await storage.webhooks.create(made, 10)).toBe('created');
    return made;
  };
  /** Creates a webhook and leases it, with every other free one. */
  const makeLeased = async (given: Partial<NewWebhook> = {}) => {
    const made = await make(given);
    const owner = randomUUID();
    await storage.deliveries.claim(owner, { now: NOW, until: NOW + 25_000, limit: 100 });
    return { made, lease: { owner, webhookId: made.webhookId } satisfies Lease };
  };
  const logged = async (webhookId: string): Promise<DeliveryRecord[]> =>
    (await storage.deliveries.list(webhookId, {}, ALL)).toReversed();

  test('a created webhook is found, and changed part by part', async () => {
    const { position: _, ...first } = await make();
    const { position: _other, ...second } = await make({ types: [], createdAt: NOW + 1 });
    const fresh = { previousSecret: null, off: null, lastSuccessAt: null, failingSince: null };
    expect(await storage.webhooks.list(appId)).toEqual([
      { ...first, ...fresh },
      { ...second, ...fresh },
    ]);
    const change = { url: 'https://other.example.com/', types: ['user.deleted'], description: '', maxPerSecond: null };
    expect(await storage.webhooks.update(appId, first.webhookId, change)).toBe('updated');
    expect(await storage.webhooks.update(appId, first.webhookId, { enabled: false })).toBe('updated');
    expect(await storage.webhooks.rotateSecret(appId, first.webhookId, 'newer', NOW + MINUTE)).toBe('rotated');
    const changed = { ...first, ...fresh, ...change, off: 'manual', sealedSecret: 'newer' };
    expect(await storage.webhooks.find(appId, first.webhookId)).toEqual({
      ...changed,
      previousSecret: { sealed: 'sealed', expiresAt: NOW + MINUTE },
    });
    await storage.webhooks.update(appId, first.webhookId, { enabled: true });
    expect(await storage.webhooks.find(appId, first.webhookId)).toMatchObject({ off: null });
    expect(await storage.webhooks.delete(appId, first.webhookId)).toBe('deleted');
    expect(await storage.webhooks.delete(appId, first.webhookId)).toBe('unknown');
    expect(await storage.webhooks.find(appId, first.webhookId)).toBeUndefined();
  });

  test('while the previous secret is valid, another rotation is rejected if requested, and one of many concurrent ones succeeds', async () => {
    const { webhookId } = await make();
    const rotate = (to: string, at?: number) => storage.webhooks.rotateSecret(appId, webhookId, to, NOW + MINUTE, at);
    const found = async () => {
      const { sealedSecret, previousSecret } = (await storage.webhooks.find(appId, webhookId)) as WebhookRecord;
      return [sealedSecret, previousSecret?.sealed];
    };
    expect(await tally(times(8, (i) => rotate(`second ${i}`, NOW)))).toEqual({ rotated: 1, 'previous-valid': 7 });
    const [second, first] = await found();
    expect(await rotate('third', NOW + MINUTE - 1)).toBe('previous-valid');
    expect(await found()).toEqual([second, first]);
    expect(await rotate('third', NOW + MINUTE)).toBe('rotated');
    expect(await found()).toEqual(['third', second]);
    expect(await rotate('fourth')).toBe('rotated');
    expect(await found()).toEqual(['fourth', 'third']);
  });

  test("another application's webhook is unknown, and replicas see every change", async () => {
    const { webhookId } = await make();
    const other = await createApplication(storage);
    const { version } = await storage.changes.since(Number.MAX_SAFE_INTEGER);
    expect(await storage.webhooks.find(other, webhookId)).toBeUndefined();
    expect(await storage.webhooks.update(other, webhookId, { enabled: false })).toBe('unknown');
    expect(await storage.webhooks.rotateSecret(other, webhookId, 'x', NOW)).toBe('unknown');
    expect(await storage.webhooks.replay(other, webhookId, { after: 0, since: 0 })).toBe('unknown');
    expect(await storage.webhooks.delete(other, webhookId)).toBe('unknown');
    expect((await storage.changes.since(version)).changes).toEqual([]);
    await storage.webhooks.update(appId, webhookId, { description: 'x' });
    await storage.webhooks.delete(appId, webhookId);
    expect((await storage.changes.since(version)).changes).toMatchObject([
      { subject: 'webhooks', appId },
      { subject: 'webhooks', appId },
    ]);
    expect(await storage.webhooks.create(webhook(-1), 10)).toBe('application-gone');
  });

  test('of many concurrent creates, as many succeed as an application may have', async () => {
    const attempts = times(12, () => storage.webhooks.create(webhook(appId), 3));
    expect(await tally(attempts)).toEqual({ created: 3, 'too-many': 9 });
  });

  test('one owner holds a webhook until its lease ends; unfinished deliveries are pending then', async () => {
    const { made, lease } = await makeLeased();
    const { webhookId } = made;
    const other = randomUUID();
    const taking = (now: number) => ({ now, until: now + 25_000, limit: 100 });
    expect(await storage.deliveries.claim(other, taking(NOW + 24_999))).toEqual([]);
    expect(await storage.deliveries.renew(lease.owner, NOW + 20_000, NOW + 45_000)).toContain(webhookId);
    const sent = delivery(1);
    expect(await storage.deliveries.enqueue(lease, { after: 1, since: NOW }, [sent])).toEqual([sent]);
    const claimed = await storage.deliveries.claim(other, taking(NOW + 45_000));
    expect(claimed.find((each) => each.webhookId === webhookId)).toMatchObject({ position: { after: 1, since: NOW } });
    expect(await storage.deliveries.renew(lease.owner, NOW + 45_000, NOW + 70_000)).not.toContain(webhookId);
    expect(await storage.deliveries.enqueue(lease, { after: 2, since: NOW }, [delivery(2)])).toBe('lost');
    expect(await storage.deliveries.settle(lease, [attempt(sent)], null)).toBe('lost');
    expect(await storage.deliveries.take(lease, NOW + 50_000, 10)).toBe('lost');
    const newLease = { owner: other, webhookId };
    expect(await storage.deliveries.due(other, NOW + 45_000)).toContain(webhookId);
    expect(await storage.deliveries.take(newLease, NOW + 45_000, 10)).toMatchObject([{ ...sent, state: 'sending' }]);
    await storage.deliveries.release(other, NOW + 46_000);
    expect(await logged(webhookId)).toMatchObject([{ ...sent, state: 'pending', nextAt: NOW + 46_000 }]);
  });

  test('a lease from a clock that was hours ahead holds up nothing', async () => {
    const { webhookId } = await make();
    for (const now of [NOW + DAY, NOW]) {
      const claimed = await storage.deliveries.claim(randomUUID(), { now, until: now + 25_000, limit: 100 });
      expect(claimed.map((each) => each.webhookId)).toContain(webhookId);
    }
  });

  test('of many concurrent owners, one gets the lease', async () => {
    const { webhookId } = await make();
    const claims = times(12, async () => {
      const claimed = await storage.deliveries.claim(randomUUID(), { now: NOW, until: NOW + 25_000, limit: 100 });
      return claimed.some((each) => each.webhookId === webhookId) ? 'got' : 'not';
    });
    expect(await tally(claims)).toEqual({ got: 1, not: 11 });
  });

  test('a webhook that is off, moved or deleted has no owner', async () => {
    const { made, lease } = await makeLeased();
    await storage.webhooks.replay(appId, made.webhookId, { after: 7, since: 3 });
    expect(await storage.deliveries.enqueue(lease, { after: 9, since: 0 }, [])).toBe('lost');
    const again = { now: NOW, until: NOW + 25_000, limit: 100 };
    const [claimed] = await storage.deliveries.claim(lease.owner, again);
    expect(claimed).toMatchObject({ webhookId: made.webhookId, position: { after: 7, since: 3 } });
    const on = await storage.webhooks.countOn();
    await storage.webhooks.update(appId, made.webhookId, { enabled: false });
    expect(await storage.webhooks.countOn()).toBe(on - 1);
    expect(await storage.deliveries.enqueue(lease, { after: 9, since: 0 }, [])).toBe('lost');
    expect(await storage.deliveries.claim(lease.owner, again)).toEqual([]);
  });

  test('events of one user are sent one at a time, those of others concurrently', async () => {
    const { made, lease } = await makeLeased();
    const [ada, grace] = [randomUUID(), randomUUID()];
    const [a1, a2, g1, a3, free] = [
      delivery(1, ada),
      delivery(2, ada),
      delivery(3, grace),
      delivery(4, ada),
      delivery(5, null),
    ];
    expect(await storage.deliveries.enqueue(lease, { after: 3, since: 0 }, [a1, a2, g1])).toEqual([a1, g1]);
    expect(await storage.deliveries.enqueue(lease, { after: 5, since: 0 }, [a3, free])).toEqual([free]);
    const later = { status: 500, state: 'pending', nextAt: NOW + 5_000 } as const;
    expect(await storage.deliveries.settle(lease, [attempt(a1, later), attempt(g1)], null)).toEqual([]);
    expect(await storage.deliveries.take(lease, NOW + 4_999, 10)).toEqual([]);
    expect(await storage.deliveries.due(lease.owner, NOW + 4_999)).not.toContain(made.webhookId);
    expect(await storage.deliveries.take(lease, NOW + 5_000, 10)).toMatchObject([{ ...a1, attempts: 1 }]);
    expect(await storage.deliveries.settle(lease, [attempt(a1)], null)).toMatchObject([{ ...a2, state: 'sending' }]);
    // A delivery that failed for good also makes way for the next one.
    const failed = { status: 500, state: 'failed', body: null } as const;
    expect(await storage.deliveries.settle(lease, [attempt(a2, failed)], null)).toMatchObject([a3]);
    expect(await storage.deliveries.settle(lease, [attempt(a3), attempt(free)], null)).toEqual([]);
    const states = (await logged(made.webhookId)).map(({ eventNo, state, attempts }) => [eventNo, state, attempts]);
    expect(states).toEqual([
      [1, 'succeeded', 2],
      [2, 'failed', 1],
      [3, 'succeeded', 1],
      [4, 'succeeded', 1],
      [5, 'succeeded', 1],
    ]);
    const list = async (state: 'pending' | 'succeeded' | 'failed') =>
      (await storage.deliveries.list(made.webhookId, { state }, ALL)).map(({ eventNo }) => eventNo);
    expect([await list('pending'), await list('succeeded'), await list('failed')]).toEqual([[], [5, 4, 3, 1], [2]]);
    const page = { before: free.deliveryId, limit: 2 };
    expect(await storage.deliveries.list(made.webhookId, {}, page)).toMatchObject([{ eventNo: 4 }, { eventNo: 3 }]);
    expect(await storage.webhooks.health(appId, 100)).toEqual([
      { webhookId: made.webhookId, recent: 5, failed: 1, open: 0 },
    ]);
  });

  test('an event read again is sent again, unless it is in flight', async () => {
    const { made, lease } = await makeLeased();
    const [first, second] = [delivery(1), delivery(2)];
    const position = { after: 2, since: 0 };
    await storage.deliveries.enqueue(lease, position, [first, second]);
    await storage.deliveries.settle(lease, [attempt(first)], null);
    const again = [delivery(1, first.userId), delivery(2, second.userId)];
    expect(await storage.deliveries.enqueue(lease, position, again)).toEqual([first]);
    expect(await logged(made.webhookId)).toMatchObject([
      { ...first, state: 'sending', attempts: 0 },
      { ...second, state: 'sending' },
    ]);
  });

  test('failures are counted since the last success, and the last one switches the webhook off', async () => {
    const { made, lease } = await makeLeased();
    const sent = times(4, (index) => delivery(index));
    await storage.deliveries.enqueue(lease, { after: 9, since: 0 }, sent);
    const health = async () => {
      const { off, lastSuccessAt, failingSince } = (await storage.webhooks.find(appId, made.webhookId)) as never;
      return { off, lastSuccessAt, failingSince };
    };
    const settle = (index: number, at: number, state: 'failed' | 'succeeded', off: 'failing' | null = null) =>
      storage.deliveries.settle(lease, [attempt(sent[index] as never, { at, state })], off);
    await settle(0, NOW + 1, 'failed');
    await settle(1, NOW + 2, 'failed');
    expect(await health()).toEqual({ off: null, lastSuccessAt: null, failingSince: NOW + 1 });
    const isListed = async (before: number) =>
      (await storage.webhooks.listFailing(before)).some(({ webhookId }) => webhookId === made.webhookId);
    expect([await isListed(NOW), await isListed(NOW + 1)]).toEqual([false, true]);
    await settle(2, NOW + 3, 'succeeded');
    expect(await health()).toEqual({ off: null, lastSuccessAt: NOW + 3, failingSince: null });
    const { version } = await storage.changes.since(Number.MAX_SAFE_INTEGER);
    await settle(3, NOW + 4, 'failed', 'failing');
    expect(await health()).toEqual({ off: 'failing', lastSuccessAt: NOW + 3, failingSince: NOW + 4 });
    expect(await isListed(0)).toBe(true);
    expect((await storage.changes.since(version)).changes).toMatchObject([{ subject: 'webhooks', appId }]);
    expect(await storage.deliveries.settle(lease, [], null)).toBe('lost');
    await storage.webhooks.update(appId, made.webhookId, { enabled: true });
    expect(await health()).toEqual({ off: null, lastSuccessAt: NOW + 3, failingSince: null });
  });

  test('a delivery can be resent, a test cannot', async () => {
    const { made, lease } = await makeLeased();
    const [sent, tested] = [delivery(1), delivery(null, null)];
    await storage.deliveries.enqueue(lease, { after: 1, since: 0 }, [sent]);
    const resend = (deliveryId: string) => storage.deliveries.resend(made, deliveryId, NOW + 9);
    expect(await resend(sent.deliveryId)).toBe('sending');
    await storage.deliveries.settle(lease, [attempt(sent, { state: 'failed', status: 500, body: 'no' })], null);
    expect(await resend(sent.deliveryId)).toBe('resent');
    expect(await storage.deliveries.take(lease, NOW + 9, 10)).toMatchObject([{ ...sent, attempts: 0 }]);
    expect(await storage.deliveries.addTest(made, tested, attempt(tested))).toBe('added');
    expect(await storage.deliveries.addTest({ ...made, webhookId: randomUUID() }, tested, attempt(tested))).toBe(
      'unknown',
    );
    expect(await resend(tested.deliveryId)).toBe('test');
    expect(await resend(randomUUID())).toBe('unknown');
    expect(await storage.deliveries.find(made.webhookId, tested.deliveryId)).toEqual({
      ...{ ...tested, webhookId: made.webhookId, state: 'succeeded', attempts: 1, nextAt: null, lastAt: NOW },
      ...{ status: 200, problem: null, milliseconds: 12, body: 'ok' },
    });
    expect(await storage.deliveries.find(randomUUID(), tested.deliveryId)).toBeUndefined();
  });

  test('later events of a user wait for one that was resent and failed', async () => {
    const { made, lease } = await makeLeased();
    const userId = randomUUID();
    const [first, second, third] = [delivery(1, userId), delivery(2, userId), delivery(3, userId)] as const;
    await storage.deliveries.enqueue(lease, { after: 3, since: 0 }, [first, second, third]);
    expect(await storage.deliveries.settle(lease, [attempt(first)], null)).toMatchObject([second]);
    await storage.deliveries.resend(made, first.deliveryId, NOW);
    expect(await storage.deliveries.take(lease, NOW, 10)).toMatchObject([first]);
    const failed = attempt(first, { state: 'pending', status: 500, nextAt: NOW + 5 });
    expect(await storage.deliveries.settle(lease, [failed, attempt(second)], null)).toEqual([]);
    expect(await storage.deliveries.take(lease, NOW + 5, 10)).toMatchObject([first]);
    expect(await storage.deliveries.settle(lease, [attempt(first)], null)).toMatchObject([third]);
  });

  test("a receiver's response is deleted with the user, and not stored for a deleted one", async () => {
    const { made, lease } = await makeLeased();
    const { userId } = await createUser(storage, appId);
    const [there, gone] = [delivery(1, userId), delivery(2)];
    await storage.deliveries.enqueue(lease, { after: 2, since: 0 }, [there, gone]);
    await storage.deliveries.settle(lease, [attempt(there), attempt(gone)], null);
    const bodyOf = async ({ deliveryId }: { deliveryId: string }) =>
      (await storage.deliveries.find(made.webhookId, deliveryId))?.body;
    expect([await bodyOf(there), await bodyOf(gone)]).toEqual(['ok', null]);
    // Only the response to the latest attempt is kept.
    await storage.deliveries.resend(made, there.deliveryId, NOW);
    await storage.deliveries.take(lease, NOW, 10);
    await storage.deliveries.settle(lease, [attempt(there, { body: null })], null);
    expect(await bodyOf(there)).toBeNull();
    await storage.deliveries.resend(made, there.deliveryId, NOW);
    await storage.deliveries.take(lease, NOW, 10);
    await storage.deliveries.settle(lease, [attempt(there, { body: 'again' })], null);
    expect(await bodyOf(there)).toBe('again');
    await storage.users.delete(appId, userId);
    expect(await storage.deliveries.find(made.webhookId, there.deliveryId)).toMatchObject({ userId, body: null });
  });

  test('deliveries are purged a week after they end, and deleted with the webhook', async () => {
    const { made, lease } = await makeLeased();
    const [old, open] = [delivery(1), delivery(2)];
    await storage.deliveries.enqueue(lease, { after: 2, since: 0 }, [old, open]);
    await storage.deliveries.settle(lease, [attempt(old)], null);
    await storage.purgeExpired(NOW + 7 * DAY - 1);
    expect(await logged(made.webhookId)).toHaveLength(2);
    await storage.purgeExpired(NOW + 7 * DAY);
    expect(await logged(made.webhookId)).toMatchObject([open]);
    await storage.webhooks.delete(appId, made.webhookId);
    expect(await logged(made.webhookId)).toEqual([]);
  });
});
