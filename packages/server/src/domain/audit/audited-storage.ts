import type { Storage } from '../../storage/port.ts';
import { orderedUuid } from '../ordered-uuid.ts';
import { currentActor } from './actor.ts';
import { AUDITED_ACTS, type Told } from './audited-acts.ts';

type Act = (...args: unknown[]) => Promise<unknown>;
type Telling = {
  before?(storage: Storage, ...args: unknown[]): Promise<unknown>;
  tell(storage: Storage, outcome: unknown, before: unknown, ...args: unknown[]): Told[] | Promise<Told[]>;
};

/**
 * The same storage, which tells the audit of every change that somebody makes through /manage/v1 or the command line:
 * whoever changes something cannot forget it. An entry is written right after its change, not with it: a process that
 * is killed between the two, or a database that goes away there, leaves a change without one. What an application does
 * to its own users has no actor, and passes untouched.
 */
export function auditedStorage(storage: Storage, now: () => number, onFailure: (error: unknown) => void): Storage {
  const told = async (actor: string, act: Act, telling: Telling, args: unknown[]): Promise<unknown> => {
    const before = await telling.before?.(storage, ...args);
    const outcome = await act(...args);
    try {
      for (const each of await telling.tell(storage, outcome, before, ...args)) {
        await storage.audit.add({
          auditUid: orderedUuid(),
          at: now(),
          actor,
          action: each.action,
          appId: each.appId,
          subject: each.subject,
          userId: each.userId ?? null,
          before: each.before === undefined ? null : JSON.stringify(each.before),
          after: each.after === undefined ? null : JSON.stringify(each.after),
        });
      }
    } catch (error) {
      // The change is made: whoever made it is answered so.
      onFailure(error);
    }
    return outcome;
  };

  const audited: Record<string, unknown> = { ...storage };
  for (const [store, acts] of Object.entries(AUDITED_ACTS)) {
    const plain = storage[store as keyof typeof AUDITED_ACTS] as unknown as Record<string, Act>;
    const wrapped: Record<string, Act> = { ...plain };
    for (const [name, telling] of Object.entries(acts as Record<string, string | Telling>)) {
      const act = plain[name] as Act;
      if (typeof telling === 'string') continue;
      wrapped[name] = (...args) => {
        const actor = currentActor();
        return actor === undefined ? act(...args) : told(actor, act, telling, args);
      };
    }
    audited[store] = wrapped;
  }
  return audited as unknown as Storage;
}
