import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { discardAll, discardBody, hasBody } from './body.ts';
import { ClientGone } from './connection.ts';
import {
  type Body,
  type BodyStream,
  type Exchange,
  type HttpReply,
  isStream,
  statusText,
  toWireBytes,
  WireText,
} from './request-and-reply.ts';
import { Unread } from './unread.ts';

const ofAllClients = new Unread();

/** The only code that writes responses. Throws before writing anything if a header has an invalid value. */
export function writeResponse(exchange: Exchange, reply: HttpReply, unread = ofAllClients): void {
  const { raw, response, connection } = exchange;
  const { statusCode, rawHeaders } = reply;
  const isEmpty = statusCode === 204 || statusCode === 304;
  const body = isEmpty ? '' : toBytes(reply.body);
  if (!isEmpty) rawHeaders.push('content-length', String(body.length));
  response.writeHead(statusCode, rawHeaders);
  if (raw.complete || raw.destroyed || !hasBody(raw)) {
    response.end(body, 'latin1');
    waitUntilRead(response, unread);
    return;
  }
  // Complete for the client. Node ends the response, and may close the connection, only when the request has ended.
  if (body.length > 0) response.write(body, 'latin1');
  response.flushHeaders();
  waitUntilRead(response, unread);
  discardBody(raw, connection, () => response.end());
}

function waitUntilRead(response: ServerResponse, unread: Unread): void {
  if (response.writableLength === 0) return;
  unread.wait(response);
  const end = (): void => unread.end(response);
  // Before Node sets the time limit of the idle connection, or gives it to the next response.
  response.prependOnceListener('finish', end).once('close', end);
}

/**
 * Writes a stream as fast as the client reads, at most one text ahead. Rejects if the stream fails; the connection is
 * then closed.
 */
export async function writeStream(
  { raw, response, connection }: Exchange,
  reply: HttpReply,
  body: BodyStream,
  unread = ofAllClients,
): Promise<void> {
  response.writeHead(reply.statusCode, reply.rawHeaders);
  const texts = body[Symbol.asyncIterator]();
  // A stream that waits for new events must not outlive its client.
  const end = () => void texts.return?.()?.catch(() => {});
  response.once('close', end);
  if (body.isEndless) connection.socket.once('end', end);
  try {
    // Make nothing for HEAD.
    if (raw.method !== 'HEAD') {
      for (let made = await texts.next(); !made.done; made = await texts.next()) {
        if (response.destroyed) return;
        if (!response.write(made.value) && !(await hasDrained(response, unread))) return;
      }
    }
    response.end();
    waitUntilRead(response, unread);
  } catch (error) {
    // The client must not mistake it for the whole list.
    connection.socket.destroy();
    if (!(error instanceof ClientGone)) throw error;
  } finally {
    connection.socket.off('end', end);
    await texts.return?.();
  }
}

function hasDrained(response: ServerResponse, unread: Unread): Promise<boolean> {
  unread.wait(response);
  return new Promise((resolve) => {
    const done = (isDrained: boolean) => () => {
      unread.end(response);
      response.off('drain', drained).off('close', closed);
      resolve(isDrained);
    };
    const [drained, closed] = [done(true), done(false)];
    response.once('drain', drained).once('close', closed);
  });
}

/** Writes the response to data that node could not parse into a request. Closes the connection. */
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
