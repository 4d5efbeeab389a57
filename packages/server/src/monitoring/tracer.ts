import { randomFillSync } from 'node:crypto';
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
import type { ServedRequest, Span, Tracer } from '../domain/tracing.ts';
import { maskPath } from './logging.ts';
import type { EndedSpan } from './open-telemetry.ts';

/** RFC 9110 and PATCH; the semantic conventions combine all others into one. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH']);

export function conventionalMethod(sent: string): string {
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
export function createTracer(onEnd: (span: EndedSpan) => void): Tracer {
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
