import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
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
const MOST_IN_A_TURN = 512;
const LONGEST_TURN_MS = 100;
/**
 * To say no takes a third to a half of the time that an answer takes. So it is not said more often than this: whoever was told to come
 * again is not heard before, and the more there are of them, the later that is.
 */
const REFUSALS_A_SECOND = 1_000;
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
    ...['cache-control', 'no-store', 'x-content-type-options', 'nosniff'],
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
  let resting = 0;
  const rest = (socket: Socket, seconds: number): void => {
    socket.pause();
    const wake = (): void => {
      resting--;
      socket.resume();
    };
    // Not all at the same moment: they would be too many again, and nobody there in between.
    setTimeout(wake, (0.5 + Math.random() / 2) * seconds * 1000).unref();
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
    const seconds = Math.ceil(++resting / REFUSALS_A_SECOND);
    const own = ['retry-after', String(seconds), 'x-request-id', requestIdOf(request.headers)];
    response.writeHead(status, [...headers, ...own]).end(body);
    response.once('close', () => rest(request.socket, seconds));
    metrics.count(method, 'unknown', status, code);
    // A line for each would take from what is served, too.
    if (++count === 1) setTimeout(tell, TELL_MS).unref();
    return true;
  };
}
