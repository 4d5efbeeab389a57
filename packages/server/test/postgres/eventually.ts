import { setTimeout as sleep } from 'node:timers/promises';
import { StorageUnavailable } from '../../src/storage/port.ts';

/** Retries like a caller that gets Retry-After. */
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
