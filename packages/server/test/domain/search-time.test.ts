import { expect, test } from 'vitest';
import { SearchTime } from '../../src/domain/users/search-time.ts';

const part = (ms: number) => () => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** How long it takes until all parts of all searches have run. */
async function timeOf(searches: (() => Promise<unknown>)[]): Promise<number> {
  const begun = performance.now();
  await Promise.all(searches.map((search) => search()));
  return performance.now() - begun;
}

test('the searches of an application take turns, and pause half of the time', async () => {
  const time = new SearchTime({ burstMs: 100 });
  const search = (appId: number) => {
    const pace = time.pace(appId);
    return async () => {
      for (let count = 0; count < 5; count++) await pace(part(20));
    };
  };
  // 400 ms of work, of which 100 at once: the first parts run together.
  expect(await timeOf(Array.from({ length: 4 }, () => search(1)))).toBeGreaterThan(550);
  // Another application still has all of its time.
  expect(await timeOf([search(2)])).toBeLessThan(550);
});

test('time spent on users who are sent does not count', async () => {
  const time = new SearchTime({ burstMs: 10 });
  const pace = time.pace(1);
  const stream = async () => {
    for (let count = 0; count < 10; count++) {
      await pace(part(20), () => 0);
    }
  };
  expect(await timeOf([stream])).toBeLessThan(390);
});

test('a search that its client waits for is stopped after a while, a stream is not', async () => {
  const time = new SearchTime({ limitMs: 50 });
  const run = async (endless: boolean) => {
    const pace = time.pace(1, { endless });
    for (let count = 0; count < 10; count++) await pace(part(20));
  };
  await expect(run(false)).rejects.toMatchObject({
    error: 'overloaded',
    message: expect.stringMatching(/application\/x-ndjson/),
  });
  await run(true);
});

test('a search whose client leaves stops pausing', async () => {
  const time = new SearchTime({ burstMs: 1 });
  const controller = new AbortController();
  const pace = time.pace(1, { signal: controller.signal });
  await pace(part(500));
  setTimeout(() => controller.abort(new Error('left')), 20);
  const begun = performance.now();
  await expect(pace(part(1))).rejects.toThrow('left');
  expect(performance.now() - begun).toBeLessThan(400);
  // The next one is not held up by a search that failed.
  await expect(time.pace(2)(async () => 7)).resolves.toBe(7);
});
