import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { type LoadResult, runLoad } from './load.ts';
import { processorTime } from './service.ts';

/** One of those that take the same operation in turn: the service, a limit, a peer. */
export type Contestant = {
  name: string;
  port: number;
  child: ChildProcess;
  /** Requests for one run of so many, and whether each of them is good once only. */
  requests(count: number): Promise<string[]>;
  once: boolean;
};

export type Measured = LoadResult & {
  /** Processor time of its process for each answer, in microseconds: other work on the machine disturbs it least. */
  processorUs: number;
};

export type Series = { name: string; runs: Measured[] };

export type Conditions = { rounds: number; seconds: number; connections: number; folder: string };

const WARM_UP_SECONDS = 2;
const WARM_UP_REQUESTS = 8_000;
/** A run may turn out quicker than the one before. */
const SPARE = 1.4;

/** Warm-up first; then all in turn, round by round, whoever was last being first in the next. */
export async function compare(contestants: Contestant[], conditions: Conditions): Promise<Series[]> {
  const warm = { ...conditions, seconds: Math.min(WARM_UP_SECONDS, conditions.seconds) };
  const rates = new Map<Contestant, number>();
  for (const contestant of contestants) {
    const { rate } = await measure(contestant, WARM_UP_REQUESTS, warm);
    rates.set(contestant, rate);
  }
  const series = new Map(contestants.map((contestant) => [contestant, [] as Measured[]]));
  for (let round = 0; round < conditions.rounds; round++) {
    for (const contestant of round % 2 === 0 ? contestants : contestants.toReversed()) {
      const count = Math.ceil((rates.get(contestant) ?? 0) * conditions.seconds * SPARE);
      const measured = await measure(contestant, count, conditions);
      rates.set(contestant, Math.max(measured.rate, rates.get(contestant) ?? 0));
      series.get(contestant)?.push(measured);
    }
  }
  return Array.from(series, ([{ name }, runs]) => ({ name, runs }));
}

async function measure(contestant: Contestant, count: number, conditions: Conditions): Promise<Measured> {
  const { name, port, child, once } = contestant;
  const { seconds, connections, folder } = conditions;
  const requests = await contestant.requests(count);
  const before = await processorTime(child);
  try {
    const result = await runLoad({ port, requests, once, seconds, connections }, join(folder, 'requests'));
    return { ...result, processorUs: (((await processorTime(child)) - before) * 1000) / result.answered };
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
