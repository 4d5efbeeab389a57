import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import {
  type Attributes,
  createTraceState,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
  ValueType,
} from '@opentelemetry/api';
import { millisToHrTime, setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { AlwaysOnSampler, BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { messageOf } from '../caught.ts';
import type { TelemetryConfig } from '../config.ts';
import { version } from '../package.ts';
import type { Figures, FromTelemetryThread, ToTelemetryThread } from './open-telemetry.ts';
import { Durations } from './request-counts.ts';
import type { EndedSpan } from './tracer.ts';

/** How often to report that the collector is unreachable. */
const REPORT_EVERY_MS = 60_000;
const CLOSE_MS = 2_000;
const SCOPE = { name: 'innkeeper', version };
const STARTED_AT = Date.now();

const port = parentPort as NonNullable<typeof parentPort>;
const post = (message: FromTelemetryThread): void => port.postMessage(message);
const { traces, metrics, intervalMs } = workerData as TelemetryConfig;
reportFailures();
// The SDK itself reads the OTEL_* variables.
const ours = { 'service.name': 'innkeeper', 'service.version': version, 'service.instance.id': randomUUID() };
const resource = resourceFromAttributes(ours).merge(detectResources({ detectors: [envDetector] }));

/** The ids of the span that is being re-created here. */
let ids: Pick<EndedSpan, 'traceId' | 'spanId'>;
const spans = new BasicTracerProvider({
  resource,
  sampler: new AlwaysOnSampler(),
  idGenerator: { generateTraceId: () => ids.traceId, generateSpanId: () => ids.spanId },
  spanProcessors: traces ? [new BatchSpanProcessor(new OTLPTraceExporter())] : [],
});
const tracer = spans.getTracer(SCOPE.name, SCOPE.version);
const meters = new MeterProvider({
  resource,
  readers: metrics
    ? [
        new PeriodicExportingMetricReader({
          exporter: new OTLPMetricExporter(),
          exportIntervalMillis: intervalMs,
          exportTimeoutMillis: Math.min(intervalMs, 30_000),
          metricProducers: [{ collect }],
        }),
      ]
    : [],
});

port.on('message', (message: ToTelemetryThread) => {
  if (message === 'close') void close();
  else if ('ended' in message) {
    for (const span of message.ended) repeat(span);
    post({ taken: message.ended.length });
  } else {
    pending?.resolve(message.figures);
    pending = undefined;
  }
});

function repeat({ parentSpanId, traceState, kind, name, attributes, isFailed, ...span }: EndedSpan): void {
  ids = span;
  const parent = parentSpanId && {
    traceId: span.traceId,
    spanId: parentSpanId,
    traceFlags: TraceFlags.SAMPLED,
    isRemote: kind === 'server',
    ...(traceState && { traceState: createTraceState(traceState) }),
  };
  const repeated = tracer.startSpan(
    name,
    { kind: kind === 'server' ? SpanKind.SERVER : SpanKind.CLIENT, attributes, startTime: span.startedAt },
    parent ? trace.setSpanContext(ROOT_CONTEXT, parent) : ROOT_CONTEXT,
  );
  if (isFailed) repeated.setStatus({ code: SpanStatusCode.ERROR });
  repeated.end(span.endedAt);
}

let pending: PromiseWithResolvers<Figures | undefined> | undefined;

async function collect() {
  if (!pending) {
    pending = Promise.withResolvers();
    post({ request: 'figures' });
  }
  const figures = await pending.promise;
  return {
    resourceMetrics: { resource, scopeMetrics: [{ scope: SCOPE, metrics: figures ? toMetrics(figures) : [] }] },
    errors: [],
  };
}

function toMetrics({ durations, requestsInFlight, database, problems }: Figures): MetricData[] {
  const times = { startTime: millisToHrTime(STARTED_AT), endTime: millisToHrTime(Date.now()) };
  const point = <T>(value: T, attributes: Attributes = {}) => ({ ...times, attributes, value });
  const described = (name: string, unit: string, description = '') => ({
    descriptor: { name, unit, description, valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  });
  const sum = { dataPointType: DataPointType.SUM, isMonotonic: false } as const;
  const connections = (state: string) => ({
    'db.client.connection.pool.name': database.kind,
    'db.client.connection.state': state,
  });
  return [
    {
      ...described('http.server.request.duration', 's', 'Duration of HTTP server requests.'),
      dataPointType: DataPointType.HISTOGRAM,
      dataPoints: Array.from(byAttributes(durations), ([attributes, { bounds, buckets, seconds, count }]) => {
        const beyond = buckets.reduce((left, each) => left - each, count);
        const counted = { boundaries: [...bounds], counts: [...buckets, beyond] };
        return point({ buckets: counted, sum: seconds, count }, JSON.parse(attributes) as Attributes);
      }),
    },
    {
      ...described('http.server.active_requests', '{request}'),
      ...sum,
      dataPoints: [point(requestsInFlight)],
    },
    {
      ...described('db.client.connection.count', '{connection}'),
      ...sum,
      dataPoints: [
        point(database.idle, connections('idle')),
        point(database.open - database.idle, connections('used')),
      ],
    },
    {
      ...described('innkeeper.acts.waiting', '{act}', 'Acts that wait for the database, reads and writes.'),
      ...sum,
      dataPoints: [point(database.waitingActs)],
    },
    {
      ...described('innkeeper.problem', '', '1 for each kind of problem that /readyz reports.'),
      dataPointType: DataPointType.GAUGE,
      dataPoints: problems.map((kind) => point(1, { kind })),
    },
  ];
}

/** Unlike /metrics, the semantic conventions distinguish neither error codes nor unusual methods. */
function byAttributes(all: Figures['durations']): Map<string, Durations> {
  const sums = new Map<string, Durations>();
  for (const { method, route, status, durations } of all) {
    const key = JSON.stringify({
      'http.request.method': method,
      'url.scheme': 'http',
      'http.response.status_code': status,
      ...(route !== undefined && { 'http.route': route }),
      ...(status >= 500 && { 'error.type': String(status) }),
    } satisfies Attributes);
    const sum = sums.get(key) ?? new Durations(durations.bounds);
    sums.set(key, sum.addAll(durations));
  }
  return sums;
}

async function close(): Promise<void> {
  const late = sleep(CLOSE_MS);
  await Promise.race([Promise.allSettled([spans.shutdown(), meters.shutdown()]), late]);
  process.exit();
}

/** The SDK retries by itself; an unreachable collector is logged once a minute, and no request waits for it. */
function reportFailures(): void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  const report = (reason: string): void => {
    if (performance.now() - reportedAt < REPORT_EVERY_MS) return;
    reportedAt = performance.now();
    post({ problem: 'traces or metrics could not be sent to the OpenTelemetry collector', reason });
  };
  setGlobalErrorHandler((error) => report(messageOf(error)));
  const ignore = (): void => {};
  const settings = (reason: string): void => post({ problem: 'OpenTelemetry has a problem', reason });
  diag.setLogger(
    { error: settings, warn: ignore, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true },
  );
}
