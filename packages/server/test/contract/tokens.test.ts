import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import type { Storage } from '../../src/storage/port.ts';
import { databases } from '../databases.ts';
import { accessToken, createApplication, createUser, hash, MINUTE, NOW, tally, times } from './examples.ts';

describe.each(databases)('tokens on $kind', (database) => {
  let storage: Storage;
  let appId: number;
  beforeAll(async () => {
    storage = await (await storageDriver(await database.fresh())).open();
    appId = await createApplication(storage);
  });
  afterAll(() => storage.close());

  test.each([
    ['a UUID', accessToken()],
    ['a hash', accessToken({ tokenId: hash() })],
  ])('a special token is exchanged once, for an access token known by %s', async (_, token) => {
    const { userId, clientUserId, specialToken } = await createUser(storage, appId);
    expect(await storage.tokens.findOwner(token.tokenId, NOW)).toBeUndefined();
    expect(await storage.tokens.exchange(specialToken.tokenHash, NOW, token)).toMatchObject({ appId });
    expect(await storage.tokens.findOwner(token.tokenId, NOW)).toMatchObject({ userId, appId, clientUserId });
    expect(await storage.tokens.findSpecialToken(specialToken.tokenHash, NOW)).toBeUndefined();
    const second = accessToken();
    expect(await storage.tokens.exchange(specialToken.tokenHash, NOW, second)).toBe('spent');
    expect(await storage.tokens.findOwner(second.tokenId, NOW)).toBeUndefined();
  });

  test('reading a special token does not spend it', async () => {
    const { userId, specialToken } = await createUser(storage, appId);
    for (const _ of times(3, String)) {
      expect(await storage.tokens.findSpecialToken(specialToken.tokenHash, NOW)).toMatchObject({ userId });
    }
    expect(await storage.tokens.exchange(specialToken.tokenHash, NOW, accessToken())).toMatchObject({ appId });
  });

  test('tokens are valid until the moment they expire', async () => {
    const { specialToken } = await createUser(storage, appId);
    const { tokenHash, expiresAt } = specialToken;
    expect(await storage.tokens.findSpecialToken(tokenHash, expiresAt)).toBeUndefined();
    expect(await storage.tokens.exchange(tokenHash, expiresAt, accessToken())).toBe('spent');
    expect(await storage.tokens.findSpecialToken(tokenHash, expiresAt - 1)).toBeDefined();
    const token = accessToken();
    expect(await storage.tokens.exchange(tokenHash, expiresAt - 1, token)).toMatchObject({ appId });
    expect(await storage.tokens.findOwner(token.tokenId, token.expiresAt - 1)).toBeDefined();
    expect(await storage.tokens.findOwner(token.tokenId, token.expiresAt)).toBeUndefined();
  });

  test('an existing access token is not added, and nothing is spent for it', async () => {
    for (const tokenId of [accessToken().tokenId, hash()]) {
      const [first, second] = [await createUser(storage, appId), await createUser(storage, appId)];
      const token = accessToken({ tokenId });
      await storage.tokens.exchange(first.specialToken.tokenHash, NOW, token);
      const { tokenHash, expiresAt } = second.specialToken;
      expect(await storage.tokens.exchange(tokenHash, NOW, token)).toBe('token-taken');
      expect(await storage.tokens.findOwner(tokenId, NOW)).toMatchObject({ userId: first.userId });
      // A spent special token is reported as such, even if the token id is also taken.
      expect(await storage.tokens.exchange(tokenHash, expiresAt, token)).toBe('spent');
      expect(await storage.tokens.exchange(first.specialToken.tokenHash, NOW, token)).toBe('spent');
      expect(await storage.tokens.exchange(hash(), NOW, token)).toBe('spent');
      expect(await storage.tokens.exchange(tokenHash, NOW, accessToken())).toMatchObject({ appId });
    }
  });

  test('of many concurrent requests with the same access token, one gets it', async () => {
    const users = await Promise.all(times(20, () => createUser(storage, appId)));
    const token = accessToken();
    const exchanging = users.map(({ specialToken }) => storage.tokens.exchange(specialToken.tokenHash, NOW, token));
    expect(await tally(exchanging)).toEqual({ done: 1, 'token-taken': 19 });
    const unspent = users.map(({ specialToken }) => storage.tokens.findSpecialToken(specialToken.tokenHash, NOW));
    expect((await Promise.all(unspent)).filter(Boolean)).toHaveLength(19);
  });

  test('an invalid identifier is rejected, and never taken for another one', async () => {
    const { userId, specialToken } = await createUser(storage, appId);
    const token = accessToken({ tokenId: hash() });
    await storage.tokens.exchange(specialToken.tokenHash, NOW, token);
    const { tokenId } = token;
    for (const malformed of [
      `${tokenId}zz`,
      `${tokenId}a`,
      tokenId.slice(1),
      '',
      'zz',
      `${tokenId} `,
      `${tokenId}\n`,
    ]) {
      await expect(storage.tokens.findOwner(malformed, NOW)).rejects.toThrow();
      await expect(storage.tokens.revoke(appId, malformed)).rejects.toThrow();
      await expect(storage.tokens.findSpecialToken(`${malformed}z`, NOW)).rejects.toThrow();
    }
    for (const malformed of [userId.slice(1), `${userId}zz`, 'zz', '']) {
      await expect(storage.users.find(appId, malformed)).rejects.toThrow();
      await expect(storage.users.delete(appId, malformed)).rejects.toThrow();
    }
    expect(await storage.tokens.findOwner(tokenId, NOW)).toMatchObject({ userId });
  });

  test('unknown tokens count as spent', async () => {
    expect(await storage.tokens.exchange(hash(), NOW, accessToken())).toBe('spent');
    expect(await storage.tokens.findSpecialToken(hash(), NOW)).toBeUndefined();
    expect(await storage.tokens.findOwner(accessToken().tokenId, NOW)).toBeUndefined();
  });

  test('of 64 concurrent exchanges of one token, one succeeds', async () => {
    for (const _ of times(10, String)) {
      const { userId, specialToken } = await createUser(storage, appId);
      const tokens = times(64, () => accessToken());
      const exchanging = tokens.map((token) => storage.tokens.exchange(specialToken.tokenHash, NOW, token));
      expect(await tally(exchanging)).toEqual({ done: 1, spent: 63 });
      const owners = await Promise.all(tokens.map((token) => storage.tokens.findOwner(token.tokenId, NOW)));
      expect(owners.filter(Boolean)).toMatchObject([{ userId }]);
    }
  });

  test('a new special token ends the previous one', async () => {
    const example = await createUser(storage, appId);
    const next = { tokenHash: hash(), expiresAt: NOW + MINUTE };
    expect(await storage.tokens.replaceSpecialToken(appId, example.clientUserId, next)).toEqual({
      outcome: 'issued',
      clientUserName: example.clientUserName,
    });
    expect(await storage.tokens.exchange(example.specialToken.tokenHash, NOW, accessToken())).toBe('spent');
    expect(await storage.tokens.exchange(next.tokenHash, NOW, accessToken())).toMatchObject({ appId });
    // After the special token was spent there is none, but a new one can be issued.
    const third = { tokenHash: hash(), expiresAt: NOW + MINUTE };
    await storage.tokens.replaceSpecialToken(appId, example.clientUserId, third);
    expect(await storage.tokens.exchange(third.tokenHash, NOW, accessToken())).toMatchObject({ appId });
    expect(await storage.tokens.replaceSpecialToken(appId, 'nobody', next)).toEqual({ outcome: 'unknown-user' });
    expect(await storage.tokens.replaceSpecialToken(1, example.clientUserId, next)).toEqual({
      outcome: 'unknown-user',
    });
  });

  test('of many concurrent new special tokens, one is valid', async () => {
    const { clientUserId, specialToken } = await createUser(storage, appId);
    await storage.tokens.exchange(specialToken.tokenHash, NOW, accessToken());
    const tokens = times(20, () => ({ tokenHash: hash(), expiresAt: NOW + MINUTE }));
    await Promise.all(tokens.map((token) => storage.tokens.replaceSpecialToken(appId, clientUserId, token)));
    const good = await Promise.all(tokens.map((token) => storage.tokens.findSpecialToken(token.tokenHash, NOW)));
    expect(good.filter(Boolean)).toHaveLength(1);
  });

  test('a concurrent exchange and deletion: the user is gone, and none of their tokens is valid', async () => {
    for (const _ of times(25, String)) {
      const { userId, clientUserId, specialToken } = await createUser(storage, appId);
      const token = accessToken();
      const replacing = storage.tokens.replaceSpecialToken(appId, clientUserId, {
        tokenHash: hash(),
        expiresAt: NOW + MINUTE,
      });
      const exchanging = storage.tokens.exchange(specialToken.tokenHash, NOW, token);
      expect(await storage.users.delete(appId, userId)).toBe('deleted');
      const outcome = await exchanging;
      if (outcome !== 'spent') expect(outcome).toMatchObject({ userId });
      expect((await replacing).outcome).toMatch(/^(issued|unknown-user)$/);
      expect(await storage.tokens.findOwner(token.tokenId, NOW)).toBeUndefined();
    }
  });

  test('a revoked token has no owner; another application cannot revoke it', async () => {
    const { specialToken } = await createUser(storage, appId);
    const token = accessToken();
    await storage.tokens.exchange(specialToken.tokenHash, NOW, token);
    await storage.tokens.revoke(await createApplication(storage), token.tokenId);
    expect(await storage.tokens.findOwner(token.tokenId, NOW)).toBeDefined();
    await storage.tokens.revoke(appId, token.tokenId);
    await storage.tokens.revoke(appId, token.tokenId);
    expect(await storage.tokens.findOwner(token.tokenId, NOW)).toBeUndefined();
  });

  test('all tokens of a user are revoked at once, including the unspent special token, and no others', async () => {
    const [user, other] = [await createUser(storage, appId), await createUser(storage, appId)];
    const tokens = [accessToken(), accessToken()];
    for (const token of tokens) {
      const fresh = { tokenHash: hash(), expiresAt: NOW + MINUTE };
      await storage.tokens.replaceSpecialToken(appId, user.clientUserId, fresh);
      await storage.tokens.exchange(fresh.tokenHash, NOW, token);
    }
    const unspent = { tokenHash: hash(), expiresAt: NOW + MINUTE };
    await storage.tokens.replaceSpecialToken(appId, user.clientUserId, unspent);
    const theirs = accessToken();
    await storage.tokens.exchange(other.specialToken.tokenHash, NOW, theirs);
    await storage.tokens.revokeAll(await createApplication(storage), user.userId);
    expect(await storage.tokens.list(user.userId, NOW)).toHaveLength(2);
    await storage.tokens.revokeAll(appId, user.userId);
    await storage.tokens.revokeAll(appId, user.userId);
    expect(await storage.tokens.list(user.userId, NOW)).toEqual([]);
    expect(await storage.tokens.findSpecialToken(unspent.tokenHash, NOW)).toBeUndefined();
    expect(await storage.tokens.findOwner(theirs.tokenId, NOW)).toBeDefined();
  });
});
