import { type Logger, pino, stdSerializers, symbols } from 'pino';
import type { Config } from '../config.ts';
import { currentSpan, type Span } from '../domain/tracing.ts';
import { logOutput } from './log-output.ts';
import type { Metrics } from './metrics.ts';
import type { ResponseSeries } from './request-counts.ts';

const OUR_SECRET = /\b(?:ink|ik[ilprsu]|st_\d+|whsec)_[\w+/-]{20,}/g;
/** The rest is optional, so that text that starts like a token is scanned only once, whether it is one or not. */
const JWT = /\beyJ[\w-]{10,}(\.[\w-]+\.[\w-]*)?/g;
const URL_PASSWORD = /(:\/\/[^\s:/@]*:)[^\s@]+(@)?/g;

/** Masks anything that looks like one of our secrets or tokens, wherever a message picked it up. Linear in the text. */
export function mask(text: string): string {
  return text
    .replace(JWT, (found, rest?: string) => (rest === undefined ? found : '[masked]'))
    .replace(OUR_SECRET, '[masked]')
    .replace(URL_PASSWORD, (found, start: string, at?: string) => (at === undefined ? found : `${start}[masked]@`));
}

/** Long and random, like passwords and keys of other services. */
export function looksRandom(text: string): boolean {
  const runs = text.match(/[\w+/=-]{16,}/g) ?? [];
  return runs.some((run) => (/\d/.test(run) && /[A-Z]/.test(run)) || /^[\da-f]{24,}$/.test(run));
}

/** A name sent by a client, masked unless it looks like a name: it may be a secret. */
export function maskName(name: string): string {
  return /^[\w-]{1,40}$/.test(name) && !looksRandom(name) ? mask(name) : '[masked]';
}

/** The path of a request without a route, masked: it may contain anything. */
export function maskPath(path: string): string {
  const parts = path.split('/').slice(0, 12);
  return parts.map((part) => (/^[\w.~-]{0,24}$/.test(part) && !looksRandom(part) ? part : '[masked]')).join('/');
}

/** An expected error, logged without its stack. */
type WithoutStack = { type: string; message: string };

/** JSON lines on standard output. app.ts decides what is logged of a request: never its body, headers or query. */
export function createLogger(level: Config['logLevel']): Logger {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      // The trace and span, if requests are traced.
      mixin() {
        const span = currentSpan();
        return { trace_id: span?.traceId, span_id: span?.spanId };
      },
      serializers: {
        err: (error: Error | WithoutStack) => {
          if (!(error instanceof Error)) return { type: error.type, message: mask(error.message) };
          const { type, message, stack } = stdSerializers.err(error);
          return { type, message: mask(message), stack: mask(stack ?? '') };
        },
      },
    },
    logOutput(),
  );
}

const EVERY_MS = 1_000;

type Failure = { level: 'warn' | 'error'; code: string; reqId: string; thrown: unknown };

/**
 * For failures that are expected while the database or the token service is unreachable. Logs the first of each code
 * immediately and the rest as a count once a second, so that an outage does not fill the disk. Without a stack, which
 * would say nothing about the outage.
 */
export function createOutageLog(logger: Logger): (failure: Failure) => void {
  /** Failures since the last line, by code. There are few codes. */
  const counted = new Map<string, number>();

  const summarize = (failure: Failure): void => {
    const { code, level, thrown } = failure;
    const count = counted.get(code) ?? 0;
    if (count === 0) {
      counted.delete(code);
      return;
    }
    logger[level]({ code, err: withoutStack(thrown), count }, 'further requests failed');
    counted.set(code, 0);
    later(failure);
  };
  const later = (failure: Failure): void => void setTimeout(() => summarize(failure), EVERY_MS).unref();

  return (failure) => {
    const { code, level, reqId, thrown } = failure;
    const count = counted.get(code);
    if (count !== undefined) {
      counted.set(code, count + 1);
      return;
    }
    logger[level]({ reqId, code, err: withoutStack(thrown) }, 'request failed');
    counted.set(code, 0);
    later(failure);
  };
}

function withoutStack(thrown: unknown): WithoutStack {
  return thrown instanceof Error
    ? { type: thrown.constructor.name, message: thrown.message }
    : { type: typeof thrown, message: String(thrown) };
}

/** The route of requests that match none. */
const UNKNOWN_ROUTE = 'unknown';
/** Durations up to ten milliseconds: writing a fraction as text takes longer than the rest of a line. */
const HUNDREDTHS = Array.from({ length: 1000 }, (_, number) => String(number / 100));
const THREE_DIGITS = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'));

/** A completed request. Never includes its body, headers or query. */
export type Exchange = {
  requestId: string;
  method: string;
  /** The route pattern; undefined if no route matched. */
  route: string | undefined;
  url: string;
  address: string;
  status: number;
  /** The error code of the response. */
  code: string | undefined;
  milliseconds: number;
  span: Span | undefined;
  /** For routes that machines poll all day: counted but not logged. */
  unlogged?: boolean;
};

/**
 * Counts and logs every response. Writes the same line as pino, to the same output, but assembles it here: for a read
 * served from memory, a general logger would take longer than everything else.
 */
export function createAccessLog(metrics: Metrics, logger: Logger): (exchange: Exchange) => void {
  const stream = (logger as unknown as Record<symbol, { write(line: string): void }>)[symbols.streamSym];
  const time = clock();
  const isLogged = logger.isLevelEnabled('info');
  const afterTime = `","pid":${process.pid},"reqId":"`;
  const fieldsOf = createLabelFields();
  return ({ requestId, method, route, url, address, status, code, milliseconds, span, unlogged }) => {
    const series = metrics.observe(method, route ?? UNKNOWN_ROUTE, status, code, milliseconds / 1000);
    if (unlogged || !isLogged) return;
    const { request, result } = fieldsOf(series);
    // Only the path needs escaping: ids, methods, routes, addresses and codes contain no quotes.
    const path = route === undefined ? `"path":${JSON.stringify(maskPath(url.split('?', 1)[0] ?? ''))},` : '';
    const traceId = span?.traceId;
    const spanId = span?.spanId;
    const trace =
      traceId === undefined ? '' : `"trace_id":"${traceId}",${spanId === undefined ? '' : `"span_id":"${spanId}",`}`;
    const hundredths = Math.round(milliseconds * 100);
    const ms = HUNDREDTHS[hundredths] ?? hundredths / 100;
    stream?.write(
      `{"level":"info","time":"${time()}${afterTime}${requestId}${request}${path}${trace}"address":"${address}${result}${ms}}\n`,
    );
  };
}

/** The fields of a line that are the same for all responses with the same labels. */
function createLabelFields(): (series: ResponseSeries) => { request: string; result: string } {
  const known = new Map<ResponseSeries, { request: string; result: string }>();
  return (series) => {
    const found = known.get(series);
    if (found) return found;
    const { method, route, status, code } = series.labels;
    const request = `","method":"${method}",${route === UNKNOWN_ROUTE ? '' : `"route":"${route}",`}`;
    const result = `","status":${status},${code === '' ? '' : `"code":"${code}",`}"ms":`;
    const fields = { request, result };
    known.set(series, fields);
    return fields;
  };
}

/**
 * The current time as from `toISOString`, which is computed once a second because it costs more than the rest of a
 * line.
 */
function clock(): () => string {
  let second = 0;
  let upToSecond = '';
  let last = 0;
  let text = '';
  return () => {
    const now = Date.now();
    if (now === last) return text;
    last = now;
    const milliseconds = now % 1000;
    if (now - milliseconds !== second) {
      second = now - milliseconds;
      upToSecond = new Date(second).toISOString().slice(0, -4);
    }
    text = `${upToSecond}${THREE_DIGITS[milliseconds]}Z`;
    return text;
  };
}
