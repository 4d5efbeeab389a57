import { describe, expect, it } from 'vitest';
import { createCached } from '../../src/tokens/remote/cached.ts';

function createPublished() {
  const state = { now: 0, loads: 0, down: false };
  const cached = createCached({
    load: async () => {
      state.loads += 1;
      if (state.down) throw new Error('down');
      return state.loads;
    },
    freshMs: 10_000,
    keptMs: 60_000,
    now: () => state.now,
  });
  return { state, cached };
}

describe('what the token service publishes', () => {
  it('is loaded once for all concurrent callers', async () => {
    const { state, cached } = createPublished();
    expect(await Promise.all([cached.get(), cached.get(), cached.getNewer(0)])).toEqual([1, 1, 1]);
    expect(state.loads).toBe(1);
  });

  it('is reloaded in the background, while the old value is used', async () => {
    const { state, cached } = createPublished();
    await cached.get();
    state.now = 10_000;
    expect(await cached.get()).toBe(1);
    await Promise.resolve();
    expect(await cached.get()).toBe(2);
  });

  it('survives an outage for as long as it is cached, and is refreshed afterwards', async () => {
    const { state, cached } = createPublished();
    await cached.get();
    state.down = true;
    state.now = 59_999;
    for (let round = 0; round < 10; round += 1) expect(await cached.get()).toBe(1);
    expect(state.loads).toBe(2);
    state.now = 60_000;
    await expect(cached.get()).rejects.toThrow('down');
    state.down = false;
    expect(await cached.get()).toBe(4);
  });

  it('fails only for callers from before the load began', async () => {
    const { state, cached } = createPublished();
    state.down = true;
    const first = cached.get();
    const others = [cached.get(), cached.getNewer(0), cached.get()];
    state.down = false;
    await expect(first).rejects.toThrow('down');
    expect(await Promise.all(others)).toEqual([2, 2, 2]);
  });

  it('can be reloaded', async () => {
    const { state, cached } = createPublished();
    await cached.get();
    state.now = 5_000;
    expect(await cached.getNewer(6_000)).toBe(1);
    expect(await cached.getNewer(5_000)).toBe(2);
  });
});
