import type { Series } from './compare.ts';
import type { Row } from './measure-operation.ts';
import { showSpread, spreadOf } from './spread.ts';

const WIDTHS = [44, 10, 8, 24, 26, 26, 12];
const HEAD = ['operation', 'who', 'median/s', 'rate / bare', 'processor: bare / it', 'us a request', 'p99'];

/** One line for each that took the operation: its rate as a share of the bare server's, round by round. */
export function showTable(rows: Row[], withHead: boolean): string {
  const lines = withHead ? [layOut(HEAD)] : [];
  for (const { title, series, void: reason } of rows) {
    if (reason !== undefined) lines.push(`${title.padEnd(WIDTHS[0] as number)} void: ${reason}`);
    const bare = series.find(({ name }) => name === 'bare');
    for (const [index, one] of series.entries()) lines.push(layOut([index === 0 ? title : '', ...cells(one, bare)]));
  }
  return lines.join('\n');
}

/** Round by round: what ran beside both in one round disturbed both. */
export function ratios(one: Series, other: Series, figure: (run: Series['runs'][number]) => number): number[] {
  return one.runs.map((run, round) => figure(run) / figure(other.runs[round] ?? run));
}

function cells(one: Series, bare: Series | undefined): string[] {
  const rate = spreadOf(one.runs.map((run) => run.rate)).median;
  const p99 = spreadOf(one.runs.map((run) => run.p99)).median;
  const toBare =
    bare && bare !== one
      ? [
          showSpread(spreadOf(ratios(one, bare, (run) => run.rate))),
          showSpread(spreadOf(ratios(bare, one, (run) => run.processorUs))),
        ]
      : ['', ''];
  const processor = showSpread(spreadOf(one.runs.map((run) => run.processorUs)), 0);
  return [one.name, Math.round(rate).toLocaleString('en'), ...toBare, processor, `${p99.toFixed(1)} ms`];
}

function layOut(values: string[]): string {
  return values
    .map((value, index) => value.padEnd(WIDTHS[index] ?? 0))
    .join(' ')
    .trimEnd();
}
