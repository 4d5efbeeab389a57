import { type Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Service } from '../domain/service.ts';
import { version } from '../package.ts';
import type { ActDurations, Durations, RequestCounts } from './request-counts.ts';

/** Figures measured elsewhere. */
export type MetricSources = Pick<Service, 'storage' | 'problems' | 'clockSkewMs' | 'mailer' | 'webhookFigures'> & {
  actDurations: ActDurations;
  changeLagMs(): number;
  cacheBytes(): number;
  droppedLogLines(): number;
};

type Sample = { metricName?: string; labels: Record<string, string | number>; value: number };

/** All metrics, in the form that prom-client writes and aggregates. */
export function createRegistry(sources: MetricSources, counts: RequestCounts): Registry {
  const { storage, problems, clockSkewMs, mailer, webhookFigures, actDurations, droppedLogLines } = sources;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });

  const show = (type: 'counter' | 'histogram', name: string, help: string, read: () => Sample[]): void => {
    const get = async () => ({ name, help, type, aggregator: 'sum', values: read() });
    // A registry uses nothing else of a metric; the type requires all of prom-client's own.
    registry.registerMetric({ name, get } as unknown as Counter);
  };
  show('counter', 'innkeeper_requests_total', 'Completed requests, by route, HTTP status and error code.', () =>
    Array.from(counts.series(), ({ labels, count }) => ({ labels, value: count })),
  );
  const seconds = 'innkeeper_request_seconds';
  show('histogram', seconds, 'Time from the start of a request until its response is handed to the network.', () =>
    [...counts.durationsBy(({ route }) => route)].flatMap(([route, durations]) =>
      toHistogram(seconds, { route }, durations),
    ),
  );
  const actSeconds = 'innkeeper_database_seconds';
  show('histogram', actSeconds, 'Time of an act on the database, waiting included, by act.', () =>
    [...actDurations]
      .filter(([, { count }]) => count > 0)
      .flatMap(([act, durations]) => toHistogram(actSeconds, { act }, durations)),
  );

  show(
    'counter',
    'innkeeper_log_lines_dropped_total',
    'Log lines dropped because the log could not be written.',
    () => [{ labels: {}, value: droppedLogLines() }],
  );

  if (mailer) {
    show('counter', 'innkeeper_mails_total', 'Mails, by outcome: sent, failed or dropped.', () =>
      Object.entries(mailer.counts()).map(([outcome, value]) => ({ labels: { outcome }, value })),
    );
  }

  const deliveries = 'Attempts to deliver an event to a webhook, by outcome: succeeded, retried or failed.';
  show('counter', 'innkeeper_webhook_deliveries_total', deliveries, () =>
    Object.entries(webhookFigures().attempts).map(([outcome, value]) => ({ labels: { outcome }, value })),
  );

  const figure = (name: string, help: string, read: () => number, aggregator: 'sum' | 'max' = 'sum'): void => {
    new Gauge({
      name,
      help,
      aggregator,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  };
  new Gauge({
    name: 'innkeeper_build_info',
    help: 'Always 1; the labels say what runs.',
    labelNames: ['version', 'node', 'database'],
    aggregator: 'max',
    registers: [registry],
  }).set({ version, node: process.version, database: storage.kind }, 1);
  figure('innkeeper_committed_acts', 'Writes committed since the start.', () => storage.figures().committedActs);
  figure(
    'innkeeper_committed_batches',
    'Transactions that the writes shared.',
    () => storage.figures().committedBatches,
  );
  figure('innkeeper_waiting_acts', 'Acts that wait for the database, reads and writes.', () => storage.waitingActs());
  figure('innkeeper_writes_failing', '1 while a problem that /readyz reports stops writes.', () =>
    Number(problems().some(({ kind, effect }) => kind !== 'clock' && effect !== 'none')),
  );
  new Gauge({
    name: 'innkeeper_problem',
    help: '1 for each kind of problem that /readyz reports.',
    labelNames: ['kind'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { kind } of problems()) this.set({ kind }, 1);
    },
  });
  new Gauge({
    name: 'innkeeper_clock_skew_seconds',
    help: "How far this machine's clock is ahead of the database's (PostgreSQL).",
    aggregator: 'average',
    registers: [registry],
    collect() {
      this.set(Math.round(clockSkewMs()) / 1000);
    },
  });
  const lag = 'Age of the last event that the slowest webhook has read; 0 when all have read everything.';
  figure('innkeeper_webhook_lag_seconds', lag, () => webhookFigures().lagMs / 1000, 'max');
  const changeLag = 'Time since this process last read all changes by others to catalogs, keys and settings.';
  figure('innkeeper_change_log_lag_seconds', changeLag, () => sources.changeLagMs() / 1000, 'max');
  figure('innkeeper_cache_bytes', 'Memory of cached catalog responses.', sources.cacheBytes);
  figure('innkeeper_database_connections', 'Open connections.', () => storage.figures().connections.open);
  figure('innkeeper_database_connections_idle', 'Idle connections.', () => storage.figures().connections.idle);
  if (storage.kind === 'sqlite') {
    // Workers share the file: a sum over them would be wrong.
    figure('innkeeper_log_bytes', 'Size of the write-ahead log.', () => storage.figures().logBytes ?? 0, 'max');
  }
  figure('innkeeper_database_waiting', 'Callers waiting for one.', () => storage.figures().connections.waiting);
  return registry;
}

/** Prometheus buckets are cumulative. */
function toHistogram(name: string, labels: Record<string, string>, durations: Durations): Sample[] {
  const { bounds, buckets, seconds, count } = durations;
  let within = 0;
  const upTo = bounds.map((le, index) => {
    within += buckets[index] as number;
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: within };
  });
  return [
    ...upTo,
    { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: count },
    { metricName: `${name}_sum`, labels, value: seconds },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
