import { TokenServiceUnreachable } from '../port.ts';

const FAILURES_BEFORE_REST = 5;
const FIRST_REST_MS = 250;
const LONGEST_REST_MS = 5_000;
const MAX_UNDER_WAY = 128;

export type Breaker = {
  /** Runs `act`, or rejects with TokenServiceUnreachable at once while the service is left to rest. */
  run<T>(act: () => Promise<T>): Promise<T>;
};

/**
 * Keeps a service in trouble from being asked again and again, and our callers from each waiting out the time limit.
 * After a row of calls that did not reach it, it is left alone for a growing time; then one call goes ahead of the others.
 */
export function createBreaker({ now = () => performance.now(), random = Math.random } = {}): Breaker {
  let failures = 0;
  let restMs = 0;
  let restUntil = 0;
  let probing = false;
  let underWay = 0;

  function rest(ms: number): void {
    restMs = Math.min(ms, LONGEST_REST_MS);
    // Spread, so that replicas do not come back in step.
    restUntil = now() + restMs * (0.75 + random() / 2);
  }

  /** Any answer at all shows that the service is there. */
  function recordAnswer(): void {
    failures = 0;
  }

  function recordFailure(isProbe: boolean): void {
    failures += 1;
    if (isProbe) rest(restMs * 2);
    // Later ones set out before the rest began, and say nothing new.
    else if (failures === FAILURES_BEFORE_REST) rest(FIRST_REST_MS);
  }

  return {
    async run(act) {
      const isProbe = failures >= FAILURES_BEFORE_REST;
      if (isProbe && (probing || now() < restUntil)) {
        throw new TokenServiceUnreachable('the token service did not answer several times in a row');
      }
      if (underWay >= MAX_UNDER_WAY) {
        throw new TokenServiceUnreachable(`${MAX_UNDER_WAY} calls to the token service are waiting already`);
      }
      if (isProbe) probing = true;
      underWay += 1;
      try {
        const result = await act();
        recordAnswer();
        return result;
      } catch (error) {
        if (error instanceof TokenServiceUnreachable) recordFailure(isProbe);
        else recordAnswer();
        throw error;
      } finally {
        underWay -= 1;
        if (isProbe) probing = false;
      }
    },
  };
}
