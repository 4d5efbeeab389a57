import { randomFillSync } from 'node:crypto';
import type { SamplerConfig } from '../config.ts';
import type { ServedRequest, Span, Tracer } from '../domain/tracing.ts';
import { maskPath } from './logging.ts';

/** A recorded span. Times are in milliseconds since 1970. */
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

/**
 * Most requests are not recorded, which is decided before anything is created for them. Ids and samplers follow the
 * OpenTelemetry SDK, whose own code would take a tenth of the time of a read from memory. `onEnd` gets the recorded
 * spans.
 */
export function createTracer({ isParentBased, ratio }: SamplerConfig, onEnd: (span: EndedSpan) => void): Tracer {
  const bound = ratio === 1 ? 2 ** 32 : Math.floor(ratio * (2 ** 32 - 1));
  const takes = (mix: number): boolean => mix < bound;
  return {
    unsampled: UNSAMPLED,
    serve(request) {
      const caller = readCaller(request.headers);
      if (!caller) {
        const at = draw(TRACE_WORDS);
        return takes(mixOf(at)) ? new SampledSpan('server', newTrace(at), describeServed(request), onEnd) : undefined;
      }
      const isTaken = isParentBased ? isSampledBy(caller) : takes(mixOfText(traceIdOf(caller)));
      const traceState = readTraceState(request.headers);
      return isTaken
        ? new SampledSpan('server', placeIn(caller, traceState), describeServed(request), onEnd)
        : new UnsampledSpan(traceIdOf(caller), traceState);
    },
    call(method, address) {
      const at = draw(TRACE_WORDS);
      if (!takes(mixOf(at))) return UNSAMPLED;
      return new SampledSpan('client', newTrace(at), describeCall(method, address), onEnd);
    },
  };
}

/** The length of an id, in 32-bit words. */
const TRACE_WORDS = 4;
const SPAN_WORDS = 2;
/** Drawn in advance, because drawing them one id at a time takes ten times as long. */
const randomWords = new Uint32Array(1024);
let drawn = randomWords.length;

/** The index of the next random words. */
function draw(words: number): number {
  if (drawn + words > randomWords.length) {
    randomFillSync(randomWords);
    drawn = 0;
  }
  drawn += words;
  return drawn - words;
}

function wordAt(at: number): number {
  return randomWords[at] as number;
}

/** The value that a ratio sampler compares: called services make the same decision. */
function mixOf(at: number): number {
  return (wordAt(at) ^ wordAt(at + 1) ^ wordAt(at + 2) ^ wordAt(at + 3)) >>> 0;
}

function mixOfText(traceId: string): number {
  let mix = 0;
  for (let at = 0; at < traceId.length; at += 8) mix ^= Number.parseInt(traceId.slice(at, at + 8), 16);
  return mix >>> 0;
}

function hexAt(at: number, words: number): string {
  let text = '';
  for (let word = at; word < at + words; word++) text += wordAt(word).toString(16).padStart(8, '0');
  return text;
}

function newTrace(at: number): Place {
  return { traceId: hexAt(at, TRACE_WORDS), parentSpanId: undefined, traceState: undefined };
}

/** Where a span belongs: its trace and its parent span. */
type Place = Pick<EndedSpan, 'traceId' | 'parentSpanId' | 'traceState'>;

/** W3C Trace Context. Later versions may have more members; this one ends after the flags. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:$|(?<!^00.{53})-)/;
const MAX_TRACE_STATE = 512;

/** The traceparent header, if valid. */
function readCaller({ traceparent }: ServedRequest['headers']): string | undefined {
  return typeof traceparent === 'string' && TRACEPARENT.test(traceparent) ? traceparent : undefined;
}

function traceIdOf(traceparent: string): string {
  return traceparent.slice(3, 35);
}

/** The lowest bit of the flags. */
function isSampledBy(traceparent: string): boolean {
  return Number.parseInt(traceparent.charAt(54), 16) % 2 === 1;
}

function readTraceState({ tracestate }: ServedRequest['headers']): string | undefined {
  return typeof tracestate === 'string' && tracestate.length <= MAX_TRACE_STATE ? tracestate : undefined;
}

function placeIn(traceparent: string, traceState: string | undefined): Place {
  return { traceId: traceIdOf(traceparent), parentSpanId: traceparent.slice(36, 52), traceState };
}

function headersFor(traceId: string, spanId: string, flags: '00' | '01', tracestate: string | undefined) {
  return { traceparent: `00-${traceId}-${spanId}-${flags}`, ...(tracestate && { tracestate }) };
}

/** Not recorded: only passes this on to called services, with the caller's trace if there is one. */
class UnsampledSpan implements Span {
  readonly traceId: string | undefined;
  readonly spanId = undefined;
  readonly #traceState: string | undefined;

  constructor(traceId?: string, traceState?: string) {
    this.traceId = traceId;
    this.#traceState = traceState;
  }

  get headers(): Record<string, string> {
    const traceId = this.traceId ?? hexAt(draw(TRACE_WORDS), TRACE_WORDS);
    return headersFor(traceId, hexAt(draw(SPAN_WORDS), SPAN_WORDS), '00', this.#traceState);
  }

  call(): Span {
    return this;
  }

  end(): void {}
}

/** For all requests that are not recorded and whose caller sent no trace. */
const UNSAMPLED = new UnsampledSpan();

class SampledSpan implements Span {
  readonly traceId: string;
  readonly spanId = hexAt(draw(SPAN_WORDS), SPAN_WORDS);
  readonly #kind: EndedSpan['kind'];
  readonly #place: Place;
  readonly #description: Description;
  readonly #onEnd: (span: EndedSpan) => void;
  readonly #startedAt = now();
  #isEnded = false;

  constructor(kind: EndedSpan['kind'], place: Place, description: Description, onEnd: (span: EndedSpan) => void) {
    this.traceId = place.traceId;
    this.#kind = kind;
    this.#place = place;
    this.#description = description;
    this.#onEnd = onEnd;
  }

  get headers(): Record<string, string> {
    return headersFor(this.traceId, this.spanId, '01', this.#place.traceState);
  }

  call(method: string, address: string): Span {
    const place = { ...this.#place, parentSpanId: this.spanId };
    return new SampledSpan('client', place, describeCall(method, address), this.#onEnd);
  }

  end({ status, code, failure }: Parameters<Span['end']>[0]): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const { name, attributes: known } = this.#description;
    const isFailed = failure !== undefined || (status ?? 0) >= 500;
    const attributes = {
      ...known,
      ...(status !== undefined && { 'http.response.status_code': status }),
      ...(code !== undefined && { 'innkeeper.error_code': code }),
      ...(isFailed && { 'error.type': failure ?? String(status) }),
    };
    const { spanId } = this;
    const times = { startedAt: this.#startedAt, endedAt: now() };
    this.#onEnd({ ...this.#place, spanId, kind: this.#kind, name, attributes, isFailed, ...times });
  }
}

/** Fractional milliseconds since 1970. */
function now(): number {
  return performance.timeOrigin + performance.now();
}

type Description = Pick<EndedSpan, 'name' | 'attributes'>;

function describeServed({ method: sent, route, url }: ServedRequest): Description {
  const method = conventionalMethod(sent);
  const name = method === '_OTHER' ? 'HTTP' : method;
  return {
    name: route ? `${name} ${route.path}` : name,
    attributes: {
      'http.request.method': method,
      'url.scheme': 'http',
      'url.path': maskPath(url.split('?', 1)[0] ?? ''),
      ...(route && { 'http.route': route.path }),
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

/** RFC 9110 and PATCH; the semantic conventions combine all others into one. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH']);

export function conventionalMethod(sent: string): string {
  return METHODS.has(sent) ? sent : '_OTHER';
}
