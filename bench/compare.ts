import type { LoadResult } from './load.ts';

/** One of those that take the same operation in turn: the service, a limit, a peer. */
export type Contestant = { name: string; run(seconds: number): Promise<Measured> };

export type Measured = LoadResult & {
  /** Processor time of its process for each answer, in microseconds: other work on the machine disturbs it least. */
  processorUs?: number;
};

export type Series = { name: string; runs: Measured[] };

export type Conditions = { rounds: number; seconds: number; connections: number; folder: string };

const WARM_UP_SECONDS = 2;

/** Warm-up first; then all in turn, round by round, whoever was last being first in the next. */
export async function compare(contestants: Contestant[], { rounds, seconds }: Conditions): Promise<Series[]> {
  const series = contestants.map(({ name }): Series => ({ name, runs: [] }));
  const inOrder = contestants.map((contestant, index) => ({ contestant, runs: series[index]?.runs ?? [] }));
  for (const { contestant } of inOrder) await contestant.run(Math.min(WARM_UP_SECONDS, seconds));
  for (let round = 0; round < rounds; round++) {
    for (const { contestant, runs } of round % 2 === 0 ? inOrder : inOrder.toReversed()) {
      runs.push(await contestant.run(seconds));
    }
  }
  return series;
}
