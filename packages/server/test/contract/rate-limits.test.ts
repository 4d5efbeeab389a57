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

  const windowMs = 60_000;
  const spend = (now: number, ...spendings: [string, number][]) =>
    storage.rateLimits.spend(
      spendings.map(([subjectHash, ms]) => ({ subjectHash, ms, windowMs })),
      now,
    );

  test('usage adds up, starts now at the earliest, and is forgotten once refilled', async () => {
    const [ada, eve] = [hash(), hash()] as [string, string];
    expect(await spend(NOW, [ada, 100], [eve, 7])).toEqual([100, 7]);
    expect(await spend(NOW + 50, [eve, 5], [ada, 10])).toEqual([5, 60]);
    expect(await spend(NOW, [ada, 0])).toEqual([110]);
    await storage.purgeExpired(NOW + 60);
    expect(await spend(NOW, [eve, 1], [ada, 1])).toEqual([1, 111]);
  });

  test('usage never exceeds the whole allowance', async () => {
    const [ada] = [hash()];
    expect(await spend(NOW, [ada, windowMs - 1])).toEqual([windowMs - 1]);
    expect(await spend(NOW, [ada, 600])).toEqual([windowMs]);
    expect(await spend(NOW + 600, [ada, 0])).toEqual([windowMs - 600]);
    // Recorded by a replica whose clock is a few milliseconds ahead: still used up.
    expect(await spend(NOW - 20, [ada, 0])).toEqual([windowMs]);
  });

  test('a clock that was an hour or a month ahead costs no one the allowance', async () => {
    for (const ahead of [3_600_000, 30 * 86_400_000]) {
      const [ada] = [hash()];
      expect(await spend(NOW + ahead, [ada, 600])).toEqual([600]);
      expect(await spend(NOW, [ada, 600])).toEqual([600]);
      expect(await spend(NOW, [ada, 600])).toEqual([1200]);
    }
  });

  test('many concurrent writes, in any order, lose nothing and do not deadlock', async () => {
    const subjects = times(20, () => hash());
    const spendAll = (whose: string[], ms: number) =>
      spend(NOW, ...whose.map((subjectHash): [string, number] => [subjectHash, ms]));
    await Promise.all(times(50, (round) => spendAll(round % 2 === 0 ? subjects : subjects.toReversed(), 2)));
    expect(new Set(await spendAll(subjects, 0))).toEqual(new Set([100]));
  });
});
