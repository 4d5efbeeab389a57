import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { discardAll, discardBody, hasBody } from './body.ts';
import type { Exchange } from './connection.ts';
import { type Body, type BodyStream, type HttpReply, isStream } from './request-and-reply.ts';
import { statusText, toWireBytes, WireText } from './wire-text.ts';

/** The only place that writes responses. Throws if a header holds what a header cannot; then nothing was written. */
export function writeResponse({ raw, response }: Exchange, reply: HttpReply): void {
  const { statusCode, rawHeaders } = reply;
  const isEmpty = statusCode === 204 || statusCode === 304;
  const body = isEmpty ? '' : toBytes(reply.body);
  if (!isEmpty) rawHeaders.push('content-length', String(body.length));
  response.writeHead(statusCode, rawHeaders);
  if (raw.complete || raw.destroyed || !hasBody(raw)) {
    response.end(body, 'latin1');
    return;
  }
  // Complete for the client; for node it ends, and may close the connection, when the request has.
  if (body.length > 0) response.write(body, 'latin1');
  response.flushHeaders();
  discardBody(raw, () => response.end());
}

/** A client that reads nothing for so long is gone. */
const STALLED_MS = 60_000;

/** Writes a stream as fast as the client reads it: what is made ahead is one text. Rejects if it fails; then the connection closes. */
export async function writeStream({ raw, response, connection }: Exchange, reply: HttpReply, body: BodyStream) {
  response.writeHead(reply.statusCode, reply.rawHeaders);
  const texts = body[Symbol.asyncIterator]();
  // What waits for news must not wait for a client that is gone.
  const end = () => void texts.return?.()?.catch(() => {});
  response.once('close', end);
  if (body.isEndless) connection.socket.once('end', end);
  try {
    // Of a HEAD, nothing is made.
    if (raw.method !== 'HEAD') {
      for (let made = await texts.next(); !made.done; made = await texts.next()) {
        if (response.destroyed) return;
        if (!response.write(made.value) && !(await hasDrained(response))) {
          connection.socket.destroy();
          return;
        }
      }
    }
    response.end();
  } catch (error) {
    // The client must not take it for the whole list.
    connection.socket.destroy();
    throw error;
  } finally {
    connection.socket.off('end', end);
    await texts.return?.();
  }
}

function hasDrained(response: ServerResponse): Promise<boolean> {
  return new Promise((resolve) => {
    const done = (isDrained: boolean) => () => {
      clearTimeout(timer);
      response.off('drain', drained).off('close', closed);
      resolve(isDrained);
    };
    const [drained, closed] = [done(true), done(false)];
    const timer = setTimeout(closed, STALLED_MS);
    response.once('drain', drained).once('close', closed);
  });
}

/** The same for what is so malformed that node made no request of it. The connection closes. */
export function writeToSocket(socket: Socket, reply: HttpReply): void {
  const bytes = toBytes(reply.body);
  const { statusCode, rawHeaders } = reply.header('content-length', String(bytes.length)).header('connection', 'close');
  let head = `HTTP/1.1 ${statusCode} ${statusText(statusCode)}\r\n`;
  for (let at = 0; at < rawHeaders.length; at += 2) head += `${rawHeaders[at]}: ${rawHeaders[at + 1]}\r\n`;
  socket.end(`${head}\r\n${bytes}`, 'latin1');
  discardAll(socket);
}

/** As bytes, or as a string with one character per byte. */
function toBytes(body: Body): string | Buffer {
  if (body === undefined || isStream(body)) return '';
  if (body instanceof WireText) return body.bytes;
  if (typeof body !== 'string') return body;
  return Buffer.byteLength(body) === body.length ? body : toWireBytes(body);
}
