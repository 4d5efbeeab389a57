import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import type { NewUser, Storage } from '../../src/storage/port.ts';
import { databases } from '../databases.ts';
import { createApplication, hash, MINUTE, NOW, tally, times, user } from './examples.ts';

const DAY = 1440 * MINUTE;

describe.each(databases)('Idempotency-Key on $kind', (database) => {
  let storage: Storage;
  let appId: number;
  beforeAll(async () => {
    storage = await (await storageDriver(await database.fresh())).open();
    appId = await createApplication(storage);
  });
  afterAll(() => storage.close());

  const request = (): NewUser =>
    user(appId, { idempotency: { keyHash: hash(), bodyHash: hash(), expiresAt: NOW + DAY } });
  /** A retry of the same request: the domain gives it a new user id and a new special token. */
  const again = (sent: NewUser, given: Partial<NewUser> = {}): NewUser =>
    ({ ...user(appId), clientUserId: sent.clientUserId, idempotency: sent.idempotency, ...given }) as NewUser;

  test('the same key and body: the same user, with a new special token', async () => {
    const first = request();
    expect(await storage.users.createWithToken(first)).toBe('created');
    const second = again(first);
    expect(await storage.users.createWithToken(second)).toBe('replayed');
    expect(await storage.tokens.findSpecialToken(first.specialToken.tokenHash, NOW)).toBeUndefined();
    expect(await storage.tokens.findSpecialToken(second.specialToken.tokenHash, NOW)).toMatchObject({
      userId: first.userId,
    });
    expect(await storage.users.find(appId, second.userId)).toBeUndefined();
  });

  test('the same key with another body changes nothing', async () => {
    const first = request();
    await storage.users.createWithToken(first);
    const other = user(appId, { idempotency: { ...must(first.idempotency), bodyHash: hash() } });
    expect(await storage.users.createWithToken(other)).toBe('idempotency-mismatch');
    expect(await storage.users.find(appId, other.userId)).toBeUndefined();
    expect(await storage.tokens.findSpecialToken(first.specialToken.tokenHash, NOW)).toBeDefined();
  });

  test('a key of another application is another key', async () => {
    const first = request();
    await storage.users.createWithToken(first);
    const elsewhere = await createApplication(storage);
    expect(await storage.users.createWithToken(again(first, { appId: elsewhere }))).toBe('created');
  });

  test('a rejected key is not used up', async () => {
    const first = request();
    await storage.users.createWithToken(first);
    const refused = user(appId, { clientUserId: first.clientUserId, idempotency: must(request().idempotency) });
    expect(await storage.users.createWithToken(refused)).toBe('duplicate');
    expect(await storage.users.createWithToken(again(refused, { clientUserId: hash() }))).toBe('created');
  });

  test('an expired key is replaced', async () => {
    const first = request();
    await storage.users.createWithToken(first);
    const later = { createdAt: NOW + DAY, specialToken: { tokenHash: hash(), expiresAt: NOW + 2 * DAY } };
    expect(await storage.users.createWithToken(again(first, later))).toBe('duplicate');
    const idempotency = { ...must(first.idempotency), bodyHash: hash(), expiresAt: NOW + 2 * DAY };
    const next = user(appId, { ...later, idempotency });
    expect(await storage.users.createWithToken(next)).toBe('created');
    expect(await storage.users.createWithToken(again(next, { createdAt: NOW + DAY + 1 }))).toBe('replayed');
  });

  test('many concurrent identical requests: created once, and replayed for the others', async () => {
    for (const _ of times(5, String)) {
      const first = request();
      const requests = times(20, () => again(first));
      expect(await tally(requests.map((sent) => storage.users.createWithToken(sent)))).toEqual({
        created: 1,
        replayed: 19,
      });
      const good = await Promise.all(
        requests.map((sent) => storage.tokens.findSpecialToken(sent.specialToken.tokenHash, NOW)),
      );
      expect(good.filter(Boolean)).toHaveLength(1);
    }
  });

  test('many concurrent bodies with one key: one wins and the others get the mismatch', async () => {
    for (const _ of times(5, String)) {
      const { keyHash, expiresAt } = must(request().idempotency);
      const requests = times(20, () => user(appId, { idempotency: { keyHash, bodyHash: hash(), expiresAt } }));
      const before = await storage.applications.countUsers(appId);
      const counts = await tally(requests.map((sent) => storage.users.createWithToken(sent)));
      expect(counts).toEqual({ created: 1, 'idempotency-mismatch': 19 });
      expect(await storage.applications.countUsers(appId)).toBe(before + 1);
    }
  });

  test('many concurrent requests, some with known keys: each gets its own result', async () => {
    const [known, expired] = [request(), { ...request(), createdAt: NOW - 2 * DAY }];
    must(expired.idempotency).expiresAt = NOW - DAY;
    for (const sent of [known, expired]) expect(await storage.users.createWithToken(sent)).toBe('created');
    const another = (sent: NewUser): NewUser =>
      user(appId, { idempotency: { ...must(sent.idempotency), bodyHash: hash(), expiresAt: NOW + DAY } });
    const requests = [...times(7, request), another(known), ...times(3, () => user(appId)), again(known)];
    requests.push(another(expired), user(appId, { clientUserId: known.clientUserId }), request());
    const outcomes = await Promise.all(requests.map((sent) => storage.users.createWithToken(sent)));
    const created = (count: number) => times(count, () => 'created');
    expect(outcomes).toEqual([
      ...created(7),
      'idempotency-mismatch',
      ...created(3),
      'replayed',
      ...created(1),
      'duplicate',
      ...created(1),
    ]);
    for (const [index, { userId }] of requests.entries()) {
      expect((await storage.users.find(appId, userId)) !== undefined).toBe(outcomes[index] === 'created');
    }
  });

  test('replays while the user is deleted: never a partial record', async () => {
    const first = request();
    await storage.users.createWithToken(first);
    const requests = times(20, () => again(first));
    const outcomes = requests.map((sent) => storage.users.createWithToken(sent));
    expect(await storage.users.delete(appId, first.userId)).toBe('deleted');
    const counts = await tally(outcomes);
    expect((counts.created ?? 0) + (counts.replayed ?? 0)).toBe(20);
    expect(counts.created ?? 0).toBeLessThanOrEqual(1);
    const found = await Promise.all(
      requests.map((sent) => storage.tokens.findSpecialToken(sent.specialToken.tokenHash, NOW)),
    );
    expect(found.filter(Boolean)).toHaveLength(counts.created ?? 0);
  });
});

function must<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The example has none.');
  return value;
}
