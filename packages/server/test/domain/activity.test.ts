import { expect, test } from 'vitest';
import { ActivityCounter } from '../../src/domain/activity.ts';
import type { ActivityCount, Storage } from '../../src/storage/port.ts';

test('counts that could not be stored are added up by hour', async () => {
  let isAway = true;
  let now = Date.UTC(2026, 10, 18, 9);
  const stored: ActivityCount[] = [];
  const storage = {
    activity: {
      async add(counts: readonly ActivityCount[]) {
        if (isAway) throw new Error('away');
        stored.push(...counts);
      },
    },
  } as unknown as Storage;
  const failures: unknown[] = [];
  const counter = new ActivityCounter(
    storage,
    () => now,
    (error) => failures.push(error),
  );
  for (const [hour, count] of [
    [9, 3],
    [10, 2],
  ] as const) {
    for (let time = 0; time < count; time++) {
      now = Date.UTC(2026, 10, 18, hour, time);
      counter.count(1, 'requests');
      await counter.flush();
    }
  }
  isAway = false;
  await counter.close();
  expect(failures).toHaveLength(5);
  expect(stored).toEqual([
    { appId: 1, name: 'requests', count: 3, lastAt: Date.UTC(2026, 10, 18, 9, 2) },
    { appId: 1, name: 'requests', count: 2, lastAt: Date.UTC(2026, 10, 18, 10, 1) },
  ]);
});
