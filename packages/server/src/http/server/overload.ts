import type { Logger } from 'pino';
import { InnkeeperError } from '../../domain/errors.ts';
import type { Connection } from './connection.ts';
import { type Exchange, HttpReply, JSON_TYPE, WireText } from './request-and-reply.ts';

/**
 * Storage calls that may wait for the database. A few hundred clients that each wait for their response never cause
 * this many; beyond it, clients would time out before they are served.
 */
const MAX_WAITING_ACTS = 1_000;
/** How long a request may wait for its turn. */
const MAX_WAIT_MS = 500;
/**
 * A refusal costs a third to a half of a response, so refused clients are not read from until Retry-After has passed.
 */
const REFUSALS_PER_SECOND = 1_000;
const MAX_PAUSE_S = 4;
const LOG_MS = 1_000;

const { status, code, message } = new InnkeeperError('overloaded');
const BODY = new WireText(JSON.stringify({ code, message }));

/** Refuses requests with 503 and Retry-After while there is more load than can be served. */
export class Overload {
  readonly #waitingActs: () => number;
  readonly #logger: Logger;
  /** Connections of refused clients, each with a function that resumes it. */
  readonly #paused = new Map<Connection, () => void>();
  #isOver = false;
  #unlogged = 0;

  constructor(waitingActs: () => number, logger: Logger) {
    this.#waitingActs = waitingActs;
    this.#logger = logger;
  }

  refuses({ request: { route } }: Exchange, waitedMs: number): boolean {
    if (waitedMs < MAX_WAIT_MS && this.#waitingActs() < MAX_WAITING_ACTS) return false;
    return route?.underLoad === undefined;
  }

  /** The refusal. Its connection is paused once it is written. */
  refuse({ connection, response, request }: Exchange): HttpReply {
    const seconds = Math.ceil((this.#paused.size + 1) / REFUSALS_PER_SECOND);
    response.once('close', () => this.#pause(connection, seconds));
    // A log line per refusal would take capacity from other requests.
    if (++this.#unlogged === 1) setTimeout(() => this.#log(), LOG_MS).unref();
    request.route = undefined;
    const reply = new HttpReply().code(status).header('retry-after', String(seconds));
    reply.errorCode = code;
    return reply.type(JSON_TYPE).header('cache-control', 'no-store').send(BODY);
  }

  /** Resumes all connections for good, before the server closes. */
  resumeAll(): void {
    this.#isOver = true;
    for (const resume of this.#paused.values()) resume();
  }

  #pause(connection: Connection, seconds: number): void {
    const { destroyed, writableEnded } = connection.socket;
    if (this.#isOver || destroyed || writableEnded || this.#paused.has(connection)) return;
    const resume = (): void => {
      clearTimeout(timer);
      this.#paused.delete(connection);
      connection.resume();
    };
    // Spread out: resumed all at once, they would overload the service again.
    const ms = (0.5 + Math.random() / 2) * Math.min(seconds, MAX_PAUSE_S) * 1000;
    const timer = setTimeout(resume, ms).unref();
    this.#paused.set(connection, resume);
    connection.pause();
  }

  #log(): void {
    this.#logger.warn({ code, requests: this.#unlogged }, 'overloaded: requests were refused');
    this.#unlogged = 0;
  }
}

/**
 * Requests started per turn of the event loop; the others wait for the next turns. Within a turn no timer fires and no
 * connection is accepted, and a client that got its response may send the next request within the same turn: with a
 * thousand busy connections, libuv would otherwise keep reading for seconds.
 */
const MAX_PER_TURN = 128;
/**
 * Node accepts one connection per turn. While clients connect, turns are kept short, so that new connections do not
 * wait.
 */
const MAX_WHILE_ACCEPTING = 8;

/**
 * Pipelined requests that wait behind others of their connection, of all connections together: each takes a few
 * kilobytes, and a read from one connection has up to 3,600. A connection that adds more is closed.
 */
const MAX_BEHIND = 20_000;

/** The waiting requests of one connection: several if its client pipelines. */
type Line = { waiting: Exchange[]; isPaused: boolean };

/** Starts a limited number of requests per turn of the event loop, and rotates between connections. */
export class Turns {
  readonly #start: (exchange: Exchange, waitedMs: number) => void;
  readonly #drop: () => void;
  /** The first entry is next. */
  readonly #lines = new Map<Connection, Line>();
  #behind = 0;
  #started = 0;
  #max = MAX_PER_TURN;
  #hasAccepted = false;
  #isScheduled = false;

  constructor(start: (exchange: Exchange, waitedMs: number) => void, drop: () => void) {
    this.#start = start;
    this.#drop = drop;
  }

  accepted(): void {
    this.#hasAccepted = true;
    this.#schedule();
  }

  enter(exchange: Exchange): void {
    if (exchange.request.route?.underLoad === 'first') this.#start(exchange, 0);
    else if (this.#lines.size > 0 || this.#started >= this.#max) this.#wait(exchange);
    else {
      // Not in every turn: each would cost another round of the event loop.
      if (++this.#started > this.#max / 2) this.#schedule();
      this.#start(exchange, 0);
    }
  }

  #wait(exchange: Exchange): void {
    const { connection } = exchange;
    const line = this.#lines.get(connection);
    if (!line) {
      this.#lines.set(connection, { waiting: [exchange], isPaused: false });
      this.#schedule();
      return;
    }
    if (this.#behind >= MAX_BEHIND) {
      this.#cutOff(connection, line);
      this.#drop();
      return;
    }
    this.#behind++;
    line.waiting.push(exchange);
    if (line.isPaused) return;
    // Node keeps reading until there is a response to write, so a pipelining client could fill the memory.
    line.isPaused = true;
    connection.pause();
  }

  #cutOff(connection: Connection, { waiting }: Line): void {
    this.#lines.delete(connection);
    this.#behind -= waiting.length - 1;
    for (const _ of waiting) this.#drop();
    connection.socket.destroy();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#nextTurn());
  }

  #nextTurn(): void {
    this.#isScheduled = false;
    this.#max = this.#hasAccepted ? MAX_WHILE_ACCEPTING : MAX_PER_TURN;
    this.#hasAccepted = false;
    this.#started = 0;
    if (this.#lines.size === 0) return;
    this.#schedule();
    for (const [connection, line] of this.#lines) {
      if (this.#started === this.#max) break;
      this.#started++;
      this.#lines.delete(connection);
      const exchange = line.waiting.shift() as Exchange;
      if (line.waiting.length > 0) {
        this.#behind--;
        this.#lines.set(connection, line);
      } else if (line.isPaused) connection.resume();
      const { request } = exchange;
      const waitedMs = request.milliseconds;
      request.started += waitedMs;
      if (connection.socket.destroyed) this.#drop();
      else this.#start(exchange, waitedMs);
    }
  }
}
