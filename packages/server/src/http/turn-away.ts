import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { InnkeeperError } from '../domain/errors.ts';
import type { Metrics } from './metrics.ts';
import { requestIdOf } from './request-id.ts';

/**
 * Acts that wait for the database. Some hundreds of clients, each waiting for its answer, never make so many; beyond, all
 * would wait for longer than people do, and the service would work for those who have gone. What waits for other things (the
 * rest of a body, an OAuth 2.0 server) is not counted: it keeps nobody else waiting.
 */
const MOST_WAITING = 1_000;
/**
 * Requests are read in turns of the event loop, and nobody is answered, or let in, before a turn is over: one that has taken so
 * many requests and so long takes no more. The count alone says nothing, and the time alone may be the machine's.
 */
const MOST_IN_A_TURN = 256;
const LONGEST_TURN_MS = 250;
/** Whoever was told to come again after a second is not heard for that second: to say so again takes from what is served. */
const RETRY_AFTER_SECONDS = 1;
/** For those who look after the process; and they cost next to nothing. */
const NEVER = new Set(['/livez', '/readyz', '/metrics']);
const TELL_MS = 1_000;

type Parts = { waitingActs: () => number; metrics: Metrics; logger: Logger };

/** Answers 9503 before anything is read of a request, while there is too much to do. Answers whether it did. */
export function createTurnAway({ waitingActs, metrics, logger }: Parts) {
  const { status, code, message } = new InnkeeperError('overloaded');
  const body = JSON.stringify({ code, message });
  const headers = [
    ...['content-type', 'application/json; charset=utf-8', 'content-length', String(Buffer.byteLength(body))],
    ...['retry-after', String(RETRY_AFTER_SECONDS), 'cache-control', 'no-store', 'x-content-type-options', 'nosniff'],
  ];
  let inTurn = 0;
  let turnBegan = 0;
  const endTurn = (): void => {
    inTurn = 0;
  };
  /** Counts as one of this turn. */
  const isTurnFull = (): boolean => {
    if (++inTurn === 1) {
      turnBegan = performance.now();
      setImmediate(endTurn);
    }
    return inTurn > MOST_IN_A_TURN && performance.now() - turnBegan > LONGEST_TURN_MS;
  };
  let count = 0;
  const tell = (): void => {
    logger.warn({ code, requests: count }, 'too much to do: requests were turned away');
    count = 0;
  };
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    if (!isTurnFull() && waitingActs() < MOST_WAITING) return false;
    const { method = 'unknown', url = '' } = request;
    if (NEVER.has(url)) return false;
    response.writeHead(status, [...headers, 'x-request-id', requestIdOf(request.headers)]).end(body);
    const { socket } = request;
    response.once('close', () => {
      socket.pause();
      // Not all at the same moment: they would be too many again, and nobody there in between.
      setTimeout(() => socket.resume(), (0.5 + Math.random()) * RETRY_AFTER_SECONDS * 1000).unref();
    });
    metrics.count(method, 'unknown', status, code);
    // A line for each would take from what is served, too.
    if (++count === 1) setTimeout(tell, TELL_MS).unref();
    return true;
  };
}
