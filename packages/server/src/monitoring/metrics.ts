import type { Registry } from 'prom-client';
import type { Storage } from '../storage/port.ts';
import type { MetricSources } from './metrics-registry.ts';
import { type ActDurations, Durations, RequestCounts, type ResponseSeries } from './request-counts.ts';

/** In seconds. Few, because every storage call has its own row. */
const ACT_BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5];

type Act = (...args: unknown[]) => Promise<unknown>;

/** Wraps a storage to measure every call, from start to result or error, including waiting. */
export function timedStorage(storage: Storage): { storage: Storage; durations: ActDurations } {
  const durations = new Map<string, Durations>();
  const timed: Record<string, unknown> = { ...storage };
  for (const [store, acts] of Object.entries(storage)) {
    if (typeof acts !== 'object') continue;
    const own = Object.entries(acts as Record<string, Act>).map(([name, act]) => {
      const ofAct = new Durations(ACT_BUCKETS);
      durations.set(`${store}.${name}`, ofAct);
      return [name, timedAct(act, ofAct)];
    });
    timed[store] = Object.fromEntries(own);
  }
  return { storage: timed as unknown as Storage, durations };
}

function timedAct(act: Act, durations: Durations): Act {
  return (...args) => {
    const startedAt = performance.now();
    const outcome = act(...args);
    const end = (): void => durations.add((performance.now() - startedAt) / 1000);
    outcome.then(end, end);
    return outcome;
  };
}

export type Metrics = {
  readonly counts: RequestCounts;
  observe(method: string, route: string, status: number, code: string | undefined, seconds: number): ResponseSeries;
  /** For a request whose start time is unknown. */
  count(method: string, route: string, status: number, code: string | undefined): void;
  /** Prometheus text format. */
  text(): Promise<string>;
};

/** Requests are counted from the start; prom-client, 80 modules, is loaded when the metrics are first read. */
export function createMetrics(
  sources: MetricSources,
  textOf: (registry: () => Promise<Registry>) => () => Promise<string>,
): Metrics {
  const counts = new RequestCounts();
  let registry: Promise<Registry> | undefined;
  return {
    counts,
    observe: (method, route, status, code, seconds) => counts.add(method, route, status, code, seconds),
    count: (method, route, status, code) => counts.add(method, route, status, code),
    text: textOf(() => {
      registry ??= import('./metrics-registry.ts').then(({ createRegistry }) => createRegistry(sources, counts));
      return registry;
    }),
  };
}
