import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { plainAddress } from './client-address.ts';

/** The client closed its connection before it had its response. */
export class ClientGone extends Error {
  override name = 'ClientGone';
}

/** A request as it arrived on a connection, and its response. */
export type RawExchange = {
  readonly connection: Connection;
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
};

/** All that are open, in the order in which they are resumed. */
const connections = new Map<Socket, Connection>();

export function connectionOf(socket: Socket): Connection {
  const known = connections.get(socket);
  if (known) return known;
  const connection = new Connection(socket);
  if (!socket.closed) {
    connections.set(socket, connection);
    socket.once('close', () => connections.delete(socket));
  }
  return connection;
}

/**
 * A request or a chunk of a body costs microseconds, however small it is. One read from a connection can have thousands of
 * them, and libuv reads all connections in one turn of the event loop. After this many, the other connections are read in
 * the next turns, and the connection that sent them comes last.
 */
const MAX_SMALL_PIECES = 500;
/** Reads with at most this many pieces are not counted. */
const FEW_PIECES = 8;

let smallPieces = 0;

function countSmall(connection: Connection): void {
  if (++smallPieces === 1) setImmediate(() => (smallPieces = 0));
  if (smallPieces !== MAX_SMALL_PIECES) return;
  const { socket } = connection;
  if (connections.delete(socket)) connections.set(socket, connection);
  const paused = [...connections.values()].filter((each) => !each.socket.isPaused());
  for (const each of paused) each.pause();
  setImmediate(() => {
    for (const each of paused) each.resume();
  });
}

/** The state of a client's connection. */
export class Connection {
  readonly socket: Socket;
  /** Read on accept: a socket that was reset has no address. */
  readonly peer: string;
  /** Oldest first, in the order of the responses. Completed ones are removed when the next request arrives. */
  readonly #exchanges: RawExchange[] = [];
  #pauses = 0;
  /** Requests and chunks in the latest read, which is recognised by the bytes read until then. */
  #pieces = 0;
  #bytesRead = 0;

  constructor(socket: Socket) {
    this.socket = socket;
    this.peer = plainAddress(socket.remoteAddress);
    // Node handles socket errors until it hands the socket over (CONNECT); then a reset would end the process.
    socket.on('error', () => {});
  }

  /** Call it for each request and each chunk of a body. */
  count(): void {
    const { bytesRead } = this.socket;
    if (bytesRead === this.#bytesRead) this.#pieces++;
    else [this.#bytesRead, this.#pieces] = [bytesRead, 1];
    if (this.#pieces > FEW_PIECES) countSmall(this);
  }

  add(exchange: RawExchange): void {
    this.count();
    // Only from the front: a client may pipeline thousands, and checking all of them each time would take seconds.
    while (this.#exchanges[0] && !isOpen(this.#exchanges[0])) this.#exchanges.shift();
    this.#exchanges.push(exchange);
  }

  /** The oldest request without a complete response. */
  get oldest(): RawExchange | undefined {
    return this.#exchanges.find(isOpen);
  }

  /** Stops reading until `resume` is called as many times. The client then has to wait to send more. */
  pause(): void {
    if (++this.#pauses > 1) return;
    this.socket.pause();
    this.socket.on('resume', pauseAgain);
  }

  resume(): void {
    if (--this.#pauses > 0) return;
    this.socket.off('resume', pauseAgain);
    this.socket.resume();
  }
}

/** Aborted with ClientGone when the client closes its side, and when the response is done. */
export function goneSignal(exchange: RawExchange | undefined): AbortSignal {
  const controller = new AbortController();
  if (!exchange) return controller.signal;
  const { connection, response } = exchange;
  const gone = (): void => {
    connection.socket.off('end', gone);
    response.off('close', gone);
    controller.abort(new ClientGone());
  };
  if (connection.socket.readableEnded || response.destroyed) gone();
  else {
    connection.socket.on('end', gone);
    response.on('close', gone);
  }
  return controller.signal;
}

function isOpen({ response }: RawExchange): boolean {
  // A sent response is usually destroyed by the time the next request arrives, so check that first: it is cheaper.
  return !response.destroyed && !response.writableFinished;
}

/** Node resumes the connection when it reads the body of a request. */
function pauseAgain(this: Socket): void {
  this.pause();
}
