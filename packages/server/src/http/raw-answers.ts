import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { InnkeeperError } from '../domain/errors.ts';
import { plainAddress } from './client-address.ts';
import { discardAll, discardRest, isDiscarded } from './discard-rest.ts';
import type { ErrorBody } from './errors.ts';
import type { Metrics } from './metrics.ts';
import { requestIdOf } from './request-id.ts';
import { readableTarget } from './request-target.ts';
import { statusText } from './status-text.ts';
import { readAgain, stopReading } from './unheard.ts';

/** What any path here may be asked with: CONNECT names a host, and no path. */
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
const MAX_LINE = 8 * 1024;

/** `rawPacket` is what was being read, `bytesParsed` how far that went well. */
type ParseError = NodeJS.ErrnoException & { rawPacket?: unknown; bytesParsed?: number | undefined };

export type RawAnswers = {
  /** What is so malformed that it never becomes a request still gets a code and a message. */
  clientError(error: ParseError, socket: Socket): void;
  /** What node hands over in another way than as a request. */
  listen(server: Server): void;
};

/**
 * Answers to what no framework sees; they look like all others, and are logged and counted with them. `refusalOf`
 * says what a path answers to a method that it does not take.
 */
export function createRawAnswers(
  metrics: Metrics,
  logger: Logger,
  refusalOf: (request: { url: string }) => InnkeeperError,
): RawAnswers {
  const answer = (error: InnkeeperError, request: Partial<IncomingMessage>, reason?: string): RawAnswer => {
    const { status, code, message } = error;
    const reqId = requestIdOf(request.headers);
    const method = request.method ?? 'unknown';
    metrics.count(method, 'unknown', status, code);
    logger.info({ reqId, method, address: plainAddress(request.socket?.remoteAddress ?? ''), status, code, reason });
    const body = JSON.stringify({ code, message } satisfies ErrorBody);
    const headers = {
      ...error.headers,
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'x-request-id': reqId,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      connection: 'close',
    };
    return { status, headers, body };
  };
  const refusalOfError = (error: ParseError): InnkeeperError => {
    if (error.code === 'HPE_HEADER_OVERFLOW') return new InnkeeperError('headersTooLarge');
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return new InnkeeperError('requestTimeout');
    const target = error.code === 'HPE_INVALID_METHOD' ? readTarget(error) : undefined;
    return target === undefined ? new InnkeeperError('badRequest') : refusalOf({ url: readableTarget(target) });
  };

  return {
    clientError(error, socket) {
      if (isDiscarded(socket)) discardAll(socket);
      else if (error.code === 'ECONNRESET') socket.destroy();
      else {
        afterEarlier(socket, () => {
          if (!socket.writable || isAnswering(socket)) socket.destroy();
          else endWith(socket, answer(refusalOfError(error), { socket }, error.code));
        });
      }
    },
    listen(server) {
      // Who has said all it has to say may still want to hear the answer.
      Object.assign(server, { httpAllowHalfOpen: true });
      // There is nothing to tunnel to.
      server.on('connect', (request: IncomingMessage, socket: Duplex) => {
        const { url = '' } = request;
        const refusal = url.startsWith('/')
          ? refusalOf({ url: readableTarget(url) })
          : new InnkeeperError('methodNotAllowed', { headers: { allow: METHODS } });
        afterEarlier(socket as Socket, () => endWith(socket as Socket, answer(refusal, request)));
      });
      // An expectation other than 100-continue: RFC 9110 10.1.1.
      server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
        const { status, headers, body } = answer(new InnkeeperError('expectationFailed'), request);
        discardRest(request);
        response.writeHead(status, headers).end(body);
      });
    },
  };
}

/** What is asked for by a method that node has never heard of, if the line is otherwise as it should be. */
function readTarget({ rawPacket, bytesParsed = 0 }: ParseError): string | undefined {
  const text = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1') : '';
  const start = text.lastIndexOf('\n', bytesParsed - 1) + 1;
  const line = text.slice(start, start + MAX_LINE).split('\n', 1)[0] as string;
  return /^[\w!#$%&'*+.^`|~-]+ (\/\S*) HTTP\/1\.[01]\r?$/.exec(line)?.[1];
}

/** The answer that is next to leave. */
function nextAnswer(socket: Socket): ServerResponse | undefined {
  return (socket as { _httpMessage?: ServerResponse })._httpMessage;
}

/** When all is answered that came whole on this connection before: by their order clients tell whose an answer is. */
function afterEarlier(socket: Socket, act: () => void): void {
  const earlier = nextAnswer(socket);
  if (!earlier?.req.complete) {
    act();
    return;
  }
  stopReading(socket);
  earlier.once('close', () => {
    readAgain(socket);
    afterEarlier(socket, act);
  });
}

/** A second answer amid the first would read as a part of it. */
function isAnswering(socket: Socket): boolean {
  return nextAnswer(socket)?.headersSent === true;
}

type RawAnswer = { status: number; headers: Record<string, string>; body: string };

function endWith(socket: Socket, { status, headers, body }: RawAnswer): void {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${statusText(status)}\r\n${lines.join('')}\r\n${body}`);
  discardAll(socket);
}
