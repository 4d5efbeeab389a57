import type { Registry } from 'prom-client';
import { type Answers, RequestCounts } from './durations.ts';
import type { MetricSources } from './metrics-registry.ts';

export type Metrics = {
  readonly counts: RequestCounts;
  observe(method: string, route: string, status: number, code: string | undefined, seconds: number): Answers;
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
