import { AsyncLocalStorage } from 'node:async_hooks';

/** A request in a distributed trace (W3C Trace Context). */
export interface Span {
  /** undefined: it is not recorded, and its caller named no trace. */
  readonly traceId: string | undefined;
  /** undefined: it is not recorded. */
  readonly spanId: string | undefined;
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
  url: string;
  /** undefined: no route matched. */
  route: { readonly path: string } | undefined;
  headers: Readonly<Record<string, string | string[] | undefined>>;
};

/** Absent if OpenTelemetry is off. */
export interface Tracer {
  /** The span of requests that are not recorded. */
  readonly unsampled: Span;
  /** undefined: it is not recorded, and its caller named no trace. */
  serve(request: ServedRequest): Span | undefined;
  /** A request that was not caused by another. */
  call(method: string, address: string): Span;
}

const spans = new AsyncLocalStorage<Span | undefined>();

export function inSpan<T>(span: Span, work: () => T): T {
  return spans.run(span, work);
}

/** For work that no request waits for, though one may have started it. */
export function outsideSpans<T>(work: () => T): T {
  return spans.run(undefined, work);
}

/** The span that the running code belongs to. */
export function currentSpan(): Span | undefined {
  return spans.getStore();
}
