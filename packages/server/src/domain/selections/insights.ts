import type { KeySurvey, ListedCounts, Storage } from '../../storage/port.ts';
import type { Key, Scalar } from '../catalog/catalog.ts';
import { parseValue } from '../catalog/check-value.ts';
import type { CompiledCatalog } from '../catalog/compile.ts';
import { BYTE_ORDER_MARK, toCell } from '../catalog/texts-file.ts';
import type { Steps } from '../slices.ts';

export const PERIODS = ['day', 'week'] as const;
type Period = (typeof PERIODS)[number];

export type KeyInsights = {
  at: number;
  users: number;
  chose: number;
  /** For an open key with several values: the combinations chosen. */
  values: { value: Scalar | Scalar[]; count: number }[];
  /** Number of values that are not shown. */
  otherValues: number;
  /** Current choices by when they were last saved: earlier ones together, then period by period. */
  earlier: Tally;
  periods: (Tally & { day: number })[];
};

/** Counts are in the order of the values; an open key has none. */
export type Tally = { total: number; counts: number[] };

/** Removes free text of users: only values that the catalog lists, which come first. */
export function listedValuesOnly(key: Key, insights: KeyInsights): KeyInsights {
  const listed = key.values?.length ?? 0;
  const { values, otherValues, earlier, periods } = insights;
  const cut = <T extends Tally>(tally: T): T => ({ ...tally, counts: tally.counts.slice(0, listed) });
  return {
    ...insights,
    values: values.slice(0, listed),
    otherValues: otherValues + values.length - Math.min(listed, values.length),
    earlier: cut(earlier),
    periods: periods.map(cut),
  };
}

const DAY_MS = 86_400_000;
const DAYS = { day: 1, week: 7 };

/** The first day of the last `periods` periods; weeks begin on Monday. Day 0 was a Thursday. */
export function firstDay(now: number, period: Period, periods: number): number {
  const today = Math.floor(now / DAY_MS);
  const current = period === 'day' ? today : today - ((today + 3) % 7);
  return current - (periods - 1) * DAYS[period];
}

/** What is surveyed for a key: by period from `from` on; without periods, only as it is now. */
export function surveyOf(
  { values }: Key,
  { from, period, periods }: { from: number; period: Period; periods: number },
): WantedSurvey {
  const listed = values?.map(({ value }) => JSON.stringify(value)) ?? null;
  return { fromDay: periods === 0 ? null : from, days: DAYS[period], listed, most: MAX_VALUES_SHOWN };
}

/** What users chose, now and over time. If a key has a list of values, each is counted separately. */
export function readInsights(
  key: Key,
  survey: DatedSurvey,
  { from, period, periods }: { from: number; period: Period; periods: number },
): KeyInsights {
  const common = survey.common.map(({ value, count }) => ({ value: parseValue(value), count }));
  const listed = key.values?.map(({ value }) => value);
  const size = listed ? listed.length + common.length : 0;
  const blank = (): Tally => ({ total: 0, counts: Array<number>(size).fill(0) });
  const [all, earlier] = [blank(), blank()];
  const slots = Array.from({ length: periods }, (_, slot) => ({ day: from + slot * DAYS[period], ...blank() }));
  for (const { day, total, counts } of survey.periods) {
    const slot = Math.floor((day - from) / DAYS[period]);
    // A replica's clock may be ahead: its tomorrow counts as today.
    const tally = (slot < 0 ? undefined : slots[Math.min(slot, periods - 1)]) ?? earlier;
    for (const each of [all, tally]) {
      each.total += total;
      for (let place = 0; place < size; place++) each.counts[place] = (each.counts[place] ?? 0) + (counts[place] ?? 0);
    }
  }
  return {
    at: survey.at,
    users: Math.max(survey.users, all.total),
    chose: all.total,
    values: listed ? [...listed.map((value, place) => ({ value, count: all.counts[place] ?? 0 })), ...common] : common,
    otherValues: survey.different - common.length,
    earlier,
    periods: slots,
  };
}

/** A survey is cached for ten times as long as it took, so that surveys take at most a tenth of the time. */
const KEPT_PER_MS = 10;
/** A faster survey is not worth caching. */
const CHEAP_MS = 200;
const MAX_KEPT_MS = 5 * 60_000;
/** Of an open key, or of those that are no longer in the catalog: there may be as many as users. */
const MAX_VALUES_SHOWN = 200;

type WantedSurvey = Parameters<Storage['selections']['survey']>[2];
type DatedSurvey = KeySurvey & { at: number };

/** Of all keys that were counted together: how many users chose, and what most of them. */
export type KeyTotals = { at: number; users: number; keys: KeyTotal[] };
type KeyTotal = { key: Key; chose: number; mostCommon: { value: Scalar | Scalar[]; count: number } | null };

/** `readers` wait for it or come back for it; without any, it is aborted. */
type Kept<T> = {
  result: Promise<T>;
  until: number;
  readers: number;
  progress: number;
  controller: AbortController;
  leaving: NodeJS.Timeout | undefined;
};
type Act<T> = (signal: AbortSignal, onProgress: (share: number) => void) => Promise<T>;

/** Between two requests for the same survey, its reader may be gone. */
const COMES_BACK_MS = 5_000;

/**
 * Counting among millions is expensive: surveys run one after another, concurrent requests share one, and one that has
 * lost its readers stops.
 */
export class Surveys {
  readonly #storage: Storage;
  readonly #now: () => number;
  readonly #kept = new Map<string, Kept<unknown>>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(storage: Storage, now: () => number) {
    this.#storage = storage;
    this.#now = now;
  }

  /** Rejects with the reason of `signal` when that is aborted. */
  take(appId: number, { keyNo }: Key, wanted: WantedSurvey, signal?: AbortSignal): Promise<DatedSurvey> {
    const kept = this.#share(JSON.stringify([appId, keyNo, wanted]), async (aborted): Promise<DatedSurvey> => {
      const at = this.#now();
      return { ...(await this.#storage.selections.survey(appId, keyNo, wanted, aborted)), at };
    });
    return this.#wait(kept, signal);
  }

  /** After `waitMs`, how much is counted, from 0 to 1. It continues for a few seconds for a reader that comes back. */
  async takeAll(
    appId: number,
    { keyByUid, revision }: Pick<CompiledCatalog, 'keyByUid' | 'revision'>,
    { waitMs, signal }: { waitMs: number | undefined; signal?: AbortSignal },
  ): Promise<KeyTotals | number> {
    const keys = [...keyByUid.values()].map(({ key }) => key);
    const kept = this.#share(JSON.stringify([appId, 'all', revision]), (aborted, onProgress) =>
      this.#countAll(appId, keys, aborted, onProgress),
    );
    if (waitMs === undefined) return this.#wait(kept, signal);
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => resolve(undefined), waitMs);
    try {
      return (await this.#wait(kept, signal, late)) ?? kept.progress;
    } finally {
      clearTimeout(timer);
    }
  }

  async #countAll(appId: number, keys: Key[], signal: AbortSignal, onProgress: (share: number) => void) {
    const { applications, selections } = this.#storage;
    const at = this.#now();
    const open = keys.filter(({ values }) => values === null);
    // Of an open key each user may have another value, so these are read one by one.
    const parts = 1 + open.length;
    const users = await applications.countUsers(appId);
    const wanted = keys.map(({ keyNo, values }) => ({
      keyNo,
      listed: values?.map(({ value }) => JSON.stringify(value)) ?? [],
    }));
    const counted = await selections.countListed(appId, wanted, {
      signal,
      onProgress: (share) => onProgress(share / parts),
    });
    const totals: KeyTotal[] = [];
    let done = 1;
    for (const [index, key] of keys.entries()) {
      const { total: chose, counts } = counted[index] as ListedCounts;
      const most = counts.reduce((best, count, place) => (count > (counts[best] ?? 0) ? place : best), 0);
      const listed = key.values?.[most];
      let mostCommon =
        listed && chose > 0 ? { value: listed.value as Scalar | Scalar[], count: counts[most] ?? 0 } : null;
      if (key.values === null) {
        const now = { fromDay: null, days: 1, listed: null, most: 1 };
        const [found] = chose > 0 ? (await selections.survey(appId, key.keyNo, now, signal)).common : [];
        mostCommon = found ? { value: parseValue(found.value), count: found.count } : null;
        onProgress(++done / parts);
      }
      totals.push({ key, chose, mostCommon: mostCommon?.count === 0 ? null : mostCommon });
    }
    return { at, users: Math.max(users, ...totals.map(({ chose }) => chose)), keys: totals };
  }

  #share<T>(name: string, act: Act<T>): Kept<T> {
    const now = this.#now();
    for (const [each, { until }] of this.#kept) if (until <= now) this.#kept.delete(each);
    const known = this.#kept.get(name) as Kept<T> | undefined;
    if (known) return known;
    const controller = new AbortController();
    const { signal } = controller;
    let begun = now;
    const result = this.#last.then(() => {
      signal.throwIfAborted();
      begun = this.#now();
      return act(signal, (share) => (kept.progress = share));
    });
    const until = Number.POSITIVE_INFINITY;
    const kept: Kept<T> = { result, until, readers: 0, progress: 0, controller, leaving: undefined };
    this.#kept.set(name, kept);
    const forget = (): void => {
      if (this.#kept.get(name) === kept) this.#kept.delete(name);
    };
    signal.addEventListener('abort', forget);
    this.#last = result.then(() => {
      signal.removeEventListener('abort', forget);
      const end = this.#now();
      kept.until = end + Math.min(Math.max(end - begun - CHEAP_MS, 0) * KEPT_PER_MS, MAX_KEPT_MS);
    }, forget);
    return kept;
  }

  async #wait<T>(kept: Kept<T>, signal?: AbortSignal): Promise<T>;
  async #wait<T>(kept: Kept<T>, signal: AbortSignal | undefined, late: Promise<undefined>): Promise<T | undefined>;
  async #wait<T>(kept: Kept<T>, signal?: AbortSignal, late?: Promise<undefined>): Promise<T | undefined> {
    const { promise: gone, reject } = Promise.withResolvers<never>();
    const leave = (): void => reject(signal?.reason);
    if (signal?.aborted) leave();
    else signal?.addEventListener('abort', leave);
    clearTimeout(kept.leaving);
    kept.readers++;
    try {
      return await Promise.race([kept.result, gone, ...(late ? [late] : [])]);
    } finally {
      signal?.removeEventListener('abort', leave);
      if (--kept.readers === 0) {
        // Has no effect on a survey that is done.
        const abort = (): void => kept.controller.abort();
        if (signal?.aborted) abort();
        else kept.leaving = setTimeout(abort, COMES_BACK_MS).unref();
      }
    }
  }
}

/**
 * A row for the current values, one for earlier ones, and one for each period; a column for each value: up to 700,000
 * cells.
 */
export function* writeInsightsCsv(
  { values, users, chose, earlier, periods }: KeyInsights,
  isOpen: boolean,
): Steps<string> {
  const heads = values.map(({ value }) => toCell(Array.isArray(value) ? value.join(' + ') : String(value)));
  const countsOf = ({ counts }: Tally) => (isOpen ? values.map(() => '') : counts).join(',');
  const writeRow = (from: string, counts: string, total: number, rest: number | '') =>
    `${[from, ...(values.length > 0 ? [counts] : []), total, rest].join(',')}\r\n`;
  let text = `${BYTE_ORDER_MARK}${['from', ...heads, 'chose', 'never chose'].join(',')}\r\n`;
  text += writeRow('now', values.map(({ count }) => count).join(','), chose, users - chose);
  text += writeRow('earlier', countsOf(earlier), earlier.total, '');
  for (const tally of periods) {
    yield;
    text += writeRow(toDate(tally.day), countsOf(tally), tally.total, '');
  }
  return text;
}

/** `YYYY-MM-DD` from days since the epoch. */
export function toDate(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}
