import type { Measured, Series } from './compare.ts';
import { type Spread, spreadOf } from './spread.ts';

/** An operation, with the results of all contestants that support it. */
export type Row = { operation: string; title: string; series: Series[]; void?: string };

/** A figure that is not a rate: a time, a size. */
export type Figure = { name: string; title: string; unit: string; values: number[] };

/** A whole run, as saved in JSON. */
export type Results = {
  date: string;
  machine: string;
  /** The machine's load average before it began: shows other work. */
  loadBefore: number;
  /** Kind and length of the run, for comparing two of them. */
  conditions: Record<string, number | string>;
  rows: Row[];
  figures: Figure[];
  /** Whether everything was requested, so that a bar without a figure is worth reporting. */
  isWhole: boolean;
  /** What was not measured, and why. */
  left: string[];
};

/** Above this load, the report says that other work ran. */
const BUSY = 1;

export function describeRun({ date, machine, loadBefore }: Results): string {
  const busy =
    loadBefore >= BUSY
      ? ' Other work ran on the machine: rounds differ a lot, and a verdict near its bar means little.'
      : '';
  return `${date}, ${machine}, load average before ${loadBefore.toFixed(1)}.${busy}`;
}

/** The name of another checkout's service, next to ours on the same database. */
export const otherOf = (database: string): string => `${database}, other`;

export function seriesOf({ series }: Row, name: string): Series | undefined {
  return series.find((one) => one.name === name && one.void === undefined);
}

/** Round by round: other work in a round affected both. */
export function ratioOf(one: Series, other: Series, figure = (run: Measured): number => run.rate): Spread {
  const pairs = one.runs.flatMap((run, round) => {
    const against = other.runs[round];
    return against ? [figure(run) / figure(against)] : [];
  });
  return spreadOf(pairs);
}
