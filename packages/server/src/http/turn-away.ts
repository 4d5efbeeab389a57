import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { InnkeeperError } from '../domain/errors.ts';
import { bringsBody, discardRest } from './discard-rest.ts';
import { JSON_TYPE } from './json-body.ts';
import type { Metrics } from './metrics.ts';
import { isProbe } from './probes.ts';
import { headLine, headLines, writeReadyHead } from './ready-head.ts';
import { requestIdOf } from './request-id.ts';
import { readAgain, stopReading } from './unheard.ts';

/**
 * Acts that wait for the database. Some hundreds of clients, each waiting for its answer, never make so many; beyond, all
 * would wait for longer than people do, and the service would work for those who have gone. What waits for other things (the
 * rest of a body, an OAuth 2.0 server) is not counted: it keeps nobody else waiting.
 */
const MOST_WAITING = 1_000;
/** For its turn, a request waits for so long at most. */
const LONGEST_WAIT_MS = 500;
/**
 * To say no takes a third to a half of the time that an answer takes. So it is not said more often than this: whoever was told to come
 * again is not heard before, and the more there are of them, the later that is.
 */
const REFUSALS_A_SECOND = 1_000;
/** Whoever comes again all the same waits for no longer than this, whatever was said: others would have given up by then. */
const LONGEST_REST_S = 4;
const TELL_MS = 1_000;

type Parts = { waitingActs: () => number; metrics: Metrics; logger: Logger };

export type TurnAway = {
  /** Answers 9503 before anything is read of a request, while there is too much to do. Answers whether it did. */
  turnAway(request: IncomingMessage, response: ServerResponse, waitedMs: number): boolean;
  /** Hears everybody again, for good: before the server closes. */
  hearAll(): void;
};

export function createTurnAway({ waitingActs, metrics, logger }: Parts): TurnAway {
  const { status, code, message } = new InnkeeperError('overloaded');
  const body = JSON.stringify({ code, message });
  const length = String(Buffer.byteLength(body));
  const lines = headLines([
    'content-type',
    JSON_TYPE,
    'cache-control',
    'no-store',
    'x-content-type-options',
    'nosniff',
  ]);
  /** Connections of who was told to come again, with what ends their rest. */
  const resting = new Map<Socket, () => void>();
  let isOver = false;
  const rest = (socket: Socket, seconds: number): void => {
    if (isOver || socket.destroyed || resting.has(socket)) return;
    const wake = (): void => {
      clearTimeout(timer);
      resting.delete(socket);
      readAgain(socket);
    };
    // Not all at the same moment: they would be too many again, and nobody there in between.
    const ms = (0.5 + Math.random() / 2) * Math.min(seconds, LONGEST_REST_S) * 1000;
    const timer = setTimeout(wake, ms).unref();
    resting.set(socket, wake);
    stopReading(socket);
  };
  let count = 0;
  const tell = (): void => {
    logger.warn({ code, requests: count }, 'too much to do: requests were turned away');
    count = 0;
  };
  return {
    turnAway(request, response, waitedMs) {
      if (waitedMs < LONGEST_WAIT_MS && waitingActs() < MOST_WAITING) return false;
      if (isProbe(request)) return false;
      const { method = 'unknown', socket } = request;
      const seconds = Math.ceil((resting.size + 1) / REFUSALS_A_SECOND);
      const own = headLine('retry-after', String(seconds)) + headLine('x-request-id', requestIdOf(request.headers));
      discardRest(request);
      writeReadyHead(response, status, lines + own, ['content-length', length]);
      response.end(body, 'latin1');
      // Of one that is to be closed, nothing more is heard anyway.
      if (response.shouldKeepAlive) {
        const isWhole = request.complete || !bringsBody(request);
        (isWhole ? response : request).once('close', () => rest(socket, seconds));
      }
      metrics.count(method, 'unknown', status, code);
      // A line for each would take from what is served, too.
      if (++count === 1) setTimeout(tell, TELL_MS).unref();
      return true;
    },
    hearAll() {
      isOver = true;
      for (const wake of resting.values()) wake();
    },
  };
}
