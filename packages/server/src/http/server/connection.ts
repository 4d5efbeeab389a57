import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ClientGone } from './body.ts';
import { plainAddress } from './client-address.ts';
import type { HttpRequest } from './request-and-reply.ts';

/** A request that arrived on a connection, and its response. */
export type Exchange = {
  readonly connection: Connection;
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
  readonly request: HttpRequest;
};

const connections = new WeakMap<Socket, Connection>();

export function connectionOf(socket: Socket): Connection {
  const known = connections.get(socket);
  if (known) return known;
  const connection = new Connection(socket);
  connections.set(socket, connection);
  return connection;
}

/** The state of a client's connection. */
export class Connection {
  readonly socket: Socket;
  /** Read on accept: a socket that was reset has no address. */
  readonly peer: string;
  /** Oldest first, in the order of the responses. Completed ones are removed when the next request arrives. */
  readonly #exchanges: Exchange[] = [];
  #pauses = 0;

  constructor(socket: Socket) {
    this.socket = socket;
    this.peer = plainAddress(socket.remoteAddress);
    // Node handles socket errors until it hands the socket over (CONNECT); then a reset would end the process.
    socket.on('error', () => {});
  }

  add(exchange: Exchange): void {
    // Only from the front: a client may pipeline thousands, and checking all of them each time would take seconds.
    while (this.#exchanges[0] && !isOpen(this.#exchanges[0])) this.#exchanges.shift();
    this.#exchanges.push(exchange);
  }

  /** The oldest request without a complete response. */
  get oldest(): Exchange | undefined {
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
export function goneSignal(exchange: Exchange | undefined): AbortSignal {
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

function isOpen({ response }: Exchange): boolean {
  // A sent response is usually destroyed by the time the next request arrives, so check that first: it is cheaper.
  return !response.destroyed && !response.writableFinished;
}

/** Node resumes the connection when it reads the body of a request. */
function pauseAgain(this: Socket): void {
  this.pause();
}
