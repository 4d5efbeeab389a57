import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { verdictRows } from './bars.ts';
import { drawPlot } from './plot.ts';
import { describeRun, type Figure, type Results } from './results.ts';
import { showSpread, spreadOf } from './spread.ts';
import { HEAD, tableRows } from './table.ts';

const DOCS = join(import.meta.dirname, '../docs');

/** Puts a run's tables into docs/performance.md, between the markers of that name, and its plot next to it. */
export async function writeDocs(results: Results, name: string): Promise<void> {
  const file = join(DOCS, 'performance.md');
  const text = await readFile(file, 'utf8');
  const [begin, end] = [`<!-- bench ${name}: begin -->`, `<!-- bench ${name}: end -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`docs/performance.md has no ${begin} … ${end}`);
  const picture = `performance-${name}.svg`;
  await writeFile(file, `${text.slice(0, from)}${begin}\n\n${describe(results, picture)}\n\n${text.slice(to)}`);
  await writeFile(join(DOCS, picture), drawPlot(results));
}

function describe(results: Results, picture: string): string {
  const { conditions, rows, figures, left } = results;
  const conditionTexts = Object.entries(conditions).map(([name, value]) => `${name} ${value}`);
  const parts = [
    `${describeRun(results)} Measured with ${conditionTexts.join(', ')}.`,
    `![How far each bar was reached](${picture})`,
    table(['bar', 'measured', 'bar', 'stretch', 'verdict'], verdictRows(results)),
    table(HEAD, rows.flatMap(tableRows)),
    ...(figures.length > 0 ? [table(['', 'median (least to most)'], figures.map(figureCells))] : []),
    ...(left.length > 0 ? [`Left out: ${left.join('; ')}.`] : []),
  ];
  return parts.join('\n\n');
}

function figureCells({ title, unit, values }: Figure): string[] {
  return [title, `${showSpread(spreadOf(values), 1)} ${unit}`];
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]): string =>
    `| ${head.map((_, index) => (cells[index] ?? '').replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
