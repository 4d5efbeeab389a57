import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { InnkeeperError } from '../../domain/errors.ts';
import { discardAll, isDiscarded } from './body.ts';
import { type Connection, connectionOf } from './connection.ts';
import type { Routes } from './routes.ts';

/** CONNECT names a host, not a path: these are the methods of any path here. */
const ANY_METHOD = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
const MAX_LINE = 8 * 1024;

/** `rawPacket` is the data being parsed, `bytesParsed` how far it was valid. */
type ParseError = NodeJS.ErrnoException & { rawPacket?: unknown; bytesParsed?: number };

/** The refusal of something that node could not parse into a request. */
export type Refusal = { error: InnkeeperError; reason: string | undefined; request: IncomingMessage | undefined };

/** Responds to everything that node does not hand over as a request, in the order of the connection. */
export function refuseMalformed(
  server: Server,
  routes: Routes,
  refuse: (connection: Connection, refusal: Refusal) => void,
): void {
  const errorFor = (error: ParseError): InnkeeperError => {
    if (error.code === 'HPE_HEADER_OVERFLOW') return new InnkeeperError('headersTooLarge');
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return new InnkeeperError('requestTimeout');
    const target = error.code === 'HPE_INVALID_METHOD' ? readTarget(error) : undefined;
    return target === undefined ? new InnkeeperError('badRequest') : routes.refusalOf(target);
  };
  server.on('clientError', (error: ParseError, stream: Duplex) => {
    const socket = stream as Socket;
    if (isDiscarded(socket)) discardAll(socket);
    else if (error.code === 'ECONNRESET') socket.destroy();
    else {
      const connection = connectionOf(socket);
      afterEarlier(connection, () => {
        if (!socket.writable) socket.destroy();
        else if (connection.oldest?.response.headersSent) {
          // The request already has a complete response, which may not have been sent yet; do not send a second.
          socket.end();
          discardAll(socket);
        } else refuse(connection, { error: errorFor(error), reason: error.code, request: undefined });
      });
    }
  });
  server.on('connect', (request: IncomingMessage, stream: Duplex) => {
    const { url = '' } = request;
    const error = url.startsWith('/')
      ? routes.refusalOf(url)
      : new InnkeeperError('methodNotAllowed', { headers: { allow: ANY_METHOD } });
    const connection = connectionOf(stream as Socket);
    afterEarlier(connection, () => refuse(connection, { error, reason: undefined, request }));
  });
}

/** The target of a request with a method unknown to node, if the request line is valid otherwise. */
function readTarget({ rawPacket, bytesParsed = 0 }: ParseError): string | undefined {
  const text = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1') : '';
  const start = text.lastIndexOf('\n', bytesParsed - 1) + 1;
  const line = text.slice(start, start + MAX_LINE).split('\n', 1)[0] as string;
  return /^[\w!#$%&'*+.^`|~-]+ (\/\S*) HTTP\/1\.[01]\r?$/.exec(line)?.[1];
}

/** Runs once all complete requests before it have a response: clients match responses by their order. */
function afterEarlier(connection: Connection, act: () => void): void {
  const earlier = connection.oldest;
  if (!earlier?.raw.complete) {
    act();
    return;
  }
  connection.pause();
  earlier.response.once('close', () => {
    connection.resume();
    afterEarlier(connection, act);
  });
}
