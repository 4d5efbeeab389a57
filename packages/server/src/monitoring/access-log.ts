import { type Logger, symbols } from 'pino';
import type { Span } from '../domain/tracing.ts';
import type { Answers } from './durations.ts';
import { maskPath } from './logging.ts';
import type { Metrics } from './metrics.ts';

/** The route of requests that match none. */
const UNKNOWN_ROUTE = 'unknown';
/** Durations up to ten milliseconds: writing a fraction as text takes longer than the rest of a line. */
const HUNDREDTHS = Array.from({ length: 1000 }, (_, number) => String(number / 100));
const THREE_DIGITS = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'));

/** An answered request. Never includes its body, headers or query. */
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
    const answers = metrics.observe(method, route ?? UNKNOWN_ROUTE, status, code, milliseconds / 1000);
    if (unlogged || !isLogged) return;
    const { request, result } = fieldsOf(answers);
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

/** The fields of a line that are the same for all answers with the same labels. */
function createLabelFields(): (answers: Answers) => { request: string; result: string } {
  const known = new Map<Answers, { request: string; result: string }>();
  return (answers) => {
    const found = known.get(answers);
    if (found) return found;
    const { method, route, status, code } = answers.labels;
    const request = `","method":"${method}",${route === UNKNOWN_ROUTE ? '' : `"route":"${route}",`}`;
    const result = `","status":${status},${code === '' ? '' : `"code":"${code}",`}"ms":`;
    const fields = { request, result };
    known.set(answers, fields);
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
