import type { Connection, Exchange } from './connection.ts';

/**
 * Requests started in one turn of the event loop; the others wait for the next turns. Within a turn no timer fires and
 * no connection is accepted, and a client that is answered may be back within it: with a thousand busy connections,
 * libuv would otherwise read on for seconds.
 */
const MAX_PER_TURN = 128;
/** Node accepts one connection per turn. While clients connect, turns are short, so that they do not wait for the others. */
const MAX_WHILE_ACCEPTING = 8;

/** The requests of one connection: several if its client pipelines. */
type Line = { waiting: Exchange[]; isPaused: boolean };

/** Starts a bounded number of requests per turn of the event loop, taking connections in rotation. */
export class Turns {
  readonly #start: (exchange: Exchange, waitedMs: number) => void;
  readonly #drop: () => void;
  /** The first is the next. */
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
      // Not in every turn: the event loop would go round once more for each.
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
    // Node reads on until there is a response to write: a pipelining client could fill our memory.
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
