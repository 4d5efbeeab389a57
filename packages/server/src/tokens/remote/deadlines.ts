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
        () => controller.abort(new TokenServiceUnreachable(`no answer from the token service in ${timeoutMs} ms`)),
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
