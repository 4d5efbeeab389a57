import { describe, expect, it } from 'vitest';
import { TokenServiceRefused, TokenServiceUnreachable } from '../../src/tokens/port.ts';
import { createBreaker } from '../../src/tokens/remote/breaker.ts';

function createBrokenService(random = 0.5) {
  const clock = { now: 0 };
  const breaker = createBreaker({ now: () => clock.now, random: () => random });
  let reached = 0;
  const call = (act: () => Promise<unknown>) =>
    breaker.run(() => {
      reached += 1;
      return act();
    });
  const outage = () => Promise.reject(new TokenServiceUnreachable('down'));
  return {
    clock,
    call,
    reached: () => reached,
    async failOnce() {
      await expect(call(outage)).rejects.toThrow(TokenServiceUnreachable);
    },
  };
}

describe('the breaker', () => {
  it('lets the service rest after five failures in a row, longer each time, up to five seconds', async () => {
    const { clock, failOnce, reached } = createBrokenService();
    for (let failures = 0; failures < 50; failures += 1) await failOnce();
    expect(reached()).toBe(5);
    const probedAt: number[] = [];
    for (; clock.now < 20_000; clock.now += 10) {
      const before = reached();
      await failOnce();
      if (reached() > before) probedAt.push(clock.now);
    }
    const rests = probedAt.map((at, index) => at - (probedAt[index - 1] ?? 0));
    expect(rests).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]);
  });

  it('spreads the rest, so that replicas do not come back in step', async () => {
    for (const [random, rest] of [
      [0, 187.5],
      [1, 312.5],
    ] as const) {
      const { clock, failOnce, reached } = createBrokenService(random);
      for (let failures = 0; failures < 5; failures += 1) await failOnce();
      clock.now = rest - 1;
      await failOnce();
      expect(reached()).toBe(5);
      clock.now = rest;
      await failOnce();
      expect(reached()).toBe(6);
    }
  });

  it('sends one call ahead after a rest, and all of them once that was answered', async () => {
    const { clock, call, failOnce, reached } = createBrokenService();
    for (let failures = 0; failures < 5; failures += 1) await failOnce();
    clock.now = 1_000;
    const probe = Promise.withResolvers<string>();
    const probing = call(() => probe.promise);
    await failOnce();
    expect(reached()).toBe(6);
    probe.resolve('answered');
    expect(await probing).toBe('answered');
    await failOnce();
    await failOnce();
    expect(reached()).toBe(8);
  });

  it('takes a refusal for a sign of life', async () => {
    const { call, failOnce, reached } = createBrokenService();
    for (let round = 0; round < 10; round += 1) {
      for (let failures = 0; failures < 4; failures += 1) await failOnce();
      await expect(call(() => Promise.reject(new TokenServiceRefused('no')))).rejects.toThrow(TokenServiceRefused);
    }
    expect(reached()).toBe(50);
  });
});
