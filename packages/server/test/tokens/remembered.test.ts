import { describe, expect, it } from 'vitest';
import { createRemembered } from '../../src/tokens/remote/remembered.ts';

function createPublished() {
  const state = { now: 0, loads: 0, down: false };
  const remembered = createRemembered({
    load: async () => {
      state.loads += 1;
      if (state.down) throw new Error('down');
      return state.loads;
    },
    freshMs: 10_000,
    keptMs: 60_000,
    now: () => state.now,
  });
  return { state, remembered };
}

describe('what the token service publishes', () => {
  it('is loaded once for all concurrent callers', async () => {
    const { state, remembered } = createPublished();
    expect(await Promise.all([remembered.get(), remembered.get(), remembered.getNewer(0)])).toEqual([1, 1, 1]);
    expect(state.loads).toBe(1);
  });

  it('is reloaded in the background, while the old value is used', async () => {
    const { state, remembered } = createPublished();
    await remembered.get();
    state.now = 10_000;
    expect(await remembered.get()).toBe(1);
    await Promise.resolve();
    expect(await remembered.get()).toBe(2);
  });

  it('survives an outage for as long as it is cached, and is refreshed afterwards', async () => {
    const { state, remembered } = createPublished();
    await remembered.get();
    state.down = true;
    state.now = 59_999;
    for (let round = 0; round < 10; round += 1) expect(await remembered.get()).toBe(1);
    expect(state.loads).toBe(2);
    state.now = 60_000;
    await expect(remembered.get()).rejects.toThrow('down');
    state.down = false;
    expect(await remembered.get()).toBe(4);
  });

  it('fails only for callers from before the load began', async () => {
    const { state, remembered } = createPublished();
    state.down = true;
    const first = remembered.get();
    const others = [remembered.get(), remembered.getNewer(0), remembered.get()];
    state.down = false;
    await expect(first).rejects.toThrow('down');
    expect(await Promise.all(others)).toEqual([2, 2, 2]);
  });

  it('can be reloaded', async () => {
    const { state, remembered } = createPublished();
    await remembered.get();
    state.now = 5_000;
    expect(await remembered.getNewer(6_000)).toBe(1);
    expect(await remembered.getNewer(5_000)).toBe(2);
  });
});
