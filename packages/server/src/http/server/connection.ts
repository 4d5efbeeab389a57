import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
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

/** What we know of a client's connection. */
export class Connection {
  readonly socket: Socket;
  /** Read when it is accepted: a socket that was reset has no address. */
  readonly peer: string;
  /** Oldest first, as they are answered; those that are go when the next one comes. */
  readonly #exchanges: Exchange[] = [];
  #pauses = 0;

  constructor(socket: Socket) {
    this.socket = socket;
    this.peer = plainAddress(socket.remoteAddress);
    // Node handles errors of a socket until it hands it over (CONNECT); then a reset would end the process.
    socket.on('error', () => {});
  }

  add(exchange: Exchange): void {
    // Only from the front: a client may pipeline thousands, and looking at all of them each time would take seconds.
    while (this.#exchanges[0] && !isOpen(this.#exchanges[0])) this.#exchanges.shift();
    this.#exchanges.push(exchange);
  }

  /** The oldest request without a complete response. */
  get oldest(): Exchange | undefined {
    return this.#exchanges.find(isOpen);
  }

  /** Stops reading until `resume` was called as often. The client waits as its sends are no longer acknowledged. */
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

function isOpen({ response }: Exchange): boolean {
  // A response that has left is destroyed by the time the next request comes: the cheaper question first.
  return !response.destroyed && !response.writableFinished;
}

/** Reading the body of a request resumes its connection. */
function pauseAgain(this: Socket): void {
  this.pause();
}
