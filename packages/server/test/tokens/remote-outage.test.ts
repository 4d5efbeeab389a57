import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { TokenServiceUnreachable } from '../../src/tokens/port.ts';
import type { Fault } from './oidc-provider-main.ts';
import { type OidcProviderProcess, startOidcProvider } from './oidc-provider-process.ts';
import { connect, createInnkeeperKey, request } from './remote-service.ts';

const { signSubjectToken, trustJwks } = await createInnkeeperKey();
let provider: OidcProviderProcess;

beforeAll(async () => {
  provider = await startOidcProvider({ trustJwks });
});
afterEach(() => provider.fail('none'));
afterAll(() => provider.stop());

async function requestsSeen(): Promise<number> {
  const { requests } = await provider.seen();
  return Object.values(requests).reduce((sum, count) => sum + count, 0);
}

// Together, each with a server of its own: they mostly wait.
describe.concurrent('an outage', () => {
  const faults: Array<Fault | 'refused'> = [
    'refused',
    'black-hole',
    '5xx',
    'slow',
    { path: '/token', status: 429, body: '{"error":"slow_down"}' },
  ];
  it.each(faults)('%j: unreachable in time, metadata known or not, and good again afterwards', async (fault) => {
    const failing = await startOidcProvider({ trustJwks });
    try {
      const warm = connect(failing, { signSubjectToken });
      const cold = connect(failing, { signSubjectToken });
      await warm.ping();
      await failing.fail(fault);
      const started = performance.now();
      await Promise.all(
        [warm, cold].map((service) => expect(service.issue(request)).rejects.toThrow(TokenServiceUnreachable)),
      );
      expect(performance.now() - started).toBeLessThan(10_000);
      await failing.fail('none');
      await expect(warm.issue(request)).resolves.toBeDefined();
      // A failed discovery is not tried again for a second.
      await vi.waitFor(() => cold.issue(request), { timeout: 30_000 });
    } finally {
      await failing.stop();
    }
  });
});

describe('a service in trouble', () => {
  it('is left to rest, and found again by itself', async () => {
    const service = connect(provider, { signSubjectToken });
    await service.ping();
    await provider.fail('5xx');
    const before = await requestsSeen();
    const until = performance.now() + 1_500;
    let refused = 0;
    while (performance.now() < until) {
      await expect(service.issue(request)).rejects.toThrow(TokenServiceUnreachable);
      refused += 1;
      await sleep(2);
    }
    expect(refused).toBeGreaterThan(10);
    // Five, then one probe after about 0.25, 0.5 and 1 s of rest.
    expect((await requestsSeen()) - before).toBeLessThanOrEqual(8);
    await provider.fail('none');
    await vi.waitFor(() => service.issue(request), { timeout: 30_000 });
  });

  it('is sent no more than 128 calls at a time, and none waits longer than the limit', async () => {
    const service = connect(provider, { signSubjectToken });
    await service.ping();
    await provider.fail('black-hole');
    const before = await requestsSeen();
    const started = performance.now();
    const outcomes = await Promise.allSettled(Array.from({ length: 1_000 }, () => service.issue(request)));
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    expect((await requestsSeen()) - before).toBeLessThanOrEqual(128);
  });

  it('is asked for its metadata once by all who wait', async () => {
    await provider.fail('5xx');
    const before = await requestsSeen();
    const service = connect(provider, { signSubjectToken });
    await Promise.allSettled(Array.from({ length: 100 }, () => service.issue(request)));
    await Promise.allSettled(Array.from({ length: 100 }, () => service.identify('a-token')));
    expect((await requestsSeen()) - before).toBe(1);
  });
});
