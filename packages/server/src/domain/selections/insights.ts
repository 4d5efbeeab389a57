import type { KeySurvey, Storage } from '../../storage/port.ts';
import type { Key, Scalar } from '../catalog/catalog.ts';
import { parseValue } from '../catalog/check-value.ts';
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

  take(appId: number, { keyNo }: Key, wanted: WantedSurvey): Promise<DatedSurvey> {
    const now = this.#now();
    for (const [name, { until }] of this.#kept) if (until <= now) this.#kept.delete(name);
    const name = JSON.stringify([appId, keyNo, wanted]);
    const known = this.#kept.get(name);
    if (known) return known.survey;
    const survey = this.#last.then(() => this.#run(appId, keyNo, wanted));
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

  async #run(appId: number, keyNo: number, wanted: WantedSurvey): Promise<DatedSurvey> {
    const at = this.#now();
    return { ...(await this.#storage.selections.survey(appId, keyNo, wanted)), at };
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
