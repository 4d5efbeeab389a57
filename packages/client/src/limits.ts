import { type InnkeeperError, ownError } from './error.ts';

/** How long a call may take, and a signal that cancels it. */
export type Limits = { timeout: number; signal: AbortSignal | undefined; operation: string };

/** The maximum of timers. */
const MAX_MS = 2 ** 31 - 1;

/** Runs an act until the signal aborts; stops waiting even if the act ignores the signal. */
export async function within<T>(
  { timeout, signal, operation }: Limits,
  act: (limit: AbortSignal) => Promise<T>,
  failed: (cause: unknown) => InnkeeperError,
): Promise<T> {
  // AbortSignal.any and AbortSignal.timeout are newer than the supported browsers.
  const control = new AbortController();
  const end = () => control.abort(signal?.reason);
  let isLate = false;
  const late = () => {
    isLate = true;
    control.abort();
  };
  const timer = timeout > 0 ? setTimeout(late, Math.min(Math.ceil(timeout), MAX_MS)) : undefined;
  try {
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
    return await raced(act(control.signal), control.signal);
  } catch (cause) {
    if (signal?.aborted) throw abortedError(operation, signal);
    if (isLate) throw ownError('timeout', `No response within ${timeout} ms.`, { operation, cause });
    throw failed(cause);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}

function raced<T>(running: Promise<T>, limit: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => reject(limit.reason);
    limit.addEventListener('abort', end);
    if (limit.aborted) end();
    running.then(resolve, reject).finally(() => limit.removeEventListener('abort', end));
  });
}

export function abortedError(operation: string | undefined, signal: AbortSignal): InnkeeperError {
  return ownError('aborted', 'The call was aborted.', { operation, cause: signal.reason });
}
