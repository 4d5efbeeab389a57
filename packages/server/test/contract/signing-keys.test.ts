import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import type { Storage } from '../../src/storage/port.ts';
import { databases } from '../databases.ts';
import { MINUTE, NOW, signingKey, tally, times } from './examples.ts';

describe.each(databases)('signing keys on $kind', (database) => {
  let storage: Storage;
  beforeEach(async () => {
    storage = await (await storageDriver(await database.fresh())).open();
  });
  afterEach(() => storage.close());

  test('a new generation sets when the private keys of the previous ones are erased', async () => {
    const [first, second, third] = [signingKey(1), signingKey(2), signingKey(3)];
    expect(await storage.signingKeys.list()).toEqual([]);
    expect(await storage.signingKeys.add(first, NOW)).toBe('added');
    expect(await storage.signingKeys.list()).toEqual([first]);
    expect(await storage.signingKeys.add(second, NOW + MINUTE)).toBe('added');
    expect(await storage.signingKeys.add(third, NOW + 2 * MINUTE)).toBe('added');
    expect(await storage.signingKeys.list()).toEqual([
      { ...first, eraseAt: NOW + MINUTE },
      { ...second, eraseAt: NOW + 2 * MINUTE },
      third,
    ]);
  });

  test('of many replicas that add the same generation, one succeeds', async () => {
    const keys = times(12, () => signingKey(1));
    expect(await tally(keys.map((key) => storage.signingKeys.add(key, NOW)))).toEqual({ added: 1, taken: 11 });
    const found = await storage.signingKeys.list();
    expect(found).toHaveLength(1);
    expect(keys).toContainEqual(found[0]);
  });

  test('a generation that already exists changes nothing', async () => {
    const [first, second] = [signingKey(1), signingKey(2)];
    await storage.signingKeys.add(first, NOW);
    await storage.signingKeys.add(second, NOW + MINUTE);
    expect(await storage.signingKeys.add(signingKey(2), NOW + 9 * MINUTE)).toBe('taken');
    expect(await storage.signingKeys.list()).toEqual([{ ...first, eraseAt: NOW + MINUTE }, second]);
  });
});
