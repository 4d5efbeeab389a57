import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';

/** What is taken in and thrown away after an answer that did not wait for it. */
const MAX_BYTES = 64 * 1024 ** 2;
const MAX_MS = 5_000;

/**
 * For an answer that leaves before its request has come whole. Many clients send all of a body before they read:
 * if the connection were closed on them meanwhile, they would find it broken, and never see the answer. So what
 * still comes is read and dropped, within bounds, and a connection that is to be closed is closed after that.
 */
export function discardRest(request: IncomingMessage): void {
  const { socket } = request;
  // A request that the service makes of itself (trying the flow) comes by no connection.
  if (request.complete || !bringsBody(request) || !(socket instanceof Socket)) return;
  const cutOff = setTimeout(() => socket.destroy(), MAX_MS);
  let taken = 0;
  request.on('data', (chunk: Buffer) => {
    taken += chunk.length;
    if (taken > MAX_BYTES) socket.destroy();
  });
  request.resume();
  // How node closes after an answer with `Connection: close`.
  const close = socket.destroySoon;
  let isAnswered = false;
  socket.destroySoon = () => {
    if (request.complete) return close.call(socket);
    isAnswered = true;
    socket.end();
  };
  request.once('close', () => {
    clearTimeout(cutOff);
    socket.destroySoon = close;
    if (isAnswered) close.call(socket);
  });
}

/** What had come of those that are being discarded, when that began. */
const discarded = new WeakMap<Socket, number>();

/**
 * The same for what never became a request: all that comes is dropped, until the client closes. To be called again
 * when more has come.
 */
export function discardAll(socket: Socket): void {
  const before = discarded.get(socket);
  if (before === undefined) {
    discarded.set(socket, socket.bytesRead);
    const cutOff = setTimeout(() => socket.destroy(), MAX_MS);
    socket.once('close', () => clearTimeout(cutOff));
    socket.resume();
  } else if (socket.bytesRead - before > MAX_BYTES) socket.destroy();
}

export function isDiscarded(socket: Socket): boolean {
  return discarded.has(socket);
}

export function bringsBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
