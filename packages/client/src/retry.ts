import type { InnkeeperError } from './error.ts';
import { abortedError } from './limits.ts';
import type { Method } from './operation.ts';

/** The client does not wait longer than this: the caller decides. */
const MAX_WAIT_MS = 10_000;

/**
 * Milliseconds until the request may be retried; undefined: it must not be. After 429 nothing was done, so anything may
 * be retried; after 503 it may have been done, so only repeatable requests are. Without a response from the service,
 * only requests with an idempotency key are retried.
 */
export function waitBefore(
  attempt: number,
  { status, code, retryAfter = 0 }: InnkeeperError,
  method: Method,
  repeatable: boolean | 'keyed' = method === 'get',
): number | undefined {
  const isLost = status === 502 || code === 'unreachable' || code === 'timeout';
  if (status !== 429 && !(status === 503 && repeatable) && !(isLost && repeatable === 'keyed')) return undefined;
  const wait = retryAfter * 1000 + Math.random() * 250 * 2 ** attempt;
  return wait <= MAX_WAIT_MS ? wait : undefined;
}

export async function pause(ms: number, signal: AbortSignal | undefined, operation?: string): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
    if (signal?.aborted) done();
  });
  if (signal?.aborted) throw abortedError(operation, signal);
}
