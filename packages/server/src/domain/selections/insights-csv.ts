import { BYTE_ORDER_MARK, toCell } from '../catalog/texts-csv.ts';
import type { KeyInsights, Tally } from './key-insights.ts';

const DAY_MS = 86_400_000;

/** A row for what holds now, one for what was saved earlier, and one for each period; a column for each value. */
export function writeInsightsCsv({ values, users, chose, earlier, periods }: KeyInsights, isOpen: boolean): string {
  const heads = values.map(({ value }) => (Array.isArray(value) ? value.join(' + ') : String(value)));
  const countsOf = ({ counts }: Tally) => (isOpen ? values.map(() => '') : counts);
  const rows = [
    ['from', ...heads, 'chose', 'never chose'],
    ['now', ...values.map(({ count }) => count), chose, users - chose],
    ['earlier', ...countsOf(earlier), earlier.total, ''],
    ...periods.map((tally) => [toDate(tally.day), ...countsOf(tally), tally.total, '']),
  ];
  return BYTE_ORDER_MARK + rows.map((cells) => `${cells.map((cell) => toCell(String(cell))).join(',')}\r\n`).join('');
}

/** `YYYY-MM-DD` of a day since the epoch. */
export function toDate(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}
