import { randomFillSync, randomUUID } from 'node:crypto';
import {
  type Attributes,
  type Context,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  type Span as SdkSpan,
  SpanKind,
  SpanStatusCode,
  type TraceState,
  trace,
  ValueType,
} from '@opentelemetry/api';
import {
  getNumberFromEnv,
  getStringFromEnv,
  millisToHrTime,
  setGlobalErrorHandler,
  W3CTraceContextPropagator,
} from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type HistogramMetricData,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import type { Logger } from 'pino';
import type { TelemetryConfig } from '../config.ts';
import type { Service } from '../domain/service.ts';
import type { ServedRequest, Span, Tracer } from '../domain/tracing.ts';
import { version } from '../package.ts';
import { maskPath } from './logging.ts';
import type { RequestCounts } from './request-counts.ts';

/** RFC 9110 and PATCH; the semantic conventions combine all others into one. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH']);
/** How often to report that the collector is unreachable. */
const REPORT_EVERY_MS = 60_000;
const CLOSE_MS = 2_000;

const PROPAGATOR = new W3CTraceContextPropagator();
const readHeader = {
  get: (headers: ServedRequest['headers'], name: string) => headers[name],
  keys: (headers: ServedRequest['headers']) => Object.keys(headers),
};
const writeHeader = {
  set: (headers: Record<string, string>, name: string, value: string) => {
    headers[name] = value;
  },
};

type Sources = Pick<Service, 'storage' | 'problems'> & { requests: RequestCounts; requestsInFlight(): number };

export type Telemetry = {
  tracer: Tracer | undefined;
  /** Adds the figures measured elsewhere, once their sources exist. */
  observe(sources: Sources): void;
  /** Sends what remains, within two seconds. */
  close(): Promise<void>;
};

/** Loaded only when switched on. The SDK itself reads the OTEL_* variables. */
export function startTelemetry({ traces, metrics, intervalMs }: TelemetryConfig, logger: Logger): Telemetry {
  reportFailures(logger);
  const ours = { 'service.name': 'innkeeper', 'service.version': version, 'service.instance.id': randomUUID() };
  const resource = resourceFromAttributes(ours).merge(detectResources({ detectors: [envDetector] }));
  const scope = { name: 'innkeeper', version };
  let requests: RequestCounts | undefined;
  const startedAt = Date.now();
  const produced = (): HistogramMetricData[] => (requests ? [durationsOf(requests, startedAt)] : []);
  const readers = metrics
    ? [
        new PeriodicExportingMetricReader({
          exporter: new OTLPMetricExporter(),
          exportIntervalMillis: intervalMs,
          exportTimeoutMillis: Math.min(intervalMs, 30_000),
          metricProducers: [
            {
              collect: async () => ({
                resourceMetrics: { resource, scopeMetrics: [{ scope, metrics: produced() }] },
                errors: [],
              }),
            },
          ],
        }),
      ]
    : [];
  const meters = new MeterProvider({ resource, readers });
  const meter = meters.getMeter(scope.name, scope.version);
  const { provider, tracer } = createTracer(resource, traces);

  return {
    tracer,
    observe({ storage, problems, requestsInFlight, ...sources }) {
      ({ requests } = sources);
      meter
        .createObservableUpDownCounter('http.server.active_requests', { unit: '{request}' })
        .addCallback((result) => result.observe(requestsInFlight()));
      meter
        .createObservableUpDownCounter('db.client.connection.count', { unit: '{connection}' })
        .addCallback((result) => {
          const { open, idle } = storage.figures().connections;
          const pool = { 'db.client.connection.pool.name': storage.kind };
          result.observe(idle, { ...pool, 'db.client.connection.state': 'idle' });
          result.observe(open - idle, { ...pool, 'db.client.connection.state': 'used' });
        });
      meter
        .createObservableUpDownCounter('innkeeper.acts.waiting', {
          unit: '{act}',
          description: 'Acts that wait for the database, reads and writes.',
        })
        .addCallback((result) => result.observe(storage.waitingActs()));
      meter
        .createObservableGauge('innkeeper.problem', { description: '1 for each kind of problem that /readyz reports.' })
        .addCallback((result) => {
          for (const { kind } of problems()) result.observe(1, { kind });
        });
    },
    async close() {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, CLOSE_MS);
      });
      await Promise.race([Promise.allSettled([provider.shutdown(), meters.shutdown()]), late]);
      clearTimeout(timer);
    },
  };
}

/** The durations counted for /metrics: measuring them again would cost every request more than counting does. */
function durationsOf(requests: RequestCounts, startedAt: number): HistogramMetricData {
  const times = { startTime: millisToHrTime(startedAt), endTime: millisToHrTime(Date.now()) };
  const sums = requests.durationsBy(({ method, route, status }) =>
    JSON.stringify({
      'http.request.method': METHODS.has(method) ? method : '_OTHER',
      'url.scheme': 'http',
      'http.response.status_code': status,
      ...(route !== 'unknown' && { 'http.route': route }),
      ...(status >= 500 && { 'error.type': String(status) }),
    }),
  );
  return {
    descriptor: {
      name: 'http.server.request.duration',
      description: 'Duration of HTTP server requests.',
      unit: 's',
      valueType: ValueType.DOUBLE,
    },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
    dataPointType: DataPointType.HISTOGRAM,
    dataPoints: Array.from(sums, ([attributes, { bounds, buckets, seconds: sum, count }]) => {
      const beyond = buckets.reduce((left, each) => left - each, count);
      return {
        ...times,
        attributes: JSON.parse(attributes) as Attributes,
        value: { buckets: { boundaries: [...bounds], counts: [...buckets, beyond] }, sum, count },
      };
    }),
  };
}

type SpanParts = { name: string; kind: SpanKind; attributes: Attributes };

/**
 * Most requests are not sampled. For them it costs to ask the SDK for a span, so the sampler is asked here, and the SDK
 * only for spans that are sent.
 */
function createTracer(resource: Resource, isSent: boolean): { provider: BasicTracerProvider; tracer: Tracer } {
  const sampler = readSampler();
  /** Of the span that is about to be made. */
  let chosenTraceId = '';
  const provider = new BasicTracerProvider({
    resource,
    sampler: new AlwaysOnSampler(),
    idGenerator: { generateTraceId: () => chosenTraceId, generateSpanId: randomSpanId },
    spanProcessors: isSent ? [new BatchSpanProcessor(new OTLPTraceExporter())] : [],
  });
  const sdk = provider.getTracer('innkeeper', version);

  const begin = (kind: SpanKind, parent: Context, describe: () => Omit<SpanParts, 'kind'>): Span => {
    const caller = trace.getSpanContext(parent);
    const traceId = caller?.traceId ?? randomHex(32);
    const { decision } = sampler.shouldSample(parent, traceId, '', kind, {}, []);
    if (decision === SamplingDecision.NOT_RECORD) return new UnsampledSpan(traceId, caller?.traceState);
    chosenTraceId = traceId;
    const { name, attributes } = describe();
    const context = trace.setSpan(parent, sdk.startSpan(name, { kind, attributes }, parent));
    return new SampledSpan(context, (method, address) => call(method, address, context));
  };
  const call = (method: string, address: string, parent: Context): Span =>
    begin(SpanKind.CLIENT, parent, () => {
      const { hostname, port, protocol, origin, pathname } = new URL(address);
      const attributes = {
        'http.request.method': method,
        'server.address': hostname,
        'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
        // Webhook addresses may have a secret in path or query.
        'url.full': origin + maskPath(pathname),
      };
      return { name: method, attributes };
    });

  const tracer: Tracer = {
    call: (method, address) => call(method, address, ROOT_CONTEXT),
    serve: ({ method: sent, route, path, headers }) =>
      begin(SpanKind.SERVER, PROPAGATOR.extract(ROOT_CONTEXT, headers, readHeader), () => {
        const method = METHODS.has(sent) ? sent : '_OTHER';
        const name = method === '_OTHER' ? 'HTTP' : method;
        const attributes: Attributes = {
          'http.request.method': method,
          'url.scheme': 'http',
          'url.path': maskPath(path),
          ...(route !== undefined && { 'http.route': route }),
        };
        return { name: route === undefined ? name : `${name} ${route}`, attributes };
      }),
  };
  return { provider, tracer };
}

const SAMPLERS: Record<string, () => Sampler> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: () => {
    const ratio = getNumberFromEnv('OTEL_TRACES_SAMPLER_ARG') ?? 1;
    return new TraceIdRatioBasedSampler(ratio >= 0 && ratio <= 1 ? ratio : 1);
  },
};

/** As the SDK reads it, which also reports invalid values, but keeps its sampler to itself. */
function readSampler(): Sampler {
  const [, isParentBased, name = ''] =
    /^(parentbased_)?(.*)$/.exec(getStringFromEnv('OTEL_TRACES_SAMPLER') ?? '') ?? [];
  const root = SAMPLERS[name]?.();
  if (root && isParentBased === undefined) return root;
  return new ParentBasedSampler({ root: root ?? new AlwaysOnSampler() });
}

const pool = Buffer.alloc(4096);
let unused = '';

/** Random bytes are drawn in advance: one by one they take ten times as long. */
function randomHex(digits: number): string {
  if (unused.length < digits) unused = randomFillSync(pool).toString('hex');
  const taken = unused.slice(0, digits);
  unused = unused.slice(digits);
  return taken;
}

const randomSpanId = (): string => randomHex(16);

/** Has ids for the log, and lets those it calls know that it is not sampled. */
class UnsampledSpan implements Span {
  readonly traceId: string;
  readonly spanId = randomSpanId();
  readonly #state: TraceState | undefined;

  constructor(traceId: string, state: TraceState | undefined) {
    this.traceId = traceId;
    this.#state = state;
  }

  get headers(): Record<string, string> {
    const tracestate = this.#state?.serialize();
    return { traceparent: `00-${this.traceId}-${this.spanId}-00`, ...(tracestate && { tracestate }) };
  }

  call(): Span {
    return new UnsampledSpan(this.traceId, this.#state);
  }

  end(): void {}
}

class SampledSpan implements Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly call: Span['call'];
  readonly #context: Context;
  readonly #span: SdkSpan;

  constructor(context: Context, call: Span['call']) {
    this.#context = context;
    this.#span = trace.getSpan(context) as SdkSpan;
    ({ traceId: this.traceId, spanId: this.spanId } = this.#span.spanContext());
    this.call = call;
  }

  get headers(): Record<string, string> {
    const headers = {};
    PROPAGATOR.inject(this.#context, headers, writeHeader);
    return headers;
  }

  end({ status, code, failure }: Parameters<Span['end']>[0]): void {
    const span = this.#span;
    if (!span.isRecording()) return;
    if (status !== undefined) span.setAttribute('http.response.status_code', status);
    if (code !== undefined) span.setAttribute('innkeeper.error_code', code);
    if (failure !== undefined || (status ?? 0) >= 500) {
      span.setAttribute('error.type', failure ?? String(status));
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end();
  }
}

/** The SDK retries by itself; an unreachable collector is logged once a minute, and no request waits for it. */
function reportFailures(logger: Logger): void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  const report = (message: string): void => {
    if (performance.now() - reportedAt < REPORT_EVERY_MS) return;
    reportedAt = performance.now();
    logger.warn({ reason: message }, 'traces or metrics could not be sent to the OpenTelemetry collector');
  };
  setGlobalErrorHandler((error) => report(error instanceof Error ? error.message : String(error)));
  const ignore = (): void => {};
  const settings = (message: string): void => logger.warn({ reason: message }, 'OpenTelemetry has a problem');
  diag.setLogger(
    { error: settings, warn: ignore, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true },
  );
}
