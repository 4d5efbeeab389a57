import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import type { Storage } from '../../src/storage/port.ts';
import { databases } from '../databases.ts';
import { accessToken, createApplication, createUser, hash, MINUTE, NOW, tally, times, user } from './examples.ts';

describe.each(databases)('two replicas on $kind', (database) => {
  let replicas: [Storage, Storage];
  let appId: number;
  beforeAll(async () => {
    const driver = await storageDriver(await database.fresh());
    replicas = [await driver.open(), await driver.open()];
    appId = await createApplication(replicas[0]);
  });
  afterAll(() => Promise.all(replicas.map((replica) => replica.close())));
  const either = (index: number): Storage => replicas[index % 2] as Storage;

  test('one sees what the other acknowledged', async () => {
    const [one, other] = replicas;
    for (const _ of times(20, String)) {
      const { userId, specialToken } = await createUser(one, appId);
      expect(await other.users.find(appId, userId)).toBeDefined();
      const token = accessToken();
      expect(await other.tokens.exchange(specialToken.tokenHash, NOW, token)).toMatchObject({ appId });
      expect(await one.tokens.findOwner(token.tokenId, NOW)).toMatchObject({ userId });
      expect(await one.users.delete(appId, userId)).toBe('deleted');
      expect(await other.tokens.findOwner(token.tokenId, NOW)).toBeUndefined();
    }
  });

  test('one token, 64 exchanges on both: one access token', async () => {
    for (const _ of times(10, String)) {
      const { specialToken } = await createUser(either(0), appId);
      const exchanging = times(64, (i) => either(i).tokens.exchange(specialToken.tokenHash, NOW, accessToken()));
      expect(await tally(exchanging)).toEqual({ done: 1, spent: 63 });
    }
  });

  test('one name, 50 creates on both: one user', async () => {
    for (const _ of times(10, String)) {
      const { clientUserId } = user(appId);
      const creating = times(50, (i) => either(i).users.createWithToken(user(appId, { clientUserId })));
      expect(await tally(creating)).toEqual({ created: 1, duplicate: 49 });
    }
  });

  test('one Idempotency-Key on both: created once', async () => {
    const { clientUserId } = user(appId);
    const idempotency = { keyHash: hash(), bodyHash: hash(), expiresAt: NOW + MINUTE };
    const creating = times(30, (i) => either(i).users.createWithToken(user(appId, { clientUserId, idempotency })));
    expect(await tally(creating)).toEqual({ created: 1, replayed: 29 });
  });

  test('both rotate secrets: two remain, one of them without an expiry', async () => {
    const secret = () => ({ secretHash: hash(), createdAt: NOW, expiresAt: null });
    await Promise.all(times(20, (i) => either(i).applications.rotateSecret(appId, secret(), NOW + MINUTE)));
    const [application] = await either(1).applications.list([appId]);
    expect(application?.secrets.map(({ expiresAt }) => expiresAt)).toEqual([null, NOW + MINUTE]);
  });
});

describe.each(databases)('opening and closing on $kind', (database) => {
  test('closing waits for every accepted act', async () => {
    const driver = await storageDriver(await database.fresh());
    const storage = await driver.open();
    const appId = await createApplication(storage);
    const accepted = times(100, () => storage.users.createWithToken(user(appId)));
    const [counts] = await Promise.all([tally(accepted), storage.close()]);
    expect(counts).toEqual({ created: 100 });
    const reopened = await driver.open();
    expect(await reopened.applications.countUsers(appId)).toBe(100);
    await reopened.ping();
    const { committedActs, committedBatches } = reopened.figures();
    expect([committedActs >= committedBatches, reopened.waitingActs()]).toEqual([true, 0]);
    await reopened.close();
  });
});
