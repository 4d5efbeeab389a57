import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import type { Storage } from '../../src/storage/port.ts';
import { databases } from '../databases.ts';
import { accessToken, createApplication, createUser, hash, MINUTE, NOW, signingKey, times } from './examples.ts';

describe.each(databases)('purging on $kind', (database) => {
  let storage: Storage;
  let url: string;
  let appId: number;
  beforeEach(async () => {
    url = await database.fresh();
    storage = await (await storageDriver(url)).open();
    appId = await createApplication(storage);
  });
  afterEach(() => storage.close());

  /** Expired at NOW. Whether it was purged shows in a query with an earlier time. */
  const ended = { tokenHash: hash(), expiresAt: NOW };

  test('expired rows are removed and valid ones stay', async () => {
    const idle = await createUser(storage, appId, { specialToken: ended });
    const fresh = await createUser(storage, appId);
    const [old, good] = [accessToken({ expiresAt: NOW }), accessToken()];
    for (const token of [old, good]) {
      const { specialToken } = await createUser(storage, appId);
      await storage.tokens.exchange(specialToken.tokenHash, NOW, token);
    }
    expect(await storage.purgeExpired(NOW - 1)).toBe(0);
    expect(await storage.purgeExpired(NOW)).toBe(2);
    expect(await storage.purgeExpired(NOW)).toBe(0);
    expect(await storage.tokens.findSpecialToken(ended.tokenHash, NOW - 1)).toBeUndefined();
    expect(await storage.tokens.findSpecialToken(fresh.specialToken.tokenHash, NOW)).toBeDefined();
    expect(await storage.tokens.findOwner(old.tokenId, NOW - 1)).toBeUndefined();
    expect(await storage.tokens.findOwner(good.tokenId, NOW)).toBeDefined();
    expect(await storage.users.find(appId, idle.userId)).toBeDefined();
  });

  test('Idempotency-Keys, secrets and signing keys expire too', async () => {
    const idempotency = { keyHash: hash(), bodyHash: hash(), expiresAt: NOW };
    await createUser(storage, appId, { idempotency, createdAt: NOW - MINUTE });
    await storage.applications.rotateSecret(appId, { secretHash: hash(), createdAt: NOW, expiresAt: null }, NOW);
    await storage.signingKeys.add(signingKey(1), NOW);
    await storage.signingKeys.add(signingKey(2), NOW);
    // Three of four old changes are deleted, because the last one is kept; and an Idempotency-Key, a secret and a
    // private signing key.
    expect(await storage.purgeExpired(NOW)).toBe(3 + 3);
    expect(await storage.purgeExpired(NOW)).toBe(0);
    const [application] = await storage.applications.list([appId]);
    expect(application?.secrets.map(({ expiresAt }) => expiresAt)).toEqual([null]);
    // The public key is kept forever, to verify what the private key signed.
    expect((await storage.signingKeys.list()).map((key) => [key.generation, key.sealedPrivateKey])).toEqual([
      [1, ''],
      [2, 'sealed'],
    ]);
    const other = { ...idempotency, bodyHash: hash(), expiresAt: NOW + MINUTE };
    await createUser(storage, appId, { idempotency: other, createdAt: NOW - MINUTE });
  });

  test('a purge deletes a limited number per kind and leaves the rest to the next', async () => {
    await createUser(storage, appId, { specialToken: ended });
    await database.execute(
      url,
      `with recursive n (i) as (select 2 union all select i + 1 from n where i < 1041)
       insert into change_log (version, subject, app_id, at) select i, 'application', null, 0 from n`,
    );
    // Of 1041 changes, the last one is kept.
    expect(await storage.purgeExpired(NOW)).toBe(1 + 1000);
    expect(await storage.purgeExpired(NOW)).toBe(40);
    expect(await storage.purgeExpired(NOW)).toBe(0);
  });

  test('purging during exchanges deletes nothing valid', async () => {
    const users = await Promise.all(times(30, () => createUser(storage, appId)));
    const tokens = users.map(() => accessToken());
    const exchanging = users.map(({ specialToken }, i) =>
      storage.tokens.exchange(specialToken.tokenHash, NOW, tokens[i] ?? accessToken()),
    );
    await Promise.all([...exchanging, ...times(3, () => storage.purgeExpired(NOW))]);
    const owners = await Promise.all(tokens.map(({ tokenId }) => storage.tokens.findOwner(tokenId, NOW)));
    expect(owners.filter(Boolean)).toHaveLength(30);
  });
});
