import { TokenServiceUnreachable } from '../port.ts';

export type Deadlines = {
  /** Runs `act` for at most the allowed time, then rejects with TokenServiceUnreachable and aborts its signal. */
  run<T>(act: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Cancels everything in flight and all later calls. */
  close(): void;
};

export function createDeadlines(timeoutMs: number): Deadlines {
  const inFlight = new Set<AbortController>();
  let closed = false;

  return {
    async run(act) {
      if (closed) throw closing();
      const controller = new AbortController();
      const { promise: cut, reject } = Promise.withResolvers<never>();
      // Raced as well as signalled: the awaited call may be shared and outlive this caller.
      controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true });
      const timer = setTimeout(
        () => controller.abort(new TokenServiceUnreachable(`no response from the token service in ${timeoutMs} ms`)),
        timeoutMs,
      );
      inFlight.add(controller);
      try {
        return await Promise.race([act(controller.signal), cut]);
      } finally {
        clearTimeout(timer);
        inFlight.delete(controller);
      }
    },
    close() {
      closed = true;
      for (const controller of inFlight) controller.abort(closing());
    },
  };
}

function closing(): TokenServiceUnreachable {
  return new TokenServiceUnreachable('the connection to the token service is closed');
}

const FAILURES_BEFORE_TROUBLE = 5;
const MAX_IN_FLIGHT = 128;

export type Breaker = {
  /** Runs `act` now or after the probe in flight; `signal` ends the wait. */
  run<T>(act: () => Promise<T>, signal: AbortSignal): Promise<T>;
};

/**
 * Keeps a service in trouble from getting all calls at once. After several calls in a row that did not reach it, one
 * call is sent as a probe, and the others follow once it succeeds. Failures are not cached: a caller only ever gets
 * the failure of a call that began after its own, so it succeeds as soon as the service is back.
 */
export function createBreaker(): Breaker {
  let failures = 0;
  let inFlight = 0;
  /** The probe in flight; resolves to why it did not reach the service, or undefined. */
  let ahead: Promise<TokenServiceUnreachable | undefined> | undefined;

  async function send<T>(act: () => Promise<T>): Promise<T> {
    try {
      const result = await act();
      failures = 0;
      return result;
    } catch (error) {
      // Any response shows that the service is up.
      failures = error instanceof TokenServiceUnreachable ? failures + 1 : 0;
      throw error;
    }
  }

  async function sendAhead<T>(act: () => Promise<T>): Promise<T> {
    const sent = send(act);
    const end = (error?: unknown) => {
      ahead = undefined;
      return error instanceof TokenServiceUnreachable ? error : undefined;
    };
    ahead = sent.then(() => end(), end);
    return sent;
  }

  return {
    async run(act, signal) {
      if (inFlight >= MAX_IN_FLIGHT) {
        throw new TokenServiceUnreachable(`${MAX_IN_FLIGHT} calls to the token service are waiting already`);
      }
      inFlight += 1;
      try {
        for (let waits = 0; ahead; waits++) {
          const failure = await ahead;
          signal.throwIfAborted();
          // The first probe began before this call, so its failure may be outdated.
          if (failure && waits > 0) throw failure;
        }
        return await (failures < FAILURES_BEFORE_TROUBLE ? send(act) : sendAhead(act));
      } finally {
        inFlight -= 1;
      }
    },
  };
}
