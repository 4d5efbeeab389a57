import { isInnkeeperError, ownError } from './error.ts';

/**
 * Runs a function so that everything it throws, now or later, is an InnkeeperError: an unexpected error was caused by
 * the arguments.
 */
export function withInnkeeperErrors<T>(act: () => T): T {
  const rethrow = (cause: unknown): never => {
    if (isInnkeeperError(cause)) throw cause;
    throw ownError('misused', `Invalid call: ${cause instanceof Error ? cause.message : typeof cause}`, {
      cause,
    });
  };
  try {
    const result = act();
    return result instanceof Promise ? (result.catch(rethrow) as T) : result;
  } catch (cause) {
    return rethrow(cause);
  }
}

/** Does the same for each function of a client. */
export function allWithInnkeeperErrors<T extends object>(make: () => T): T {
  const client = withInnkeeperErrors(make) as Record<string, (...given: unknown[]) => unknown>;
  const guarded = Object.entries(client).map(([name, act]) => [
    name,
    (...given: unknown[]) => withInnkeeperErrors(() => act(...given)),
  ]);
  return Object.fromEntries(guarded);
}
