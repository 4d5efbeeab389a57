import { describe, expect, it } from 'vitest';
import { TokenServiceRefused, TokenServiceUnreachable } from '../../src/tokens/port.ts';
import { createBreaker } from '../../src/tokens/remote/guarded-calls.ts';

const FOREVER = new AbortController().signal;

/** A failing service whose calls end when the test says so. */
async function createTrouble() {
  const breaker = createBreaker();
  const calls: PromiseWithResolvers<string>[] = [];
  const call = (signal = FOREVER) => {
    const running = breaker.run(() => {
      const sent = Promise.withResolvers<string>();
      calls.push(sent);
      return sent.promise;
    }, signal);
    // Awaited later.
    running.catch(() => undefined);
    return running;
  };
  const outcomesOf = async (...running: Promise<string>[]) =>
    (await Promise.allSettled(running)).map((each) => (each.status === 'fulfilled' ? each.value : each.reason.message));
  const fail = (place: number) => calls[place]?.reject(new TokenServiceUnreachable(`down ${place}`));
  for (let failures = 0; failures < 5; failures++) {
    const failed = call();
    await Promise.resolve();
    fail(failures);
    await outcomesOf(failed);
  }
  return { call, calls, fail, outcomesOf, turn: () => new Promise(setImmediate) };
}

describe('the breaker', () => {
  it('sends one call ahead after five failures, and all of them once that is answered', async () => {
    const { call, calls, outcomesOf, turn } = await createTrouble();
    const running = [call(), call(), call()];
    await turn();
    expect(calls).toHaveLength(6);
    calls[5]?.resolve('one');
    await turn();
    expect(calls).toHaveLength(8);
    for (const each of calls) each.resolve('all');
    expect(await outcomesOf(...running)).toEqual(['one', 'all', 'all']);
  });

  it('caches no failure: only calls that began before a failure get it', async () => {
    const { call, calls, fail, outcomesOf, turn } = await createTrouble();
    const before = call();
    await turn();
    const [first, second] = [call(), call()];
    fail(5);
    await turn();
    expect(calls).toHaveLength(7);
    const late = call();
    fail(6);
    expect(await outcomesOf(before, first, second)).toEqual(['down 5', 'down 6', 'down 6']);
    await turn();
    calls[7]?.resolve('back');
    expect(await late).toBe('back');
    const next = call();
    await turn();
    calls[8]?.resolve('next');
    expect(await next).toBe('next');
  });

  it('sends nothing for callers that no longer wait', async () => {
    const { call, calls, fail, outcomesOf, turn } = await createTrouble();
    const leaving = new AbortController();
    const running = [call(), call(leaving.signal)];
    await turn();
    leaving.abort(new TokenServiceUnreachable('gone'));
    fail(5);
    expect(await outcomesOf(...running)).toEqual(['down 5', 'gone']);
    expect(calls).toHaveLength(6);
  });

  it('takes a rejection for a sign of life', async () => {
    const { call, calls, outcomesOf, turn } = await createTrouble();
    const running = [call(), call(), call()];
    await turn();
    calls[5]?.reject(new TokenServiceRefused('no'));
    await turn();
    expect(calls).toHaveLength(8);
    for (const each of calls) each.resolve('yes');
    expect(await outcomesOf(...running)).toEqual(['no', 'yes', 'yes']);
  });
});
