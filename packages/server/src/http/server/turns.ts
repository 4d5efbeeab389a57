import type { Connection, Exchange } from './connection.ts';

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

/** The waiting requests of one connection: several if its client pipelines. */
type Line = { waiting: Exchange[]; isPaused: boolean };

/** Starts a limited number of requests per turn of the event loop, and rotates between connections. */
export class Turns {
  readonly #start: (exchange: Exchange, waitedMs: number) => void;
  readonly #drop: () => void;
  /** The first entry is next. */
  readonly #lines = new Map<Connection, Line>();
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
    line.waiting.push(exchange);
    if (line.isPaused) return;
    // Node keeps reading until there is a response to write, so a pipelining client could fill the memory.
    line.isPaused = true;
    connection.pause();
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
      if (line.waiting.length > 0) this.#lines.set(connection, line);
      else if (line.isPaused) connection.resume();
      const { request } = exchange;
      const waitedMs = request.milliseconds;
      request.started += waitedMs;
      if (connection.socket.destroyed) this.#drop();
      else this.#start(exchange, waitedMs);
    }
  }
}
