import { setTimeout as sleep } from 'node:timers/promises';
import { StorageUnavailable } from '../../src/storage/port.ts';

/** What a caller does that is told to try again later. */
export async function eventually<T>(act: () => Promise<T>): Promise<T> {
  for (const deadline = Date.now() + 30_000; ; ) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof StorageUnavailable) || Date.now() > deadline) throw error;
      await sleep(50);
    }
  }
}
