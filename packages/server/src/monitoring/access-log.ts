import { type Logger, symbols } from 'pino';
import type { Span } from '../domain/tracing.ts';
import { maskPath } from './logging.ts';
import type { Metrics } from './metrics.ts';

const THREE_DIGITS = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'));

/** A request that was answered. Never its body, headers or query. */
export type Exchange = {
  requestId: string;
  method: string;
  /** The pattern; undefined: no route knew the path. */
  route: string | undefined;
  url: string;
  address: string;
  status: number;
  /** Of the error answered. */
  code: string | undefined;
  milliseconds: number;
  span: Span | undefined;
  /** Of a route that is asked all day by machines: counted, and not logged. */
  unlogged?: boolean;
};

/**
 * Counts and logs every answer. The line is as pino would write it, to where pino writes, but put together here: of a
 * read that is answered from memory, a general logger takes longer than all the rest.
 */
export function createAccessLog(metrics: Metrics, logger: Logger): (exchange: Exchange) => void {
  const stream = (logger as unknown as Record<symbol, { write(line: string): void }>)[symbols.streamSym];
  const time = clock();
  const isLogged = logger.isLevelEnabled('info');
  const { pid } = process;
  return ({ requestId, method, route, url, address, status, code, milliseconds, span, unlogged }) => {
    metrics.observe(method, route ?? 'unknown', status, code, milliseconds / 1000);
    if (unlogged || !isLogged) return;
    // Nothing here needs escaping but the path: ids, methods, routes, addresses and codes have no quotes.
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

/** The time as `toISOString` writes it, which takes longer than all the rest of a line: it is asked once a second. */
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
