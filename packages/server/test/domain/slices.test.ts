import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  directlyOrInSlices,
  finish,
  inSlices,
  mapSteps,
  pack,
  pauses,
  type Steps,
  unpack,
} from '../../src/domain/slices.ts';
import { inChunks } from '../../src/http/bodies.ts';
import { encodeResponse } from '../../src/http/manage/encode-response.ts';

/** Works for that many milliseconds, a tenth of one in each step. */
function* busy(ms: number): Steps<string> {
  for (let step = 0; step < ms * 10; step++) {
    const until = performance.now() + 0.1;
    while (performance.now() < until);
    yield;
  }
  return 'done';
}

test('other work runs between the slices', async () => {
  let [turns, isDone] = [0, false];
  const work = inSlices(busy(100)).finally(() => (isDone = true));
  while (!isDone) {
    await nextTurn();
    turns++;
  }
  expect(await work).toBe('done');
  // A slice lasts 5 ms; on a slow machine there are just more of them.
  expect(turns).toBeGreaterThan(10);
});

test('works alternate: a short one does not wait for a long one', async () => {
  const order: string[] = [];
  const long = inSlices(busy(100)).then(() => order.push('long'));
  const short = inSlices(busy(1)).then(() => order.push('short'));
  await Promise.all([long, short]);
  expect(order).toEqual(['short', 'long']);
});

test('an error is thrown to the caller that waits for it', async () => {
  const failing = function* (): Steps<never> {
    yield;
    throw new Error('no');
  };
  const other = inSlices(busy(1));
  await expect(inSlices(failing())).rejects.toThrow('no');
  expect(await other).toBe('done');
});

test('a response in pieces equals JSON.stringify', () => {
  const value = fc.oneof(fc.jsonValue({ maxDepth: 9 }), fc.object({ maxDepth: 9, withDate: true }));
  fc.assert(
    fc.property(fc.record({ value }), (answer) => {
      expect(finish(encodeResponse(answer)).body.toString()).toBe(JSON.stringify(answer));
    }),
  );
});

test('a text in pieces is the same text, and the ETag is of its bytes', () => {
  const text = `${'a'.repeat(65_535)}😀${'ű'.repeat(70_000)}`;
  const { body, etag } = finish(encodeResponse(text));
  expect(body.toString()).toBe(text);
  expect(finish(encodeResponse(`${text}.`)).etag).not.toBe(etag);
});

test('a packed list is unpacked unchanged', () => {
  const items = Array.from({ length: 5_000 }, (_, at) => ({ at, text: 'x'.repeat(at % 300) }));
  expect(pack(items).pieces.length).toBeGreaterThan(1);
  expect(finish(unpack(pack(items)))).toEqual(items);
  expect(finish(unpack(pack([])))).toEqual([]);
});

/** Takes a millisecond. */
function spin(): void {
  for (const until = performance.now() + 1; performance.now() < until; );
}

test('quick work runs directly, and longer work yields', async () => {
  expect(directlyOrInSlices(mapSteps([1, 2, 3], (each) => each * 2))).toEqual([2, 4, 6]);
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  count();
  const works = Array.from({ length: 3 }, async () =>
    directlyOrInSlices(
      mapSteps(Array.from({ length: 40 }), (_, index) => {
        spin();
        return index;
      }),
    ),
  );
  expect((await Promise.all(works)).map((made) => made.length)).toEqual([40, 40, 40]);
  isDone = true;
  // 120 ms of work, 5 ms a turn.
  expect(turns).toBeGreaterThan(5);
});

test('of paused loops, one continues per turn', async () => {
  let turn = 0;
  let isDone = false;
  const count = (): void => {
    turn++;
    if (!isDone) setImmediate(count);
  };
  count();
  const resumed: number[] = [];
  await Promise.all(
    Array.from({ length: 5 }, async () => {
      const pause = pauses();
      for (let rounds = 0; rounds < 20; rounds++) {
        spin();
        const waiting = pause();
        await waiting;
        if (waiting) resumed.push(turn);
      }
    }),
  );
  isDone = true;
  expect(resumed.length).toBeGreaterThan(5);
  expect(new Set(resumed).size).toBe(resumed.length);
});

test('texts of a stream are produced in turns, also before a chunk is full', async () => {
  let [turns, isDone] = [0, false];
  const count = (): void => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  count();
  const texts = function* () {
    for (let at = 0; at < 50; at++) {
      spin();
      yield `${at} `;
    }
  };
  const chunks: string[] = [];
  for await (const chunk of inChunks(texts())) chunks.push(chunk);
  isDone = true;
  expect(chunks).toEqual([Array.from({ length: 50 }, (_, at) => `${at} `).join('')]);
  // 50 ms of work, 5 ms a turn.
  expect(turns).toBeGreaterThan(5);
});
