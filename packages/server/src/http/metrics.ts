import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Storage } from '../storage/port.ts';

export type Metrics = {
  observe(method: string, route: string, status: number, code: string | undefined, seconds: number): void;
  /** A request of which nobody knows when it began. */
  count(method: string, route: string, status: number, code: string | undefined): void;
  /** Prometheus text format. */
  text(): Promise<string>;
};

export function createMetrics(storage: Storage, textOf: (registry: Registry) => () => Promise<string>): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];

  const requests = new Counter({
    name: 'innkeeper_requests_total',
    help: 'Requests answered, by route, HTTP status and error code.',
    labelNames: ['method', 'route', 'status', 'code'] as const,
    registers,
  });
  const duration = new Histogram({
    name: 'innkeeper_request_seconds',
    help: 'Time from the first byte of a request to the last of its answer.',
    labelNames: ['route'] as const,
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  const figure = (name: string, help: string, read: () => number): void => {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  };
  figure('innkeeper_committed_acts', 'Writes committed since the start.', () => storage.figures().committedActs);
  figure('innkeeper_committed_batches', 'Transactions that carried them.', () => storage.figures().committedBatches);
  figure('innkeeper_waiting_acts', 'Writes that wait for their commit.', () => storage.figures().waitingActs);
  figure('innkeeper_database_connections', 'Open connections.', () => storage.figures().connections.open);
  figure('innkeeper_database_connections_idle', 'Idle connections.', () => storage.figures().connections.idle);
  figure('innkeeper_database_waiting', 'Callers waiting for one.', () => storage.figures().connections.waiting);

  // Label look-ups cost more than the counting: each combination is resolved once.
  const counters = new Map<string, Counter.Internal>();
  const durations = new Map<string, Histogram.Internal<'route'>>();

  const count: Metrics['count'] = (method, route, status, code) => {
    const name = `${method} ${route} ${status} ${code ?? ''}`;
    let counter = counters.get(name);
    if (!counter) {
      counter = requests.labels(method, route, String(status), code ?? '');
      counters.set(name, counter);
    }
    counter.inc();
  };

  return {
    count,
    observe(method, route, status, code, seconds) {
      count(method, route, status, code);
      let histogram = durations.get(route);
      if (!histogram) {
        histogram = duration.labels(route);
        durations.set(route, histogram);
      }
      histogram.observe(seconds);
    },
    text: textOf(registry),
  };
}
