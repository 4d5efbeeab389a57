import { type InnkeeperError, ownError } from './error.ts';

/** How long something may take, and until when anybody wants it. */
export type Limits = { timeout: number; signal: AbortSignal | undefined; operation: string };

/** More is none for timers. */
const LONGEST_MS = 2 ** 31 - 1;

/** Runs what ends when the signal does; or, if it does not listen, is not waited for any longer. */
export async function within<T>(
  { timeout, signal, operation }: Limits,
  act: (limit: AbortSignal | undefined) => Promise<T>,
  failed: (cause: unknown) => InnkeeperError,
): Promise<T> {
  let timer: AbortSignal | undefined;
  try {
    if (timeout > 0) timer = AbortSignal.timeout(Math.min(Math.ceil(timeout), LONGEST_MS));
    const limits = [signal, timer].filter((each) => each !== undefined);
    const limit = limits.length > 0 ? AbortSignal.any(limits) : undefined;
    return await (limit ? raced(act(limit), limit) : act(limit));
  } catch (cause) {
    if (signal?.aborted) throw abortedError(operation, signal);
    if (timer?.aborted) throw ownError('timeout', `There was no answer within ${timeout} ms.`, { operation, cause });
    throw failed(cause);
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
  return ownError('aborted', 'It is no longer wanted.', { operation, cause: signal.reason });
}
