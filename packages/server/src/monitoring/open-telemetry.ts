import { randomFillSync } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { type Context, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import { getNumberFromEnv, getStringFromEnv, W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base';
import type { Logger } from 'pino';
import type { TelemetryConfig } from '../config.ts';
import type { Service } from '../domain/service.ts';
import type { ServedRequest, Span, Tracer } from '../domain/tracing.ts';
import type { CountedDurations, RequestCounts } from './durations.ts';
import { maskPath } from './logging.ts';

/** Sampled spans are handed over in groups, so that a request does not pay for a message. */
const HAND_OVER_MS = 100;
const GROUP = 256;
/** Spans the thread has not taken yet; beyond this it cannot keep up, and further ones are dropped. */
const MAX_WAITING = 4_096;
const CLOSE_MS = 2_500;

type Sources = Pick<Service, 'storage' | 'problems'> & { requests: RequestCounts; requestsInFlight(): number };

type Telemetry = {
  tracer: Tracer;
  /** Adds the figures measured elsewhere, once their sources exist. */
  observe(sources: Sources): void;
  /** Sends what remains, within two seconds. */
  close(): Promise<void>;
};

/**
 * Loaded only when switched on. The OpenTelemetry SDK runs in a thread of its own: once a thread sends HTTP requests,
 * V8 can optimize Node's HTTP code less, and every request that the thread serves takes a third longer.
 */
export function startTelemetry(config: TelemetryConfig, logger: Logger): Telemetry {
  const worker = new Worker(new URL('./telemetry-thread.ts', import.meta.url), { workerData: config });
  worker.unref();
  let sources: Sources | undefined;
  let isRunning = true;
  const post = (message: ToTelemetryThread): void => worker.postMessage(message);

  let ended: EndedSpan[] = [];
  let waiting = 0;
  const handOver = (): void => {
    if (ended.length === 0) return;
    post({ ended });
    ended = [];
  };
  const take = (span: EndedSpan): void => {
    if (!config.traces || !isRunning || waiting >= MAX_WAITING) return;
    waiting++;
    if (ended.push(span) === 1) setTimeout(handOver, HAND_OVER_MS).unref();
    else if (ended.length === GROUP) handOver();
  };

  worker.on('message', (message: FromTelemetryThread) => {
    if ('taken' in message) waiting -= message.taken;
    else if ('problem' in message) logger.warn({ reason: message.reason }, message.problem);
    else post({ figures: sources ? figuresOf(sources) : undefined });
  });
  const stopped = (error?: Error): void => {
    if (isRunning) logger.error({ err: error }, 'traces and metrics are no longer sent: their thread has ended');
    isRunning = false;
  };
  worker.on('error', stopped).on('exit', () => stopped());

  return {
    tracer: createTracer(take),
    observe(given) {
      sources = given;
    },
    async close() {
      if (!isRunning) return;
      isRunning = false;
      handOver();
      worker.ref();
      const exited = once(worker, 'exit');
      post('close');
      await Promise.race([exited, sleep(CLOSE_MS, undefined, { ref: false })]);
      await worker.terminate();
    },
  };
}

function figuresOf({ storage, problems, requests, requestsInFlight }: Sources): Figures {
  const { open, idle } = storage.figures().connections;
  return {
    durations: Array.from(requests.answers(), ({ labels: { method, route, status }, durations }) => ({
      method: conventionalMethod(method),
      status,
      route: route === 'unknown' ? undefined : route,
      durations,
    })),
    requestsInFlight: requestsInFlight(),
    database: { kind: storage.kind, open, idle, waitingActs: storage.waitingActs() },
    problems: problems().map(({ kind }) => kind),
  };
}

/** A sampled span of the HTTP thread. Times are in milliseconds since 1970. */
export type EndedSpan = {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  traceState: string | undefined;
  kind: 'server' | 'client';
  name: string;
  attributes: Record<string, string | number>;
  isFailed: boolean;
  startedAt: number;
  endedAt: number;
};

export type Figures = {
  durations: {
    method: string;
    route: string | undefined;
    status: number;
    durations: CountedDurations;
  }[];
  requestsInFlight: number;
  database: { kind: string; open: number; idle: number; waitingActs: number };
  problems: string[];
};

/** `figures` answers `{ asked: 'figures' }`; undefined while the service starts. */
export type ToTelemetryThread = { ended: EndedSpan[] } | { figures: Figures | undefined } | 'close';
export type FromTelemetryThread = { taken: number } | { problem: string; reason: string } | { asked: 'figures' };

/** RFC 9110 and PATCH; the semantic conventions combine all others into one. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH']);

function conventionalMethod(sent: string): string {
  return METHODS.has(sent) ? sent : '_OTHER';
}

const PROPAGATOR = new W3CTraceContextPropagator();
const HEADERS = {
  get: (headers: ServedRequest['headers'], name: string) => headers[name],
  keys: (headers: ServedRequest['headers']) => Object.keys(headers),
};

type Description = Pick<EndedSpan, 'name' | 'attributes'>;
/** Where a span belongs: its trace, and the span that it is part of. */
type Place = Pick<EndedSpan, 'traceId' | 'parentSpanId' | 'traceState'>;

/** `onEnd` gets the sampled spans. */
function createTracer(onEnd: (span: EndedSpan) => void): Tracer {
  const sampler = readSampler();
  const isSampled = (kind: SpanKind, context: Context, traceId: string): boolean =>
    sampler.shouldSample(context, traceId, '', kind, {}, []).decision !== SamplingDecision.NOT_RECORD;
  return {
    call(method, address) {
      const traceId = randomHex(32);
      const call = isSampled(SpanKind.CLIENT, ROOT_CONTEXT, traceId) ? () => describeCall(method, address) : undefined;
      return new TracedSpan('client', { traceId, parentSpanId: undefined, traceState: undefined }, call, onEnd);
    },
    serve(request) {
      const context = PROPAGATOR.extract(ROOT_CONTEXT, request.headers, HEADERS);
      const caller = trace.getSpanContext(context);
      const traceId = caller?.traceId ?? randomHex(32);
      const place = { traceId, parentSpanId: caller?.spanId, traceState: caller?.traceState?.serialize() };
      const served = isSampled(SpanKind.SERVER, context, traceId) ? () => describeServed(request) : undefined;
      return new TracedSpan('server', place, served, onEnd);
    },
  };
}

function describeServed({ method: sent, route, path }: ServedRequest): Description {
  const method = conventionalMethod(sent);
  const name = method === '_OTHER' ? 'HTTP' : method;
  return {
    name: route === undefined ? name : `${name} ${route}`,
    attributes: {
      'http.request.method': method,
      'url.scheme': 'http',
      'url.path': maskPath(path),
      ...(route !== undefined && { 'http.route': route }),
    },
  };
}

function describeCall(method: string, address: string): Description {
  const { hostname, port, protocol, origin, pathname } = new URL(address);
  return {
    name: method,
    attributes: {
      'http.request.method': method,
      'server.address': hostname,
      'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
      // Webhook addresses may have a secret in path or query.
      'url.full': origin + maskPath(pathname),
    },
  };
}

const SAMPLERS: Record<string, () => Sampler> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: () => {
    const ratio = getNumberFromEnv('OTEL_TRACES_SAMPLER_ARG') ?? 1;
    return new TraceIdRatioBasedSampler(ratio >= 0 && ratio <= 1 ? ratio : 1);
  },
};

/** As the SDK reads it, which reports invalid values in its thread. */
function readSampler(): Sampler {
  const name = getStringFromEnv('OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on';
  const root = SAMPLERS[name.replace(/^parentbased_/, '')]?.() ?? new AlwaysOnSampler();
  return name in SAMPLERS ? root : new ParentBasedSampler({ root });
}

const pool = Buffer.alloc(4096);
let unused = '';

/** Random bytes are drawn in advance, because drawing them one id at a time takes ten times as long. */
function randomHex(digits: number): string {
  if (unused.length < digits) unused = randomFillSync(pool).toString('hex');
  const taken = unused.slice(0, digits);
  unused = unused.slice(digits);
  return taken;
}

/** Most spans are not sampled: they have ids for the log and for those they call, and nothing else. */
class TracedSpan implements Span {
  readonly traceId: string;
  readonly spanId = randomHex(16);
  readonly #kind: EndedSpan['kind'];
  readonly #place: Place;
  readonly #sampled: { description: Description; startedAt: number } | undefined;
  readonly #onEnd: (span: EndedSpan) => void;
  #isEnded = false;

  /** `describe`: undefined if it is not sampled. */
  constructor(
    kind: EndedSpan['kind'],
    place: Place,
    describe: (() => Description) | undefined,
    onEnd: (span: EndedSpan) => void,
  ) {
    this.traceId = place.traceId;
    this.#kind = kind;
    this.#place = place;
    this.#sampled = describe && { description: describe(), startedAt: now() };
    this.#onEnd = onEnd;
  }

  get headers(): Record<string, string> {
    const tracestate = this.#place.traceState;
    const flags = this.#sampled ? '01' : '00';
    return { traceparent: `00-${this.traceId}-${this.spanId}-${flags}`, ...(tracestate && { tracestate }) };
  }

  call(method: string, address: string): Span {
    const place = { ...this.#place, parentSpanId: this.spanId };
    return new TracedSpan('client', place, this.#sampled && (() => describeCall(method, address)), this.#onEnd);
  }

  end({ status, code, failure }: Parameters<Span['end']>[0]): void {
    if (!this.#sampled || this.#isEnded) return;
    this.#isEnded = true;
    const { startedAt, description } = this.#sampled;
    const isFailed = failure !== undefined || (status ?? 0) >= 500;
    const attributes = {
      ...description.attributes,
      ...(status !== undefined && { 'http.response.status_code': status }),
      ...(code !== undefined && { 'innkeeper.error_code': code }),
      ...(isFailed && { 'error.type': failure ?? String(status) }),
    };
    this.#onEnd({
      ...this.#place,
      ...{ spanId: this.spanId, kind: this.#kind, name: description.name, attributes, isFailed },
      ...{ startedAt, endedAt: now() },
    });
  }
}

/** Since 1970, in milliseconds and parts of them. */
function now(): number {
  return performance.timeOrigin + performance.now();
}
