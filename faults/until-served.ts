import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from './client.ts';

/** How long it takes until a write is acknowledged; gives up after a time, and says so. */
export async function untilServed(client: Client, timeoutMs: number): Promise<number> {
  const before = performance.now();
  for (;;) {
    const { exists } = await client.create();
    const took = performance.now() - before;
    if (exists === 'yes' || took > timeoutMs) return took;
    await sleep(20);
  }
}
