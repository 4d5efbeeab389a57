import { afterEach, expect, test, vi } from 'vitest';
import { runMaintenance } from '../../src/domain/maintenance.ts';
import type { Storage } from '../../src/storage/port.ts';
import { sqliteDriver } from '../../src/storage/sqlite/index.ts';
import { orderedUuid } from '../../src/uuid.ts';
import { createApplication, NOW, times, user } from '../contract/examples.ts';
import { scratchFile } from '../scratch-file.ts';

afterEach(() => void vi.useRealTimers());

test('a backlog takes several runs: each moves the mark of the clock first', async () => {
  const storage = await sqliteDriver(scratchFile('db')).open();
  const appId = await createApplication(storage);
  const entries = times(8_000, () => {
    const { clientUserId, clientUserName, userId } = user(appId);
    return { clientUserId, clientUserName, userId: null, newUserId: userId, createdAt: NOW, selections: [] };
  });
  await storage.transfer.importUsers(appId, entries, { at: 1, ifThere: 'compare', importId: orderedUuid() });
  let runs = 0;
  const mayPurgeBefore = async () => {
    runs++;
    return Date.now();
  };
  const clock = { mayPurgeBefore, mayRotate: false };
  const purgedIn: number[] = [];
  const events = {
    ...storage.events,
    async purge(...args: Parameters<Storage['events']['purge']>) {
      const purged = await storage.events.purge(...args);
      purgedIn.push(...times(purged, () => runs));
      return purged;
    },
  };
  const keys = { rotateIfDue: async () => {} };
  const failures: unknown[] = [];
  const maintenance = runMaintenance({ ...storage, events }, keys, clock, (error) => failures.push(error), 100);
  await expect.poll(() => purgedIn.length, { timeout: 60_000 }).toBe(8_000);
  await maintenance.stop();
  await storage.close();
  expect(failures).toEqual([]);
  expect(new Set(purgedIn).size).toBeGreaterThan(1);
});

test('a run that takes longer than the interval is not joined by another, and is awaited at the end', async () => {
  // Only the timers that it uses: other test files in this process may need the rest.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
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
