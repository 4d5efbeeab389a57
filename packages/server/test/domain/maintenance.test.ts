import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runMaintenance } from '../../src/domain/maintenance.ts';
import type { Storage } from '../../src/storage/port.ts';

// Only what it uses: other suites of this process may have timers of their own.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

test('a run that takes longer than the interval is not joined by another, and is awaited at the end', async () => {
  const purges: (() => void)[] = [];
  const purgeExpired = () => new Promise<number>((resolve) => purges.push(() => resolve(0)));
  const storage = { purgeExpired, applications: { list: async () => [] } } as unknown as Storage;
  const keys = { rotateIfDue: async () => {} };
  const clock = { mayPurgeBefore: async () => 1, mayRotate: true };
  const maintenance = runMaintenance(storage, keys, clock, (error) => {
    throw error;
  });
  await vi.advanceTimersByTimeAsync(300_000);
  expect(purges).toHaveLength(1);
  let isStopped = false;
  const stopping = maintenance.stop().then(() => (isStopped = true));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(isStopped).toBe(false);
  purges[0]?.();
  await stopping;
});
