import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { ERRORS, type ErrorName } from '../domain/errors.ts';
import { plainAddress } from './client-address.ts';
import type { ErrorBody } from './errors.ts';
import type { Metrics } from './metrics.ts';
import { readRequestId } from './request-id.ts';
import { statusText } from './status-text.ts';

/** What any path here may be asked with: CONNECT names a host, and no path. */
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

export type RawAnswers = {
  /** What is so malformed that it never becomes a request still gets a code and a message. */
  clientError(error: NodeJS.ErrnoException, socket: Socket): void;
  /** What node hands over in another way than as a request. */
  listen(server: Server): void;
};

/** Answers to what no framework sees; they look like all others, and are logged and counted with them. */
export function createRawAnswers(metrics: Metrics, logger: Logger): RawAnswers {
  const answer = (name: ErrorName, request: Partial<IncomingMessage>, reason?: string) => {
    const { status, code, message } = ERRORS[name];
    const reqId = readRequestId(request.headers?.['x-request-id']) ?? randomUUID();
    const method = request.method ?? 'unknown';
    metrics.count(method, 'unknown', status, code);
    logger.info({ reqId, method, address: plainAddress(request.socket?.remoteAddress ?? ''), status, code, reason });
    const body = JSON.stringify({ code, message } satisfies ErrorBody);
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'x-request-id': reqId,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      connection: 'close',
    };
    return { status, headers, body };
  };

  return {
    clientError(error, socket) {
      if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
        socket.destroy();
        return;
      }
      const name =
        error.code === 'HPE_HEADER_OVERFLOW'
          ? 'headersTooLarge'
          : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
            ? 'requestTimeout'
            : 'badRequest';
      endWith(socket, answer(name, { socket }, error.code));
    },
    listen(server) {
      // There is nothing to tunnel to.
      server.on('connect', (request: IncomingMessage, socket: Duplex) => {
        const { headers, ...rest } = answer('methodNotAllowed', request);
        endWith(socket, { headers: { ...headers, allow: METHODS }, ...rest });
      });
      // An expectation other than 100-continue: RFC 9110 10.1.1.
      server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
        const { status, headers, body } = answer('expectationFailed', request);
        response.writeHead(status, headers).end(body);
      });
    },
  };
}

/** A second answer amid the first would read as a part of it. */
function isAnswering(socket: Socket): boolean {
  return (socket as { _httpMessage?: ServerResponse })._httpMessage?.headersSent === true;
}

type RawAnswer = { status: number; headers: Record<string, string>; body: string };

function endWith(socket: Duplex, { status, headers, body }: RawAnswer): void {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${statusText(status)}\r\n${lines.join('')}\r\n${body}`);
}
