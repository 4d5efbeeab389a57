import type { Storage } from '../storage/port.ts';
import { Durations } from './durations.ts';

/** In seconds. Few, because every storage call has its own row. */
const BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5];

/** Durations of storage calls, by name, such as `users.create`. */
export type ActDurations = ReadonlyMap<string, Durations>;

type Act = (...args: unknown[]) => Promise<unknown>;

/** Wraps a storage to measure every call, from start to result or error, including waiting. */
export function timedStorage(storage: Storage): { storage: Storage; durations: ActDurations } {
  const durations = new Map<string, Durations>();
  const timed: Record<string, unknown> = { ...storage };
  for (const [store, acts] of Object.entries(storage)) {
    if (typeof acts !== 'object') continue;
    const own = Object.entries(acts as Record<string, Act>).map(([name, act]) => {
      const ofAct = new Durations(BUCKETS);
      durations.set(`${store}.${name}`, ofAct);
      return [name, timedAct(act, ofAct)];
    });
    timed[store] = Object.fromEntries(own);
  }
  return { storage: timed as unknown as Storage, durations };
}

function timedAct(act: Act, durations: Durations): Act {
  return (...args) => {
    const startedAt = performance.now();
    const outcome = act(...args);
    const end = (): void => durations.add((performance.now() - startedAt) / 1000);
    outcome.then(end, end);
    return outcome;
  };
}
