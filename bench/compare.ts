import type { LoadResult } from './load.ts';

/** A participant that takes its turn at an operation: the service, a limit, a peer. */
export type Contestant = { name: string; run(seconds: number): Promise<Measured> };

export type Measured = LoadResult & {
  /**
   * Processor time of its process per response, in microseconds: the figure that other work on the machine disturbs
   * least.
   */
  processorUs?: number;
};

export type Series = {
  name: string;
  runs: Measured[];
  /** Why it has no runs: after one bad response, none of its figures count. */
  void?: string;
};

export type Conditions = { rounds: number; seconds: number; connections: number; folder: string };

/**
 * V8 fully optimizes the response code after about 20,000 requests. If a run takes less than a second, so does the
 * warm-up.
 */
const WARM_UP_SECONDS = 4;

/** Warms up first; then all take turns, round by round, and the last of a round goes first in the next. */
export async function compare(contestants: Contestant[], { rounds, seconds }: Conditions): Promise<Series[]> {
  const inOrder = contestants.map((contestant) => ({
    contestant,
    series: { name: contestant.name, runs: [] } as Series,
  }));
  for (let round = -1; round < rounds; round++) {
    for (const { contestant, series } of round % 2 === 1 ? inOrder.toReversed() : inOrder) {
      if (series.void !== undefined) continue;
      try {
        const measured = await contestant.run(round < 0 && seconds >= 1 ? WARM_UP_SECONDS : seconds);
        if (round >= 0) series.runs.push(measured);
      } catch (error) {
        series.runs = [];
        series.void = error instanceof Error ? error.message : String(error);
      }
    }
  }
  return inOrder.map(({ series }) => series);
}
