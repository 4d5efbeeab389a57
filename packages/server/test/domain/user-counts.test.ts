import { expect, test } from 'vitest';
import { UserCounts } from '../../src/domain/applications/user-counts.ts';

/** Counts that the test completes one by one. */
function counted() {
  let now = 0;
  const pending: ((users: number) => void)[] = [];
  const countUsers = () => new Promise<number>((resolve) => pending.push(resolve));
  const countWalk = async (_: number, __: unknown, atMost: number) => atMost;
  const counts = new UserCounts({ applications: { countUsers }, users: { countWalk } } as never, () => now);
  const answer = async (users: number, ms: number) => {
    now += ms;
    pending.shift()?.(users);
    await new Promise(setImmediate);
  };
  const pass = (ms: number): void => {
    now += ms;
  };
  return { counts, pending, answer, pass };
}

test('few users are counted for each reader', async () => {
  const { counts, answer } = counted();
  for (const users of [3, 4]) {
    const read = counts.exact(1);
    await answer(users, 1_000);
    expect(await read).toBe(users);
  }
});

test('many users are counted once for several readers, and again after ten times as long', async () => {
  const { counts, pending, answer, pass } = counted();
  const both = Promise.all([counts.exact(1), counts.exact(1)]);
  expect(pending).toHaveLength(1);
  await answer(5_000_000, 2_000);
  expect(await both).toEqual([5_000_000, 5_000_000]);
  pass(20_000);
  expect(await counts.exact(1)).toBe(5_000_000);
  expect(pending).toHaveLength(0);
  pass(1);
  expect(await counts.exact(1)).toBe(5_000_000);
  expect(pending).toHaveLength(1);
  await answer(5_000_001, 2_000);
  expect(await counts.exact(1)).toBe(5_000_001);
});

test('a reader of the totals does not wait until millions are counted', async () => {
  const { counts, answer } = counted();
  expect(await counts.read(1)).toEqual({ users: 10_000, moreUsers: true });
  await answer(5_000_000, 9_000);
  expect(await counts.read(1)).toEqual({ users: 5_000_000, moreUsers: false });
});
