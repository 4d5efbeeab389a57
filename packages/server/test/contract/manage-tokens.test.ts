import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import type { Storage } from '../../src/storage/port.ts';
import { databases } from '../databases.ts';
import { account, link, manageToken as token } from './account-examples.ts';
import { createApplication, hash, MINUTE, NOW } from './examples.ts';

describe.each(databases)('manage tokens on $kind', (database) => {
  let storage: Storage;
  beforeAll(async () => {
    storage = await (await storageDriver(await database.fresh())).open();
  });
  afterAll(() => storage.close());

  test('a created token is found by its hash until it expires', async () => {
    const [a, b] = [await createApplication(storage), await createApplication(storage)];
    const scoped = token({ appIds: [a, b].sort((x, y) => x - y), access: 'read' });
    const all = token({ createdAt: NOW + 1 });
    expect(await storage.manageTokens.create(scoped)).toBe('created');
    expect(await storage.manageTokens.create(all)).toBe('created');
    expect(await storage.manageTokens.findByHash(scoped.tokenHash, NOW)).toEqual({ token: scoped, owner: null });
    expect(await storage.manageTokens.findByHash(all.tokenHash, all.expiresAt - 1)).toEqual({
      token: all,
      owner: null,
    });
    expect(await storage.manageTokens.findByHash(all.tokenHash, all.expiresAt)).toBeUndefined();
    expect(await storage.manageTokens.findByHash(hash(), NOW)).toBeUndefined();
    expect(await storage.manageTokens.list()).toEqual([scoped, all]);
  });

  test('an account has only so many, and the operator too', async () => {
    const count = (await storage.manageTokens.list()).length;
    expect(await storage.manageTokens.create(token({ expiresAt: NOW - 1 }), count + 1)).toBe('created');
    expect(await storage.manageTokens.create(token(), count + 1)).toBe('too-many');
    const { accountId } = (await storage.accounts.createWithLink(account('many@example.com'), link())).account;
    expect(await storage.manageTokens.create(token({ accountId }), 1)).toBe('created');
    expect(await storage.manageTokens.create(token({ accountId }), 1)).toBe('too-many');
    expect(await storage.manageTokens.list(accountId)).toHaveLength(1);
  });

  test('a scope loses its deleted applications and never becomes all of them', async () => {
    const appId = await createApplication(storage);
    const scoped = token({ appIds: [appId] });
    await storage.manageTokens.create(scoped);
    await storage.applications.delete(appId);
    expect(await storage.manageTokens.findByHash(scoped.tokenHash, NOW)).toEqual({
      token: { ...scoped, appIds: [] },
      owner: null,
    });
  });

  test('a scope contains only existing applications', async () => {
    const appId = await createApplication(storage);
    const scoped = token({ appIds: [appId, 1] });
    expect(await storage.manageTokens.create(scoped)).toBe('application-gone');
    expect(await storage.manageTokens.findByHash(scoped.tokenHash, NOW)).toBeUndefined();
  });

  test('a revoked token is gone', async () => {
    const doomed = token({ appIds: [await createApplication(storage)] });
    await storage.manageTokens.create(doomed);
    expect(await storage.manageTokens.revoke(doomed.tokenId)).toBe('revoked');
    expect(await storage.manageTokens.revoke(doomed.tokenId)).toBe('unknown');
    expect(await storage.manageTokens.findByHash(doomed.tokenHash, NOW)).toBeUndefined();
  });

  test('use is recorded, but not too often', async () => {
    const used = token();
    await storage.manageTokens.create(used);
    const lastUse = async () => (await storage.manageTokens.findByHash(used.tokenHash, NOW))?.token.lastUsedAt;
    await storage.manageTokens.touch(used.tokenId, NOW, NOW - MINUTE);
    expect(await lastUse()).toBe(NOW);
    await storage.manageTokens.touch(used.tokenId, NOW + 1000, NOW + 1000 - MINUTE);
    expect(await lastUse()).toBe(NOW);
    await storage.manageTokens.touch(used.tokenId, NOW + MINUTE, NOW);
    expect(await lastUse()).toBe(NOW + MINUTE);
    await storage.manageTokens.touch(randomUUID(), NOW, NOW);
  });
});
