import { AsyncLocalStorage } from 'node:async_hooks';

const actors = new AsyncLocalStorage<string>();

/** Everything that `work` changes is recorded in the audit under this actor. */
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
