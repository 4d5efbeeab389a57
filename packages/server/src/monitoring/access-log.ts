import { type Logger, symbols } from 'pino';
import type { Span } from '../domain/tracing.ts';
import { maskPath } from './logging.ts';
import type { Metrics } from './metrics.ts';

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
  const { pid } = process;
  return ({ requestId, method, route, url, address, status, code, milliseconds, span, unlogged }) => {
    metrics.observe(method, route ?? 'unknown', status, code, milliseconds / 1000);
    if (unlogged || !isLogged) return;
    // Only the path needs escaping: ids, methods, routes, addresses and codes contain no quotes.
    const where =
      route === undefined ? `"path":${JSON.stringify(maskPath(url.split('?', 1)[0] ?? ''))}` : `"route":"${route}"`;
    stream?.write(
      `{"level":"info","time":"${time()}","pid":${pid},"reqId":"${requestId}","method":"${method}",${where},` +
        (span === undefined ? '' : `"trace_id":"${span.traceId}","span_id":"${span.spanId}",`) +
        `"address":"${address}","status":${status},${code === undefined ? '' : `"code":"${code}",`}` +
        `"ms":${Math.round(milliseconds * 100) / 100}}\n`,
    );
  };
}

/**
 * The current time as from `toISOString`, which is computed once a second because it costs more than the rest of a
 * line.
 */
function clock(): () => string {
  let second = 0;
  let upToSecond = '';
  return () => {
    const now = Date.now();
    const milliseconds = now % 1000;
    if (now - milliseconds !== second) {
      second = now - milliseconds;
      upToSecond = new Date(second).toISOString().slice(0, -4);
    }
    return `${upToSecond}${THREE_DIGITS[milliseconds]}Z`;
  };
}
