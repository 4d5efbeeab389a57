import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storageDriver } from '../../src/storage/open.ts';
import type { Storage } from '../../src/storage/port.ts';
import { databases } from '../databases.ts';
import { hash, NOW, times } from './examples.ts';

describe.each(databases)('allowances on $kind', (database) => {
  let storage: Storage;
  beforeAll(async () => {
    storage = await (await storageDriver(await database.fresh())).open();
  });
  afterAll(() => storage.close());

  test('what is used adds up, from now on at the earliest, and is forgotten once it is earned back', async () => {
    const [ada, eve] = [hash(), hash()] as [string, string];
    const spend = (now: number, ...spendings: [string, number][]) =>
      storage.rateLimits.spend(
        spendings.map(([subjectHash, ms]) => ({ subjectHash, ms })),
        now,
      );
    expect(await spend(NOW, [ada, 100], [eve, 7])).toEqual([NOW + 100, NOW + 7]);
    expect(await spend(NOW + 50, [eve, 5], [ada, 10])).toEqual([NOW + 55, NOW + 110]);
    expect(await spend(NOW, [ada, 0])).toEqual([NOW + 110]);
    await storage.purgeExpired(NOW + 60);
    expect(await spend(NOW, [eve, 1], [ada, 1])).toEqual([NOW + 1, NOW + 111]);
  });

  test('many at once, in any order, lose nothing and do not block each other', async () => {
    const subjects = times(20, () => hash());
    const spend = (whose: string[], ms: number) =>
      storage.rateLimits.spend(
        whose.map((subjectHash) => ({ subjectHash, ms })),
        NOW,
      );
    await Promise.all(times(50, (round) => spend(round % 2 === 0 ? subjects : subjects.toReversed(), 2)));
    const ends = await spend(subjects, 0);
    expect(new Set(ends)).toEqual(new Set([NOW + 100]));
  });
});
