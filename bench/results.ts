import type { Measured, Series } from './compare.ts';
import { type Spread, spreadOf } from './spread.ts';

/** An operation, taken in turn by all that can. */
export type Row = { operation: string; title: string; series: Series[]; void?: string };

/** What is no rate: a time, a size. */
export type Figure = { name: string; title: string; unit: string; values: number[] };

/** All of a run, as it is kept in JSON. */
export type Results = {
  date: string;
  machine: string;
  /** The machine's load average before it began: what else ran. */
  loadBefore: number;
  /** Of which kind and length, for whoever compares two of them. */
  conditions: Record<string, number | string>;
  rows: Row[];
  figures: Figure[];
  /** Whether everything was asked for, so that a bar without a figure is worth telling. */
  isWhole: boolean;
  /** What was not measured, and why. */
  left: string[];
};

/** Where there was other work, readers have to know. */
const BUSY = 1;

export function introduce({ date, machine, loadBefore }: Results): string {
  const busy =
    loadBefore >= BUSY
      ? ' Other work ran on the machine: rounds differ by much, and a verdict near its bar says little.'
      : '';
  return `${date}, ${machine}, load average before ${loadBefore.toFixed(1)}.${busy}`;
}

/** The name of the service of another checkout, beside ours on the same database. */
export const otherOf = (database: string): string => `${database}, other`;

export function seriesOf({ series }: Row, name: string): Series | undefined {
  return series.find((one) => one.name === name && one.void === undefined);
}

/** Round by round: what ran beside both in one round disturbed both. */
export function ratioOf(one: Series, other: Series, figure = (run: Measured): number => run.rate): Spread {
  const pairs = one.runs.flatMap((run, round) => {
    const against = other.runs[round];
    return against ? [figure(run) / figure(against)] : [];
  });
  return spreadOf(pairs);
}
