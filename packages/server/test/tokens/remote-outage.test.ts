import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { TokenServiceRefused, TokenServiceUnreachable } from '../../src/tokens/port.ts';
import { awakeTime } from '../awake-time.ts';
import type { Fault } from './oidc-provider-main.ts';
import { type OidcProviderProcess, startOidcProvider } from './oidc-provider-process.ts';
import { connect, createInnkeeperKey, request, USUAL_TIMEOUT } from './remote-service.ts';

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

// In parallel, each with its own server, because they mostly wait.
describe.concurrent('an outage', () => {
  const faults: Array<Fault | 'refused'> = [
    'refused',
    'black-hole',
    '5xx',
    'slow',
    { path: '/token', status: 504, body: 'no answer in time' },
  ];
  it.each(faults)('%j: unreachable in time, metadata known or not, and usable again afterwards', async (fault) => {
    const failing = await startOidcProvider({ trustJwks });
    try {
      const limit = fault === 'black-hole' || fault === 'slow' ? USUAL_TIMEOUT : {};
      const warm = connect(failing, { signSubjectToken, ...limit });
      const cold = connect(failing, { signSubjectToken, ...limit });
      await vi.waitFor(() => warm.ping(), { timeout: 60_000 });
      await failing.fail(fault);
      const refusals = () =>
        Promise.all(
          [warm, cold].map((service) => expect(service.issue(request)).rejects.toThrow(TokenServiceUnreachable)),
        );
      expect(await awakeTime(refusals)).toBeLessThan(10_000);
      await failing.fail('none');
      // On a busy machine, a call may exceed its 2 seconds.
      for (const service of [warm, cold]) await vi.waitFor(() => service.issue(request), { timeout: 60_000 });
    } finally {
      await failing.stop();
    }
  });
});

describe('a failing service', () => {
  it('gets one call at a time, and is detected again by the next', async () => {
    const service = connect(provider, { signSubjectToken });
    await service.ping();
    await provider.fail('5xx');
    const unreachable = () => expect(service.issue(request)).rejects.toThrow(TokenServiceUnreachable);
    for (let failures = 0; failures < 5; failures++) await unreachable();
    const before = await requestsSeen();
    await Promise.all(Array.from({ length: 100 }, unreachable));
    // One was in flight when the others arrived, and one began afterwards.
    expect((await requestsSeen()) - before).toBe(2);
    await provider.fail('none');
    await expect(service.issue(request)).resolves.toBeDefined();
  });

  it.each([
    { path: '/token', status: 500, body: '{"error":"server_error"}' },
    { path: '/token', status: 429, body: '{"error":"slow_down"}' },
    { path: '/.well-known/oauth-authorization-server', status: 500, body: 'out of order' },
  ])('%j is an answer: it refused, and gets one call at a time like any other failure', async (fault) => {
    const service = connect(provider, { signSubjectToken });
    await provider.fail(fault);
    const refused = () => expect(service.issue(request)).rejects.toThrow(TokenServiceRefused);
    for (let failures = 0; failures < 5; failures++) await refused();
    const before = await requestsSeen();
    await Promise.all(Array.from({ length: 20 }, refused));
    expect((await requestsSeen()) - before).toBe(2);
    await provider.fail('none');
    await expect(service.issue(request)).resolves.toBeDefined();
  });

  it('gets no more than 128 calls at a time, and none waits longer than the limit', async () => {
    const service = connect(provider, { signSubjectToken, ...USUAL_TIMEOUT });
    await service.ping();
    await provider.fail('black-hole');
    const before = await requestsSeen();
    const started = performance.now();
    const outcomes = await Promise.allSettled(Array.from({ length: 1_000 }, () => service.issue(request)));
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    expect((await requestsSeen()) - before).toBeLessThanOrEqual(128);
  });

  it('gets one metadata request for all waiting callers', async () => {
    await provider.fail('5xx');
    const before = await requestsSeen();
    const service = connect(provider, { signSubjectToken });
    await Promise.allSettled(Array.from({ length: 100 }, () => service.issue(request)));
    await Promise.allSettled(Array.from({ length: 100 }, () => service.identify('a-token')));
    // One for the first call, one shared by all that arrived before it failed, and one for the token.
    expect((await requestsSeen()) - before).toBe(3);
  });
});
