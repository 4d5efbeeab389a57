import type { KeySurvey, Storage } from '../../storage/port.ts';
import type { AllowedValue, Key, Scalar } from '../catalog/catalog.ts';
import { parseValue, parseValues } from '../catalog/check-value.ts';
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
  /** Number of values of an open key that are not listed. */
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

/**
 * What users chose, now and over time. The survey counts everything older under the day before `from`. If a key accepts
 * several values, each is counted separately.
 */
export function readInsights(
  key: Key,
  survey: DatedSurvey,
  { from, period, periods }: { from: number; period: Period; periods: number },
): KeyInsights {
  const places = new Map<Scalar, number>((key.values ?? []).map(({ value }, place) => [value, place]));
  const rows = survey.days.map(({ day, value, count }) => {
    const scalars = value === null ? [] : parseValues(value);
    // Values no longer in the catalog come last.
    for (const scalar of scalars) if (!places.has(scalar)) places.set(scalar, places.size);
    return {
      slot: Math.floor((day - from) / DAYS[period]),
      count,
      at: scalars.map((each) => places.get(each) as number),
    };
  });
  const blank = (): Tally => ({ total: 0, counts: Array<number>(places.size).fill(0) });
  const [all, earlier] = [blank(), blank()];
  const slots = Array.from({ length: periods }, (_, slot) => ({ day: from + slot * DAYS[period], ...blank() }));
  for (const { slot, count, at } of rows) {
    // A replica's clock may be ahead: its tomorrow counts as today.
    const tally = slot < 0 ? earlier : slots[Math.min(slot, periods - 1)];
    for (const each of [all, tally as Tally]) {
      each.total += count;
      for (const place of at) each.counts[place] = (each.counts[place] ?? 0) + count;
    }
  }
  const counted = [...places.keys()].map((value, place) => ({ value, count: all.counts[place] ?? 0 }));
  const common = survey.common.map(({ value, count }) => ({ value: parseValue(value), count }));
  return {
    at: survey.at,
    users: Math.max(survey.users, all.total),
    chose: all.total,
    values: key.values ? counted : common,
    otherValues: key.values ? 0 : survey.different - common.length,
    earlier,
    periods: slots,
  };
}

/** For an open key, which may have as many values as users. */
const MAX_SHOWN = 200;

type ValueCount = {
  value: Scalar;
  count: number;
  /** The catalog's entry; undefined for a value of an open key, or one that was removed. */
  allowed: AllowedValue | undefined;
};

type ValueCounts = {
  /** Users who chose. If a key accepts several values, the counts add up to more. */
  total: number;
  values: ValueCount[];
  /** Number of values of an open key that are not listed. */
  otherValues: number;
};

/** Counts what users chose. If a key accepts several values, each is counted separately. */
export async function countValues(storage: Storage, appId: number, key: Key): Promise<ValueCounts> {
  const rows = await storage.selections.countByValue(appId, key.keyNo);
  const counts = new Map<Scalar, number>((key.values ?? []).map(({ value }) => [value, 0]));
  let total = 0;
  for (const { value, count } of rows) {
    total += count;
    for (const each of parseValues(value)) counts.set(each, (counts.get(each) ?? 0) + count);
  }
  const allowed = new Map(key.values?.map((value) => [value.value, value]));
  const values = [...counts].map(([value, count]) => ({ value, count, allowed: allowed.get(value) }));
  // Values of the catalog are in its order; those of an open key by frequency.
  const shown = key.values ? values : values.sort((a, b) => b.count - a.count).slice(0, MAX_SHOWN);
  return { total, values: shown, otherValues: values.length - shown.length };
}

/** A survey is cached for ten times as long as it took, so that surveys take at most a tenth of the time. */
const KEPT_PER_MS = 10;
/** A faster survey is not worth caching. */
const CHEAP_MS = 200;
const MAX_KEPT_MS = 5 * 60_000;
/** For an open key, which may have as many values as users. */
const MAX_VALUES_SHOWN = 200;

type DatedSurvey = KeySurvey & { at: number };
type Kept = { survey: Promise<DatedSurvey>; until: number };

/** Counting among millions is expensive: surveys run one after another, and concurrent requests share one. */
export class Surveys {
  readonly #storage: Storage;
  readonly #now: () => number;
  readonly #kept = new Map<string, Kept>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(storage: Storage, now: () => number) {
    this.#storage = storage;
    this.#now = now;
  }

  take(appId: number, key: Key, fromDay: number | null): Promise<DatedSurvey> {
    const now = this.#now();
    for (const [name, { until }] of this.#kept) if (until <= now) this.#kept.delete(name);
    const name = JSON.stringify([appId, key.keyNo, fromDay, key.values !== null]);
    const known = this.#kept.get(name);
    if (known) return known.survey;
    const survey = this.#last.then(() => this.#run(appId, key, fromDay));
    const kept: Kept = { survey, until: Number.POSITIVE_INFINITY };
    this.#kept.set(name, kept);
    this.#last = survey.then(
      ({ at }) => {
        const end = this.#now();
        kept.until = end + Math.min(Math.max(end - at - CHEAP_MS, 0) * KEPT_PER_MS, MAX_KEPT_MS);
      },
      () => this.#kept.delete(name),
    );
    return survey;
  }

  async #run(appId: number, key: Key, fromDay: number | null): Promise<DatedSurvey> {
    const at = this.#now();
    const wanted = { fromDay, byValue: key.values !== null, most: MAX_VALUES_SHOWN };
    return { ...(await this.#storage.selections.survey(appId, key.keyNo, wanted)), at };
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
