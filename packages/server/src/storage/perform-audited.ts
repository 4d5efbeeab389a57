import { orderedUuid } from '../ordered-uuid.ts';
import type { AuditedAct } from './audit-plan.ts';
import { AUDITED_ACTS } from './audited-acts.ts';
import type { ActCall, Authorship, Stores } from './port.ts';

type Act = (...args: unknown[]) => Promise<unknown>;
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
