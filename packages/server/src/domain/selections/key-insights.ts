import type { Key, Scalar } from '../catalog/catalog.ts';
import { parseValue, parseValues } from '../catalog/stored-value.ts';
import type { DatedSurvey } from './surveys.ts';

export const PERIODS = ['day', 'week'] as const;
export type Period = (typeof PERIODS)[number];

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
