import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import type { Storage } from '../../src/storage/port.ts';
import { databases } from '../databases.ts';
import { accessToken, createApplication, createUser, hash, MINUTE, NOW, tally, times, user } from './examples.ts';

describe.each(databases)('users on $kind', (database) => {
  let storage: Storage;
  let url: string;
  let appId: number;
  beforeAll(async () => {
    url = await database.fresh();
    storage = await (await storageDriver(url)).open();
    appId = await createApplication(storage);
  });
  afterAll(() => storage.close());

  test('a created user is found, with a valid special token', async () => {
    const example = user(appId, { clientUserId: 'Zoë 🦊\n"\\', clientUserName: "O'Brien \u{10ffff}" });
    expect(await storage.users.createWithToken(example)).toBe('created');
    const { userId, clientUserId, clientUserName, createdAt } = example;
    const found = { userId, appId, clientUserId, clientUserName, createdAt, status: 'active', updatedAt: createdAt };
    expect(await storage.users.find(appId, userId)).toEqual(found);
    expect(await storage.tokens.findSpecialToken(example.specialToken.tokenHash, NOW)).toEqual(found);
  });

  test('a clientUserId belongs to one user per application', async () => {
    const first = await createUser(storage, appId);
    const again = user(appId, { clientUserId: first.clientUserId });
    expect(await storage.users.createWithToken(again)).toBe('duplicate');
    expect(await storage.users.find(appId, again.userId)).toBeUndefined();
    expect(await storage.tokens.findSpecialToken(again.specialToken.tokenHash, NOW)).toBeUndefined();
    const elsewhere = await createApplication(storage);
    expect(await storage.users.createWithToken(user(elsewhere, { clientUserId: first.clientUserId }))).toBe('created');
  });

  test('clientUserIds are compared exactly', async () => {
    await createUser(storage, appId, { clientUserId: 'exact' });
    const others = ['Exact', 'EXACT', 'exact ', ' exact', 'e\u0301xact', '\u00e9xact', 'exac', 'exact\n'];
    expect(
      await tally(others.map((clientUserId) => storage.users.createWithToken(user(appId, { clientUserId })))),
    ).toEqual({
      created: others.length,
    });
  });

  test('of 50 concurrent creates of the same user, one succeeds', async () => {
    for (const _ of times(10, String)) {
      const { clientUserId } = user(appId);
      const before = await storage.applications.countUsers(appId);
      const creating = times(50, () => storage.users.createWithToken(user(appId, { clientUserId })));
      expect(await tally(creating)).toEqual({ created: 1, duplicate: 49 });
      expect(await storage.applications.countUsers(appId)).toBe(before + 1);
    }
  });

  test('a profile that outlived its user collides, with or without an Idempotency-Key', async () => {
    const orphaned = await createApplication(storage);
    const lost = await createUser(storage, orphaned);
    await database.execute(url, `delete from special_tokens; delete from users where app_id = ${orphaned}`);
    const again = { ...lost, userId: randomUUID() };
    expect(await storage.users.createWithToken(again)).toBe('profile-exists');
    const idempotency = { keyHash: hash(), bodyHash: hash(), expiresAt: NOW + MINUTE };
    expect(await storage.users.createWithToken({ ...again, idempotency })).toBe('profile-exists');
    expect(await storage.tokens.replaceSpecialToken(orphaned, lost.clientUserId, lost.specialToken)).toEqual({
      outcome: 'unknown-user',
    });
  });

  test('an unknown application is reported as gone', async () => {
    expect(await storage.users.createWithToken(user(1))).toBe('application-gone');
    const idempotency = { keyHash: hash(), bodyHash: hash(), expiresAt: NOW + MINUTE };
    expect(await storage.users.createWithToken(user(1, { idempotency }))).toBe('application-gone');
  });

  test('a user is found and deleted only by its own application', async () => {
    const other = await createApplication(storage);
    const { userId } = await createUser(storage, appId);
    expect(await storage.users.find(other, userId)).toBeUndefined();
    expect(await storage.users.delete(other, userId)).toBe('unknown');
    expect(await storage.users.find(appId, userId)).toBeDefined();
    expect(await storage.users.delete(appId, randomUUID())).toBe('unknown');
  });

  test('a deleted user leaves nothing behind', async () => {
    const idempotency = { keyHash: hash(), bodyHash: hash(), expiresAt: NOW + MINUTE };
    const gone = await createUser(storage, appId, { idempotency });
    const token = accessToken();
    await storage.tokens.exchange(gone.specialToken.tokenHash, NOW, token);
    await storage.tokens.replaceSpecialToken(appId, gone.clientUserId, { tokenHash: hash(), expiresAt: NOW + MINUTE });

    expect(await tally(times(5, () => storage.users.delete(appId, gone.userId)))).toEqual({ deleted: 1, unknown: 4 });
    expect(await storage.users.find(appId, gone.userId)).toBeUndefined();
    expect(await storage.tokens.findOwner(token.tokenId, NOW)).toBeUndefined();
    // Its name and its Idempotency-Key can be reused, also with another body.
    const next = user(appId, { clientUserId: gone.clientUserId, idempotency: { ...idempotency, bodyHash: hash() } });
    expect(await storage.users.createWithToken(next)).toBe('created');
  });

  test('creating and deleting one name concurrently leaves a complete user or none', async () => {
    const { clientUserId } = user(appId);
    await Promise.all(
      times(40, async () => {
        const mine = user(appId, { clientUserId });
        if ((await storage.users.createWithToken(mine)) !== 'created') return;
        expect(await storage.users.find(appId, mine.userId)).toMatchObject({ clientUserId });
        expect(await storage.users.delete(appId, mine.userId)).toBe('deleted');
      }),
    );
    expect(await storage.users.createWithToken(user(appId, { clientUserId }))).toBe('created');
  });

  test('a user deleted while being renamed leaves no name behind', async () => {
    for (const round of times(20, String)) {
      const { userId, clientUserId } = await createUser(storage, appId);
      const names = [clientUserId, ...times(3, (index) => `renamed ${round} ${index} ${userId}`)];
      const renaming = names.slice(1).map((name) => storage.users.update(appId, userId, { clientUserId: name }, NOW));
      const deleting = storage.users.delete(appId, userId);
      expect(await deleting).toBe('deleted');
      for (const { outcome } of await Promise.all(renaming)) expect(outcome).toMatch(/updated|unknown/);
      const again = names.map((name) => storage.users.createWithToken(user(appId, { clientUserId: name })));
      expect(await tally(again)).toEqual({ created: names.length });
    }
  });

  test('concurrent updates of a user all take effect', async () => {
    for (const round of times(20, String)) {
      const { userId } = await createUser(storage, appId);
      const changes = { clientUserName: 'Renamed', status: 'suspended', clientUserId: `${userId} ${round}` } as const;
      const updates = Object.entries(changes).map(([name, value]) =>
        storage.users.update(appId, userId, { [name]: value }, NOW),
      );
      for (const { outcome } of await Promise.all(updates)) expect(outcome).toBe('updated');
      expect(await storage.users.find(appId, userId)).toMatchObject(changes);
      expect(await storage.users.findByClientUserId(appId, changes.clientUserId)).toMatchObject({ userId });
    }
  });
});
