import type { LoadResult } from './load.ts';

/** One of those that take the same operation in turn: the service, a limit, a peer. */
export type Contestant = { name: string; run(seconds: number): Promise<Measured> };

export type Measured = LoadResult & {
  /** Processor time of its process for each answer, in microseconds: other work on the machine disturbs it least. */
  processorUs?: number;
};

export type Series = {
  name: string;
  runs: Measured[];
  /** Why it has no runs: one bad answer, and none of its figures count. */
  void?: string;
};

export type Conditions = { rounds: number; seconds: number; connections: number; folder: string };

/** V8 makes its best code of what answers after some 20,000 requests. Where a run takes less than a second, so does this. */
const WARM_UP_SECONDS = 4;

/** Warm-up first; then all in turn, round by round, whoever was last being first in the next. */
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
