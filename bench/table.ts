import type { Series } from './compare.ts';
import { type Row, ratioOf, seriesOf } from './results.ts';
import { showSpread, spreadOf } from './spread.ts';

export const HEAD = [
  'operation',
  'server',
  'median/s',
  'rate / bare',
  'processor, bare / server',
  'µs per request',
  'p99, ms',
];
const WIDTHS = [44, 14, 8, 21, 24, 24, 8];

/** One line per contestant: its rate as a share of the bare server's, round by round. */
export function tableRows(row: Row): string[][] {
  if (row.void !== undefined) return [[row.title, `void: ${row.void}`]];
  const bare = seriesOf(row, 'bare');
  return row.series.map((one, index) => [index === 0 ? row.title : '', ...cells(one, bare)]);
}

export function layOut(values: string[]): string {
  return values
    .map((value, index) => value.padEnd(WIDTHS[index] ?? 0))
    .join(' ')
    .trimEnd();
}

function cells(one: Series, bare: Series | undefined): string[] {
  if (one.void !== undefined) return [one.name, `void: ${one.void.split('\n').slice(0, 2).join(' ')}`];
  const rate = spreadOf(one.runs.map((run) => run.rate)).median;
  const p99 = spreadOf(one.runs.map((run) => run.p99)).median;
  const hasProcessor = one.runs.every((run) => run.processorUs !== undefined);
  const processorUs = (run: Series['runs'][number]): number => run.processorUs ?? Number.NaN;
  const toBare = bare && bare !== one;
  return [
    one.name,
    Math.round(rate).toLocaleString('en'),
    toBare ? showSpread(ratioOf(one, bare)) : '',
    toBare && hasProcessor ? showSpread(ratioOf(bare, one, processorUs)) : '',
    hasProcessor ? showSpread(spreadOf(one.runs.map(processorUs)), 0) : '',
    Number.isNaN(p99) ? '' : p99.toFixed(1),
  ];
}
