import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import type { SecretRecord, Storage } from '../../src/storage/port.ts';
import { databases } from '../databases.ts';
import { application, createApplication, hash, MINUTE, NOW, tally, times } from './examples.ts';

describe.each(databases)('rotating secrets on $kind', (database) => {
  let storage: Storage;
  beforeAll(async () => {
    storage = await (await storageDriver(await database.fresh())).open();
  });
  afterAll(() => storage.close());

  const secret = (createdAt: number): SecretRecord => ({ secretHash: hash(), createdAt, expiresAt: null });
  const secretsOf = async (appId: number) => (await storage.applications.list([appId]))[0]?.secrets;

  test('the new one does not expire, the previous one does, older ones are gone', async () => {
    const [first, second, third] = [secret(NOW), secret(NOW + 1), secret(NOW + 2)];
    const { appId } = await createWith(first);
    expect(await storage.applications.rotateSecret(appId, second, NOW + MINUTE)).toBe('rotated');
    expect(await secretsOf(appId)).toEqual([second, { ...first, expiresAt: NOW + MINUTE }]);
    expect(await storage.applications.rotateSecret(appId, third, NOW + 2 * MINUTE)).toBe('rotated');
    expect(await secretsOf(appId)).toEqual([third, { ...second, expiresAt: NOW + 2 * MINUTE }]);
  });

  test('while the previous one is valid, another rotation is rejected if requested', async () => {
    const [first, second, third] = [secret(NOW), secret(NOW + 1), secret(NOW + 2)];
    const { appId } = await createWith(first);
    const rotate = (to: SecretRecord, at: number) => storage.applications.rotateSecret(appId, to, NOW + MINUTE, at);
    expect(await rotate(second, NOW)).toBe('rotated');
    expect(await rotate(third, NOW + MINUTE - 1)).toBe('previous-valid');
    expect(await secretsOf(appId)).toEqual([second, { ...first, expiresAt: NOW + MINUTE }]);
    expect(await rotate(third, NOW + MINUTE)).toBe('rotated');
    expect(await secretsOf(appId)).toEqual([third, { ...second, expiresAt: NOW + MINUTE }]);
  });

  test('of many concurrent rotations that revoke nothing, one succeeds', async () => {
    const appId = await createApplication(storage);
    const rotations = times(20, (i) => storage.applications.rotateSecret(appId, secret(NOW + i), NOW + MINUTE, NOW));
    expect(await tally(rotations)).toEqual({ rotated: 1, 'previous-valid': 19 });
  });

  test('an application without a secret gets one', async () => {
    const example = application({ secrets: [] });
    await storage.applications.create(example);
    const only = secret(NOW);
    expect(await storage.applications.rotateSecret(example.appId, only, NOW)).toBe('rotated');
    expect(await secretsOf(example.appId)).toEqual([only]);
  });

  test('the application must exist', async () => {
    expect(await storage.applications.rotateSecret(1, secret(NOW), NOW)).toBe('unknown');
  });

  test('many concurrent rotations leave two: one with an expiry, one without', async () => {
    const appId = await createApplication(storage);
    const rotations = times(20, (i) => storage.applications.rotateSecret(appId, secret(NOW + i), NOW + MINUTE));
    expect(await tally(rotations)).toEqual({ rotated: 20 });
    expect((await secretsOf(appId))?.map(({ expiresAt }) => expiresAt)).toEqual([null, NOW + MINUTE]);
  });

  test('the last use of each is recorded now and then, and deleted with it', async () => {
    const [first, second] = [secret(NOW), secret(NOW + 1)];
    const { appId } = await createWith(first);
    const uses = async () =>
      Object.fromEntries((await storage.applications.secretUses(appId)).map((use) => [use.secretHash, use.lastUsedAt]));
    expect(await uses()).toEqual({ [first.secretHash]: null });
    await storage.applications.touchSecret(first.secretHash, NOW + 5, NOW + 5 - MINUTE);
    await storage.applications.touchSecret(first.secretHash, NOW + 6, NOW + 6 - MINUTE);
    expect(await uses()).toEqual({ [first.secretHash]: NOW + 5 });
    await storage.applications.touchSecret(first.secretHash, NOW + 5 + MINUTE, NOW + 5);
    await storage.applications.rotateSecret(appId, second, NOW + MINUTE);
    expect(await uses()).toEqual({ [first.secretHash]: NOW + 5 + MINUTE, [second.secretHash]: null });
    await storage.applications.endPreviousSecrets(appId);
    await storage.applications.touchSecret(first.secretHash, NOW + 9 * MINUTE, NOW);
    expect(await uses()).toEqual({ [second.secretHash]: null });
  });

  async function createWith(first: SecretRecord): Promise<{ appId: number }> {
    const example = application({ secrets: [first] });
    await storage.applications.create(example);
    return example;
  }
});
