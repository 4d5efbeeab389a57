import { randomUUID } from 'node:crypto';
import {
  type Attributes,
  type Context,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  type Span as SdkSpan,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Logger } from 'pino';
import type { TelemetryConfig } from '../config.ts';
import type { Service } from '../domain/service.ts';
import type { ServedRequest, Span, Tracer } from '../domain/tracing.ts';
import { version } from '../package.ts';
import { maskPath } from './logging.ts';

/** RFC 9110 and PATCH; the semantic conventions combine all others into one. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH']);
/** From the semantic conventions for HTTP request durations, in seconds. */
const BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
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

export type Telemetry = {
  tracer: Tracer | undefined;
  /** Adds the figures measured elsewhere, once their sources exist. */
  observe(sources: Pick<Service, 'storage' | 'problems'> & { requestsInFlight(): number }): void;
  /** Sends what remains, within two seconds. */
  close(): Promise<void>;
};

/** Loaded only when switched on. The SDK itself reads the OTEL_* variables. */
export function startTelemetry({ traces, metrics, intervalMs }: TelemetryConfig, logger: Logger): Telemetry {
  reportFailures(logger);
  const ours = { 'service.name': 'innkeeper', 'service.version': version, 'service.instance.id': randomUUID() };
  const resource = resourceFromAttributes(ours).merge(detectResources({ detectors: [envDetector] }));
  const spanProcessors = traces ? [new BatchSpanProcessor(new OTLPTraceExporter())] : [];
  const readers = metrics
    ? [
        new PeriodicExportingMetricReader({
          exporter: new OTLPMetricExporter(),
          exportIntervalMillis: intervalMs,
          exportTimeoutMillis: Math.min(intervalMs, 30_000),
        }),
      ]
    : [];
  const spans = new BasicTracerProvider({ resource, spanProcessors });
  const meters = new MeterProvider({ resource, readers });
  const meter = meters.getMeter('innkeeper', version);
  const durations = meter.createHistogram('http.server.request.duration', {
    description: 'Duration of HTTP server requests.',
    unit: 's',
    advice: { explicitBucketBoundaries: BOUNDARIES },
  });
  const tracer = spans.getTracer('innkeeper', version);

  /** Most spans are not sampled, so their attributes are not even computed. */
  const begin = (name: string, kind: SpanKind, attributes: () => Attributes, parent: Context): SdkSpan => {
    const span = tracer.startSpan(name, { kind }, parent);
    return span.isRecording() ? span.setAttributes(attributes()) : span;
  };

  const call = (method: string, address: string, parent: Context): Span => {
    const attributes = (): Attributes => {
      const { hostname, port, protocol, origin, pathname } = new URL(address);
      return {
        'http.request.method': method,
        'server.address': hostname,
        'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
        // Webhook addresses may have a secret in path or query.
        'url.full': origin + maskPath(pathname),
      };
    };
    return new TracedSpan(begin(method, SpanKind.CLIENT, attributes, parent), parent, call);
  };

  return {
    tracer: {
      call: (method, address) => call(method, address, ROOT_CONTEXT),
      serve({ method: sent, route, path, headers }) {
        const startedAt = performance.now();
        const method = METHODS.has(sent) ? sent : '_OTHER';
        const name = method === '_OTHER' ? 'HTTP' : method;
        const attributes: Attributes = { 'http.request.method': method, 'url.scheme': 'http' };
        if (route !== undefined) attributes['http.route'] = route;
        const parent = PROPAGATOR.extract(ROOT_CONTEXT, headers, readHeader);
        const span = begin(
          route === undefined ? name : `${name} ${route}`,
          SpanKind.SERVER,
          () => ({ ...attributes, 'url.path': maskPath(path) }),
          parent,
        );
        return new TracedSpan(span, parent, call, (outcome) => {
          durations.record((performance.now() - startedAt) / 1000, { ...attributes, ...outcome });
        });
      },
    },
    observe({ storage, problems, requestsInFlight }) {
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
      await Promise.race([Promise.allSettled([spans.shutdown(), meters.shutdown()]), late]);
      clearTimeout(timer);
    },
  };
}

/** Every request has one, so parts that only some need are made on demand. */
class TracedSpan implements Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly #span: SdkSpan;
  readonly #parent: Context;
  readonly #call: (method: string, address: string, parent: Context) => Span;
  readonly #onEnd: ((outcome: Attributes) => void) | undefined;
  #isEnded = false;

  constructor(
    span: SdkSpan,
    parent: Context,
    call: (method: string, address: string, parent: Context) => Span,
    onEnd?: (outcome: Attributes) => void,
  ) {
    ({ traceId: this.traceId, spanId: this.spanId } = span.spanContext());
    this.#span = span;
    this.#parent = parent;
    this.#call = call;
    this.#onEnd = onEnd;
  }

  get headers(): Record<string, string> {
    const headers = {};
    PROPAGATOR.inject(this.#context, headers, writeHeader);
    return headers;
  }

  call(method: string, address: string): Span {
    return this.#call(method, address, this.#context);
  }

  end({ status, code, failure }: Parameters<Span['end']>[0]): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const outcome: Attributes = {};
    if (status !== undefined) outcome['http.response.status_code'] = status;
    const isFailed = failure !== undefined || (status ?? 0) >= 500;
    if (isFailed) outcome['error.type'] = failure ?? String(status);
    const span = this.#span;
    if (span.isRecording()) {
      span.setAttributes(outcome);
      if (code !== undefined) span.setAttribute('innkeeper.error_code', code);
      if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    }
    this.#onEnd?.(outcome);
  }

  get #context(): Context {
    return trace.setSpan(this.#parent, this.#span);
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
