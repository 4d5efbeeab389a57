import { expect, test } from 'vitest';
import { Pace } from '../../src/events/endpoint.ts';

/** When requests are sent, each after the pause that `pace` returned. */
function sendTimes(pace: Pace, perSecond: number | null, count: number, from: number): number[] {
  const times: number[] = [];
  for (let now = from; times.length < count; ) {
    const waitMs = pace.take(perSecond, now);
    if (waitMs === 0) times.push(now - from);
    now += waitMs;
  }
  return times;
}

test('requests are spread evenly, and without a limit none waits', () => {
  expect(sendTimes(new Pace(), null, 3, 1_000)).toEqual([0, 0, 0]);
  // The first ones make up for the previous tenth of a second.
  const times = sendTimes(new Pace(), 20, 41, 1_000);
  expect(times.slice(0, 5)).toEqual([0, 0, 0, 50, 100]);
  expect(times.at(-1)).toBe(38 * 50);
});

test('idle time is not saved up, and a changed limit applies immediately', () => {
  const pace = new Pace();
  sendTimes(pace, 10, 5, 1_000);
  expect(sendTimes(pace, 10, 3, 60_000)).toEqual([0, 0, 100]);
  expect(pace.take(1, 60_100)).toBeGreaterThan(0);
  const slow = new Pace();
  for (let sent = 0; sent < 2; sent++) slow.take(1, 5_000);
  expect(slow.take(1, 5_001)).toBeGreaterThan(800);
  expect(slow.take(100, 5_001)).toBeLessThanOrEqual(10);
});
