import { BYTE_ORDER_MARK, toCell } from '../catalog/texts-csv.ts';
import type { Steps } from '../slices.ts';
import type { KeyInsights, Tally } from './key-insights.ts';

const DAY_MS = 86_400_000;

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
