import { orderedUuid } from '../uuid.ts';
import type { AuditedAct } from './audit-details.ts';
import { AUDITED_ACTS } from './audited-acts.ts';
import type { ActCall, Authorship, Storage, Stores } from './port.ts';

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

type LockApplication = (appId: number) => Promise<void>;

/**
 * Runs a change and writes its audit entries, on stores inside one transaction: the adapter commits on success and
 * rolls back on failure. Without `lockApplication`, nothing else writes during the transaction.
 */
export async function performAudited(
  stores: Stores,
  { actor, at }: Authorship,
  { store, act, args }: ActCall,
  lockApplication?: LockApplication,
): Promise<unknown> {
  const { locksApplication, before, entries } = (
    AUDITED_ACTS[store] as unknown as Record<string, AuditedAct<unknown[], unknown>>
  )[act] as AuditedAct<unknown[], unknown>;
  if (locksApplication) await lockApplication?.(args[0] as number);
  const earlier = await before?.(stores, ...args);
  const outcome = await (stores[store] as unknown as Record<string, Act>)[act]?.(...args);
  for (const detail of await entries(stores, outcome, earlier, ...args)) {
    const { action, appId, subject, userId = null, before, after, sharedUid } = detail;
    const entry = {
      ...{ auditUid: sharedUid ?? orderedUuid(), at, actor, action, appId, subject, userId },
      before: before === undefined ? null : JSON.stringify(before),
      after: after === undefined ? null : JSON.stringify(after),
    };
    await (sharedUid === undefined ? stores.audit.add(entry) : stores.audit.addCounts(entry));
  }
  return outcome;
}
