import { TokenServiceUnreachable } from '../port.ts';

const FAILURES_BEFORE_TROUBLE = 5;
const MAX_UNDER_WAY = 128;

export type Breaker = {
  /** Runs `act`, at once or after a call that goes ahead; `signal` ends the wait. */
  run<T>(act: () => Promise<T>, signal: AbortSignal): Promise<T>;
};

/**
 * Keeps a service in trouble from being asked by everybody at once. After a row of calls that did not reach it, one call goes ahead of
 * the others, and they are sent when it was answered. No failure is remembered: one that a caller gets is of a call that began after
 * the caller came, so who comes when the service is back is served.
 */
export function createBreaker(): Breaker {
  let failures = 0;
  let underWay = 0;
  /** The call that goes ahead; it ends with why it did not reach the service, or undefined. */
  let ahead: Promise<TokenServiceUnreachable | undefined> | undefined;

  async function send<T>(act: () => Promise<T>): Promise<T> {
    try {
      const result = await act();
      failures = 0;
      return result;
    } catch (error) {
      // Any answer at all shows that the service is there.
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
      if (underWay >= MAX_UNDER_WAY) {
        throw new TokenServiceUnreachable(`${MAX_UNDER_WAY} calls to the token service are waiting already`);
      }
      underWay += 1;
      try {
        for (let waits = 0; ahead; waits++) {
          const failure = await ahead;
          signal.throwIfAborted();
          // The first began before this caller came, and says nothing of the service as it is now.
          if (failure && waits > 0) throw failure;
        }
        return await (failures < FAILURES_BEFORE_TROUBLE ? send(act) : sendAhead(act));
      } finally {
        underWay -= 1;
      }
    },
  };
}
