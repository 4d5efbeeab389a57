import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { InnkeeperError } from '../../domain/errors.ts';
import { ClientGone, type Connection, type RawExchange } from './connection.ts';

/** Maximum bytes of a body, unless its route allows more. */
export const BODY_LIMIT = 64 * 1024;
/**
 * Memory of all bodies of a kind whose requests have no response yet. Of each body, the first `free` bytes are always
 * read.
 */
type Share = { bytes: number; readonly most: number; readonly free: number };
/** Bodies of routes that allow more than BODY_LIMIT. */
const LARGE: Share = { bytes: 0, most: 96 * 1024 ** 2, free: BODY_LIMIT };
/** All other bodies: thousands of clients may each send a part of one. */
const SMALL: Share = { bytes: 0, most: 64 * 1024 ** 2, free: 4 * 1024 };

/** How much of a body is read and discarded after an early response. */
const MAX_DISCARDED_BYTES = 64 * 1024 ** 2;
const MAX_DISCARD_MS = 5_000;
/**
 * A chunk costs microseconds however small it is, and one read from the connection has thousands of chunks of one byte:
 * after the first ones, chunks must have this many bytes on average.
 */
const MIN_CHUNK_BYTES = 8;
const FEW_CHUNKS = 1_000;

function areTooSmall(chunks: number, bytes: number): boolean {
  return chunks > FEW_CHUNKS && bytes < chunks * MIN_CHUNK_BYTES;
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

export function readBody({ raw, response, connection }: RawExchange, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // While its caller was checked: it closes only once.
    if (raw.destroyed) throw new ClientGone();
    if (Number(raw.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
    const share = limit > BODY_LIMIT ? LARGE : SMALL;
    const chunks: Buffer[] = [];
    let bytes = 0;
    const refuse = (error: InnkeeperError): void => {
      raw.off('data', take);
      chunks.length = 0;
      reject(error);
    };
    const take = (chunk: Buffer): void => {
      connection.count();
      bytes += chunk.length;
      chunks.push(chunk);
      share.bytes += chunk.length;
      if (bytes > limit) refuse(tooLarge(limit));
      else if (areTooSmall(chunks.length, bytes)) refuse(chunksTooSmall());
      else if (bytes > share.free && share.bytes > share.most) refuse(tooManyTogether());
    };
    raw.on('data', take);
    raw.once('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    raw.once('close', () => {
      if (!raw.readableEnded) reject(new ClientGone());
    });
    response.once('close', () => {
      share.bytes -= bytes;
    });
  });
}

/** Closes the connection, so that a client that is still sending stops. */
function tooLarge(limit: number): InnkeeperError {
  const headers = { connection: 'close' };
  const mebibytes = limit / 1024 ** 2;
  return new InnkeeperError(
    'bodyTooLarge',
    mebibytes < 1 ? { headers } : { headers, message: `The body is larger than ${mebibytes} MiB.` },
  );
}

function tooManyTogether(): InnkeeperError {
  return new InnkeeperError('overloaded', { headers: { connection: 'close' } });
}

function chunksTooSmall(): InnkeeperError {
  const message = 'The chunks of the body have only a few bytes each. Send larger ones.';
  return new InnkeeperError('badRequest', { headers: { connection: 'close' }, message });
}

/**
 * For a response sent before its request is complete. Many clients send the whole body before they read: if the
 * connection were closed meanwhile, they would see a broken connection instead of the response. So the rest is read and
 * discarded, up to a limit; `done` may then close.
 */
export function discardBody(raw: IncomingMessage, connection: Connection, done: () => void): void {
  const { socket } = raw;
  const deadline = setTimeout(() => socket.destroy(), MAX_DISCARD_MS);
  let [bytes, chunks] = [0, 0];
  raw.on('data', (chunk: Buffer) => {
    connection.count();
    bytes += chunk.length;
    if (bytes > MAX_DISCARDED_BYTES || areTooSmall(++chunks, bytes)) socket.destroy();
  });
  raw.once('close', () => {
    clearTimeout(deadline);
    done();
  });
  raw.resume();
}

/** Bytes received on a connection when it began to be discarded. */
const discarded = new WeakMap<Socket, number>();

/**
 * The same for data that never became a request: discards everything until the client closes. May be called again for
 * more.
 */
export function discardAll(socket: Socket): void {
  const before = discarded.get(socket);
  if (before === undefined) {
    discarded.set(socket, socket.bytesRead);
    const deadline = setTimeout(() => socket.destroy(), MAX_DISCARD_MS);
    socket.once('close', () => clearTimeout(deadline));
    socket.resume();
  } else if (socket.bytesRead - before > MAX_DISCARDED_BYTES) socket.destroy();
}

export function isDiscarded(socket: Socket): boolean {
  return discarded.has(socket);
}
