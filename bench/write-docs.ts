import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { verdictRows } from './bars.ts';
import { drawPlot } from './plot.ts';
import type { Results } from './results.ts';
import { showSpread, spreadOf } from './spread.ts';
import { HEAD, tableRows } from './table.ts';

const DOCS = join(import.meta.dirname, '../docs');
const MARKS = ['<!-- bench: begin -->', '<!-- bench: end -->'] as const;

/** Puts a run's tables into docs/performance.md and its plot beside it. */
export async function writeDocs(results: Results): Promise<void> {
  const file = join(DOCS, 'performance.md');
  const text = await readFile(file, 'utf8');
  const [from, to] = [text.indexOf(MARKS[0]), text.indexOf(MARKS[1])];
  if (from < 0 || to < from) throw new Error(`docs/performance.md has no ${MARKS.join(' … ')}`);
  const before = text.slice(0, from + MARKS[0].length);
  await writeFile(file, `${before}\n\n${describe(results)}\n\n${text.slice(to)}`);
  await writeFile(join(DOCS, 'performance.svg'), drawPlot(results));
}

function describe(results: Results): string {
  const { date, machine, conditions, rows, figures, left } = results;
  const told = Object.entries(conditions).map(([name, value]) => `${name} ${value}`);
  const parts = [
    `${date}, ${machine}; ${told.join(', ')}.`,
    '![How far each bar was reached](performance.svg)',
    table(['bar', 'measured', 'bar', 'stretch', 'verdict'], verdictRows(results)),
    table(HEAD, rows.flatMap(tableRows)),
    table(
      ['', 'median (least to most)'],
      figures.map(({ title, unit, values }) => [title, `${showSpread(spreadOf(values), 1)} ${unit}`]),
    ),
    ...(left.length > 0 ? [`Left out: ${left.join('; ')}.`] : []),
  ];
  return parts.join('\n\n');
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]): string =>
    `| ${head.map((_, index) => (cells[index] ?? '').replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
