import { AsyncLocalStorage } from 'node:async_hooks';

/** A request in a distributed trace (W3C Trace Context). */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  /** For requests that are part of it: traceparent, and tracestate if there is one. */
  readonly headers: Record<string, string>;
  /** A request that is sent on behalf of this one. */
  call(method: string, address: string): Span;
  /** `failure`: why there was no response. */
  end(outcome: { status?: number | undefined; code?: string | undefined; failure?: string | undefined }): void;
}

/** What a span says of a request that came in; the path, which may hold a token, only masked. */
export type ServedRequest = {
  method: string;
  /** The pattern; undefined: no route knew the path. */
  route: string | undefined;
  path: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
};

/** Missing where OpenTelemetry is off. */
export interface Tracer {
  serve(request: ServedRequest): Span;
  /** A request that nobody's request is the reason for. */
  call(method: string, address: string): Span;
}

const spans = new AsyncLocalStorage<Span>();

export function inSpan<T>(span: Span, work: () => T): T {
  return spans.run(span, work);
}

/** The one that this is part of. */
export function currentSpan(): Span | undefined {
  return spans.getStore();
}
