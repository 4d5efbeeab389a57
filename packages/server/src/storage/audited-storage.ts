import { AUDITED_ACTS } from './audited-acts.ts';
import type { Storage, Stores } from './port.ts';

type Act = (...args: unknown[]) => Promise<unknown>;

/**
 * Wraps a storage so that every change made through /manage/v1 or the command line is audited: no caller can forget it.
 * An application's changes to its own users have no actor and are not audited.
 */
export function auditedStorage(storage: Storage, currentActor: () => string | undefined, now: () => number): Storage {
  const stores: Record<string, Record<string, Act>> = {};
  for (const [store, plans] of Object.entries(AUDITED_ACTS) as [keyof Stores, Record<string, string | object>][]) {
    const plain = storage[store] as unknown as Record<string, Act>;
    const acts: Record<string, Act> = { ...plain };
    for (const [act, plan] of Object.entries(plans)) {
      if (typeof plan === 'string' || !('entries' in plan)) continue;
      acts[act] = (...args) => {
        const actor = currentActor();
        if (actor === undefined) return (plain[act] as Act)(...args);
        return storage.audited({ actor, at: now() }, { store, act, args });
      };
    }
    stores[store] = acts;
  }
  return { ...storage, ...(stores as unknown as Stores) };
}
