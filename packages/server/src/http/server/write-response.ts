import type { Socket } from 'node:net';
import { discardAll, discardBody, hasBody } from './body.ts';
import type { Exchange } from './connection.ts';
import type { Body, HttpReply } from './request-and-reply.ts';
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
  if (body === undefined) return '';
  if (body instanceof WireText) return body.bytes;
  if (typeof body !== 'string') return body;
  return Buffer.byteLength(body) === body.length ? body : toWireBytes(body);
}
