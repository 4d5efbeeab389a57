import { isInnkeeperError, ownError } from './error.ts';

/** Runs it; whatever is thrown, at once or later, is of the one class: what nobody expected comes of what was given. */
export function ofOneClass<T>(act: () => T): T {
  const told = (cause: unknown): never => {
    if (isInnkeeperError(cause)) throw cause;
    throw ownError('misused', `This makes no sense: ${cause instanceof Error ? cause.message : typeof cause}`, {
      cause,
    });
  };
  try {
    const result = act();
    return result instanceof Promise ? (result.catch(told) as T) : result;
  } catch (cause) {
    return told(cause);
  }
}

/** A client with the same of each of its functions. */
export function ofOneClassAll<T extends object>(make: () => T): T {
  const client = ofOneClass(make) as Record<string, (...given: unknown[]) => unknown>;
  const guarded = Object.entries(client).map(([name, act]) => [
    name,
    (...given: unknown[]) => ofOneClass(() => act(...given)),
  ]);
  return Object.fromEntries(guarded);
}
