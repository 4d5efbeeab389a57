import { expect, test } from 'vitest';
import type { Key } from '../../src/domain/catalog/catalog.ts';
import {
  firstDay,
  type KeyInsights,
  readInsights,
  Surveys,
  surveyOf,
  toDate,
  writeInsightsCsv,
} from '../../src/domain/selections/insights.ts';
import type { KeySurvey, Storage } from '../../src/storage/port.ts';

const at = (text: string): number => Date.parse(`${text}T12:00:00Z`);
const key = { keyNo: 1, values: [{ value: 'a' }, { value: 'b' }] } as unknown as Key;

test.each([
  ['day', 1, '2026-11-15'],
  ['day', 30, '2026-10-17'],
  // A Sunday belongs to the week that began on the Monday before.
  ['week', 1, '2026-11-09'],
  ['week', 2, '2026-11-02'],
] as const)('the last of %s, %i times, begin on %s', (period, periods, from) => {
  expect(toDate(firstDay(at('2026-11-15'), period, periods))).toBe(from);
});

test('a week begins on Monday', () => {
  expect(toDate(firstDay(at('2026-11-16'), 'week', 1))).toBe('2026-11-16');
});

test('periods are in order; older ones, and those saved by a clock ahead, are not lost', () => {
  const from = firstDay(at('2026-11-15'), 'week', 2);
  const periods = [
    { day: from - 1, total: 5, counts: [5, 0, 0] },
    { day: from, total: 3, counts: [3, 2, 0] },
    { day: from + 7, total: 3, counts: [0, 0, 3] },
    { day: from + 14, total: 4, counts: [0, 4, 0] },
  ];
  const survey = { users: 20, periods, common: [{ value: '"gone"', count: 3 }], different: 8, at: 7 };
  expect(readInsights(key, survey, { from, period: 'week', periods: 2 })).toEqual({
    at: 7,
    users: 20,
    chose: 15,
    values: [
      { value: 'a', count: 8 },
      { value: 'b', count: 6 },
      { value: 'gone', count: 3 },
    ],
    otherValues: 7,
    earlier: { total: 5, counts: [5, 0, 0] },
    periods: [
      { day: from, total: 3, counts: [3, 2, 0] },
      { day: from + 7, total: 7, counts: [0, 4, 3] },
    ],
  });
});

test('surveys run one at a time; a slow one is reused for a while', async () => {
  let now = 1_000_000;
  let inFlight = 0;
  const taken: number[] = [];
  const survey = async (appId: number): Promise<KeySurvey> => {
    expect(++inFlight).toBe(1);
    taken.push(appId);
    await Promise.resolve();
    now += appId;
    inFlight--;
    if (appId === 3) throw new Error('no');
    return { users: appId, periods: [], common: [], different: 0 };
  };
  // A clock that only this test moves: nothing here depends on anything but time.
  const surveys = new Surveys({ selections: { survey } } as unknown as Storage, () => now);
  const ask = (appId: number) => surveys.take(appId, key, surveyOf(key, { from: 0, period: 'day', periods: 1 }));
  await Promise.all([ask(1000), ask(5), ask(1000)]);
  expect(taken).toEqual([1000, 5]);
  await Promise.all([ask(1000), ask(5)]);
  expect(taken).toEqual([1000, 5, 5]);
  now += 10_000;
  await ask(1000);
  expect(taken).toEqual([1000, 5, 5, 1000]);
  await expect(ask(3)).rejects.toThrow('no');
  await expect(ask(3)).rejects.toThrow('no');
  expect((await ask(5)).users).toBe(5);
});

test('a CSV is written row by row and yields in between', () => {
  const tally = (day: number) => ({ day, total: 3, counts: Array<number>(2_000).fill(1) });
  const insights: KeyInsights = {
    ...{ at: 0, users: 5, chose: 3, otherValues: 0, earlier: tally(0) },
    values: Array.from({ length: 2_000 }, (_, at) => ({ value: `v${at}`, count: 1 })),
    periods: Array.from({ length: 366 }, (_, day) => tally(day)),
  };
  const steps = writeInsightsCsv(insights, false);
  let pauses = 0;
  let step = steps.next();
  for (; !step.done; step = steps.next()) pauses++;
  expect(pauses).toBe(366);
  expect(step.value.split('\r\n')).toHaveLength(1 + 2 + 366 + 1);
});

/** Surveys that the test completes one by one. */
function controlled() {
  const running: { keyNo: number; signal: AbortSignal; finish(): void }[] = [];
  const survey = (_: number, keyNo: number, __: object, signal: AbortSignal) =>
    new Promise<KeySurvey>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('cancelled')));
      running.push({ keyNo, signal, finish: () => resolve({ users: 3, periods: [], common: [], different: 0 }) });
    });
  const surveys = new Surveys({ selections: { survey } } as unknown as Storage, () => 0);
  const ask = (keyNo: number, signal?: AbortSignal) =>
    surveys.take(1, { ...key, keyNo }, surveyOf(key, { from: 0, period: 'day', periods: 1 }), signal);
  return { running, ask };
}

const turn = () => new Promise(setImmediate);

test('a survey stops when all of its readers have left, and not before', async () => {
  const { running, ask } = controlled();
  const [one, other, next] = [new AbortController(), new AbortController(), new AbortController()];
  const left = [ask(1, one.signal), ask(1, other.signal), ask(2, next.signal)].map((each) =>
    each.catch((error: Error) => error.message),
  );
  await turn();
  one.abort(new Error('one left'));
  await turn();
  expect(running.map(({ keyNo, signal }) => [keyNo, signal.aborted])).toEqual([[1, false]]);
  other.abort(new Error('the other left'));
  await turn();
  // The next survey in the queue runs, unaffected by the abort.
  expect(running.map(({ keyNo, signal }) => [keyNo, signal.aborted])).toEqual([
    [1, true],
    [2, false],
  ]);
  running[1]?.finish();
  expect(await Promise.all(left)).toEqual(['one left', 'the other left', expect.objectContaining({ users: 3 })]);
});

test('a survey that has lost its readers in the queue never starts; who asks later gets a new one', async () => {
  const { running, ask } = controlled();
  const first = ask(1);
  const waiting = new AbortController();
  const left = ask(2, waiting.signal).catch((error: Error) => error.message);
  waiting.abort(new Error('left'));
  expect(await left).toBe('left');
  const again = ask(2);
  await turn();
  running[0]?.finish();
  await first;
  await turn();
  expect(running.map(({ keyNo }) => keyNo)).toEqual([1, 2]);
  running[1]?.finish();
  expect((await again).users).toBe(3);
});
