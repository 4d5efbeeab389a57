import { AsyncLocalStorage } from 'node:async_hooks';
import type { AuditAction, Storage } from '../storage/port.ts';
import { orderedUuid } from '../uuid.ts';

const actors = new AsyncLocalStorage<string>();

/** Everything that `work` changes is recorded in the audit log under this actor. */
export function actingAs<T>(actor: string, work: () => T): T {
  return actors.run(actor, work);
}

/** For what an application would do by itself: no actor is recorded. */
export function withoutActor<T>(work: () => T): T {
  return actors.exit(work);
}

/** undefined: an application working on its own users, which is not audited. */
export function currentActor(): string | undefined {
  return actors.getStore();
}

/** Repeated reads within this time add no entry: a page of the portal makes several requests. */
const REPEAT_MS = 15 * 60_000;
/** Beyond this many, the oldest are forgotten; their next read adds an entry early. */
const MAX_RECENT = 10_000;

export type PersonalRead = { actor: string; appId: number; userId?: string };

/**
 * Audit entries for reading personal data. The entry is written before the data is sent: if that fails, the read fails.
 * Each process tracks repeats by itself, so several replicas may each add an entry.
 */
export class UserReads {
  readonly #audit: Storage['audit'];
  readonly #now: () => number;
  readonly #recent = new Map<string, { at: number; written: Promise<void> }>();

  constructor({ audit }: Pick<Storage, 'audit'>, now: () => number) {
    this.#audit = audit;
    this.#now = now;
  }

  /** For one user, or the list of users. Once per actor within 15 minutes. */
  async record({ actor, appId, userId }: PersonalRead): Promise<void> {
    const key = JSON.stringify([actor, appId, userId]);
    const at = this.#now();
    const last = this.#recent.get(key);
    // Not if the clock was set back since.
    if (last && Math.abs(at - last.at) < REPEAT_MS) return last.written;
    const action = userId === undefined ? 'users.listed' : 'user.read';
    const written = addEntry(this.#audit, action, { actor, appId, ...(userId !== undefined && { userId }) }, at);
    // Delete first, to keep the map in order of time.
    this.#recent.delete(key);
    this.#recent.set(key, { at, written });
    const [oldest] = this.#recent.keys();
    if (this.#recent.size > MAX_RECENT) this.#recent.delete(oldest as string);
    try {
      await written;
    } catch (error) {
      if (this.#recent.get(key)?.written === written) this.#recent.delete(key);
      throw error;
    }
  }
}

/** For one user. Every export has an entry. */
export function recordExport(
  audit: Storage['audit'],
  read: PersonalRead & { userId: string },
  at: number,
): Promise<void> {
  return addEntry(audit, 'user.exported', read, at);
}

/** Anyone with the link can change the user's selections. */
export function recordLink(audit: Storage['audit'], read: PersonalRead, at: number): Promise<void> {
  return addEntry(audit, 'user.linkCreated', read, at);
}

export function addEntry(
  audit: Storage['audit'],
  action: AuditAction,
  { actor, appId, userId }: PersonalRead,
  at: number,
  after?: object,
): Promise<void> {
  const what = { auditUid: orderedUuid(), at, actor, action, appId, subject: '', userId: userId ?? null };
  return audit.add({ ...what, before: null, after: after === undefined ? null : JSON.stringify(after) });
}
