import { AsyncLocalStorage } from 'node:async_hooks';

/** A request in a distributed trace (W3C Trace Context). */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  /** Headers for requests that are part of it: traceparent, and tracestate if there is one. */
  readonly headers: Record<string, string>;
  /** A request sent on behalf of this one. */
  call(method: string, address: string): Span;
  /** `failure`: why there was no response. */
  end(outcome: { status?: number | undefined; code?: string | undefined; failure?: string | undefined }): void;
}

/** What a span contains about an incoming request. The path, which may contain a token, is masked. */
export type ServedRequest = {
  method: string;
  /** The route pattern; undefined if no route matched. */
  route: string | undefined;
  path: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
};

/** Absent if OpenTelemetry is off. */
export interface Tracer {
  serve(request: ServedRequest): Span;
  /** A request that was not caused by another. */
  call(method: string, address: string): Span;
}

const spans = new AsyncLocalStorage<Span>();

export function inSpan<T>(span: Span, work: () => T): T {
  return spans.run(span, work);
}

/** The span that the running code belongs to. */
export function currentSpan(): Span | undefined {
  return spans.getStore();
}
