import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { verdictRows } from './bars.ts';
import { generator } from './load.ts';
import type { Options } from './options.ts';
import { drawPlot } from './plot.ts';
import { describeRun, type Figure, type Results, type Row } from './results.ts';
import { showSpread, spreadOf } from './spread.ts';
import { HEAD, layOut, tableRows } from './table.ts';
import { writeDocs } from './write-docs.ts';

const VERDICT_WIDTHS = [40, 34, 11, 11];

/** The results of a run: printed as they come, and saved as a whole at the end. */
export class Report {
  readonly results: Results;
  readonly #options: Options;

  constructor(options: Options) {
    const { rounds, seconds, connections, users, flushMs, isWhole } = options;
    this.#options = options;
    this.results = {
      date: new Date().toISOString().slice(0, 16).replace('T', ' '),
      machine: `${availableParallelism()} cores (${cpus()[0]?.model}), Node ${process.version}, load by ${generator}`,
      loadBefore: loadavg()[0] ?? 0,
      conditions: { rounds, seconds, connections, users, ...(flushMs > 0 ? { flushMs } : {}) },
      ...{ rows: [], figures: [], isWhole, left: [] },
    };
    console.log(`${describeRun(this.results)}\n\n${layOut(HEAD)}`);
  }

  addRow(row: Row): void {
    this.results.rows.push(row);
    console.log(tableRows(row).map(layOut).join('\n'));
  }

  addFigures(figures: Figure[]): void {
    this.results.figures.push(...figures);
    for (const { title, unit, values } of figures) {
      console.log(`${title.padEnd(60)} ${showSpread(spreadOf(values), 1)} ${unit}`);
    }
  }

  /** `latest`, `large-sqlite` or `large-postgres`: its files and its section in docs/performance.md. */
  async finish(name: string): Promise<void> {
    const { results, writeDocs: toDocs } = this.#options;
    for (const what of this.results.left) console.log(`left out: ${what}`);
    const verdicts = verdictRows(this.results).map((row) =>
      row.map((cell, index) => cell.padEnd(VERDICT_WIDTHS[index] ?? 0)).join(' '),
    );
    console.log(`\n${verdicts.join('\n')}`);
    await mkdir(results, { recursive: true });
    await writeFile(join(results, `${name}.json`), `${JSON.stringify(this.results, null, 2)}\n`);
    await writeFile(join(results, `${name}.svg`), drawPlot(this.results));
    if (toDocs) await writeDocs(this.results, name);
  }
}
