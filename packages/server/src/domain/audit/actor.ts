import { AsyncLocalStorage } from 'node:async_hooks';

const actors = new AsyncLocalStorage<string>();

/** The audit records this actor for everything that `work` changes. */
export function actingAs<T>(actor: string, work: () => T): T {
  return actors.run(actor, work);
}

/** What an application would do by itself is done in nobody's name. */
export function actingForNobody<T>(work: () => T): T {
  return actors.exit(work);
}

/** undefined: an application at work on its own users, which is not audited. */
export function currentActor(): string | undefined {
  return actors.getStore();
}
