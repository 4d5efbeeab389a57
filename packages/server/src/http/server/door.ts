import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, ListenOptions } from 'node:net';
import type { Logger } from 'pino';
import { InnkeeperError } from '../../domain/errors.ts';
import type { RateLimits, Standing } from '../../domain/limits/rate-limits.ts';
import { ownTurn } from '../../domain/slices.ts';
import { inSpan, type Tracer } from '../../domain/tracing.ts';
import { BODY_LIMIT, hasBody, readBody } from './body.ts';
import { createAddressReader } from './client-address.ts';
import { ClientGone, type Connection, connectionOf } from './connection.ts';
import { drain } from './drain.ts';
import { type Refusal, refuseMalformed } from './malformed.ts';
import { Overload, Turns } from './overload.ts';
import { type Exchange, HttpReply, HttpRequest, isStream, WireText } from './request-and-reply.ts';
import type { Route, Routes } from './routes.ts';
import { writeResponse, writeStream, writeToSocket } from './write-response.ts';

/** Not imported: an import evaluates every export of node:http, which loads its WebSocket and 10 MB of HTTP client. */
const { createServer } = process.getBuiltinModule('node:http');

/** Larger bodies may take milliseconds to parse. */
const LARGE_BODY = 8 * 1024;
export const HEADER_LIMIT = 16 * 1024;
/** Time for a request to arrive, checked at this interval: within ten seconds it is complete or cut off. */
const REQUEST_MS = 9_500;
const CHECK_MS = 250;

/** One year, for this host only: other hosts of the domain are not ours to decide about. */
const HSTS = 'max-age=31536000';

export type DoorParts = {
  routes: Routes;
  limits: RateLimits;
  logger: Logger;
  trustedProxies: readonly string[];
  /** Whether clients reach it by https only. */
  isHttps: boolean;
  /** undefined: requests are not traced. */
  tracer?: Tracer | undefined;
  /** Storage calls that wait for the database. */
  waitingActs: () => number;
  /** Called when no route matches: fills in the reply, or throws. */
  notFound: (request: HttpRequest, reply: HttpReply) => void;
  /** The error handler: fills in the reply for anything thrown. */
  fail: (error: unknown, request: HttpRequest, reply: HttpReply) => void;
  /** Called after the response was written. */
  record: (request: HttpRequest, reply: HttpReply, refused?: Refused) => void;
};

/** A request refused unread: malformed, or under overload, when logging each would cost too much. */
export type Refused = { log: boolean; reason?: string | undefined };

type OwnRequest = { method: string; url: string; headers?: Record<string, string>; body?: string };
export type SendOwn = (request: OwnRequest) => Promise<{ status: number; text: string }>;

/** The front door: every request arrives and every response leaves here (docs/decisions/0043). */
export class Door {
  readonly #parts: DoorParts;
  readonly #server: Server;
  readonly #turns = new Turns(
    (exchange, waitedMs) => this.#serve(exchange, waitedMs),
    () => this.requestsInFlight--,
  );
  readonly #overload: Overload;
  readonly #addressOf: ReturnType<typeof createAddressReader>;
  #held: Promise<void> | undefined;
  isClosing = false;
  requestsInFlight = 0;

  constructor(parts: DoorParts) {
    this.#parts = parts;
    this.#overload = new Overload(parts.waitingActs, parts.logger);
    this.#addressOf = createAddressReader(parts.trustedProxies);
    this.#server = createServer(
      {
        requireHostHeader: false,
        maxHeaderSize: HEADER_LIMIT,
        headersTimeout: REQUEST_MS,
        requestTimeout: REQUEST_MS,
        connectionsCheckingInterval: CHECK_MS,
        keepAliveTimeout: 65_000,
        // Requests without a body are streams that have already ended.
        optimizeEmptyRequests: true,
      },
      (raw, response) => {
        // Ignores requests that were read before their connection was destroyed.
        if (!raw.socket.destroyed) this.#turns.enter(this.#receive(raw, response));
      },
    );
    // A client that half-closes after its request still wants the response.
    Object.assign(this.#server, { httpAllowHalfOpen: true });
    this.#server.on('connection', (socket) => {
      connectionOf(socket);
      this.#turns.accepted();
    });
    // An expectation other than 100-continue: RFC 9110 10.1.1.
    this.#server.on('checkExpectation', (raw: IncomingMessage, response: ServerResponse) => {
      const exchange = this.#receive(raw, response);
      exchange.request.route = undefined;
      const reply = this.#failed(new InnkeeperError('expectationFailed'), exchange.request);
      this.#finish(exchange, reply.header('connection', 'close'), { log: true });
    });
    refuseMalformed(this.#server, parts.routes, (connection, refusal) => this.#refuse(connection, refusal));
  }

  /** Resolves to the port. */
  async listen(options: ListenOptions): Promise<number> {
    const { tracer } = this.#parts;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const listen = () => this.#server.once('error', reject).listen(options, resolve);
    // Connections inherit the context in which their server began to listen: most requests need no other.
    if (tracer) inSpan(tracer.unsampled, listen);
    else listen();
    await promise;
    this.#server.off('error', reject);
    const { address, family, port } = this.#server.address() as AddressInfo;
    this.#parts.logger.info(`Server listening at http://${family === 'IPv6' ? `[${address}]` : address}:${port}`);
    return port;
  }

  /** Responds to every accepted request first. */
  async close(): Promise<void> {
    this.isClosing = true;
    this.#overload.resumeAll();
    await drain(this.#server, (until) => {
      this.#held = until;
    });
  }

  /** Serves a request that this process makes to itself. */
  async sendOwn({ method, url, headers: named = {}, body }: OwnRequest): Promise<{ status: number; text: string }> {
    const headers = Object.fromEntries(Object.entries(named).map(([name, value]) => [name.toLowerCase(), value]));
    const request = this.#route(new HttpRequest({ method, url, headers, address: '127.0.0.1' }, this.#parts.limits));
    if (body !== undefined) request.body = Buffer.from(body);
    const reply = await this.#respond(request);
    this.#record(request, reply);
    const { statusCode: status, body: sent = '' } = reply;
    return { status, text: (sent instanceof WireText ? sent.toBuffer() : isStream(sent) ? '' : sent).toString() };
  }

  #receive(raw: IncomingMessage, response: ServerResponse): Exchange {
    const connection = connectionOf(raw.socket);
    const { method = '', url = '', headers } = raw;
    const address = this.#addressOf(connection.peer, headers);
    const request = this.#route(new HttpRequest({ method, url, headers, address }, this.#parts.limits));
    const exchange = { connection, raw, response, request };
    request.exchange = exchange;
    connection.add(exchange);
    this.requestsInFlight++;
    return exchange;
  }

  #route(request: HttpRequest): HttpRequest {
    const found = this.#parts.routes.find(request.method, request.url);
    if (found) ({ store: request.route, params: request.params, searchParams: request.query } = found);
    return request;
  }

  #serve(exchange: Exchange, waitedMs: number): void {
    if (!this.isClosing && this.#overload.refuses(exchange, waitedMs)) {
      this.#finish(exchange, this.#overload.refuse(exchange), { log: false });
      return;
    }
    const { tracer } = this.#parts;
    const reply = tracer ? this.#trace(tracer, exchange.request) : this.#respond(exchange.request);
    if (reply instanceof HttpReply) this.#finish(exchange, reply);
    else {
      reply.then(
        (made) => this.#finish(exchange, made),
        // The client has disconnected.
        () => {
          this.requestsInFlight--;
          exchange.request.span?.end({ failure: 'client_gone' });
          exchange.connection.socket.destroy();
        },
      );
    }
  }

  #trace(tracer: Tracer, request: HttpRequest): HttpReply | Promise<HttpReply> {
    const span = request.route?.unlogged ? undefined : tracer.serve(request);
    if (!span) return this.#respond(request);
    request.span = span;
    return inSpan(span, () => this.#respond(request));
  }

  /** Makes the reply; returns no promise if there is nothing to wait for. Rejects only with ClientGone. */
  #respond(request: HttpRequest): HttpReply | Promise<HttpReply> {
    const reply = new HttpReply();
    const route = request.route as Route | undefined;
    const raw = request.exchange?.raw;
    try {
      if (route?.isLimited ?? true) request.admission.admitAddress();
      if (raw) checkHead(raw);
      if (!route) this.#parts.notFound(request, reply);
      else {
        const mustWait = this.#held || route.admit || (raw && route.takesBody && hasBody(raw));
        const made = mustWait ? this.#handleLater(route, request, reply) : route.handler(request, reply);
        if (made instanceof Promise) return this.#settle(made, request, reply);
        if (made !== reply) reply.send(made);
      }
    } catch (error) {
      this.#parts.fail(error, request, reply);
    }
    addLimitHeaders(reply, request.admission.standings);
    return reply;
  }

  async #handleLater(route: Route, request: HttpRequest, reply: HttpReply): Promise<unknown> {
    await this.#held;
    await route.admit?.(request);
    const { exchange } = request;
    if (exchange && route.takesBody && hasBody(exchange.raw)) {
      request.body = await readBody(exchange, route.bodyLimit ?? BODY_LIMIT);
      // Each large body gets a turn of its own, so other requests wait for one at most.
      if (request.body.length > LARGE_BODY) await ownTurn();
    }
    return route.handler(request, reply);
  }

  async #settle(made: Promise<unknown>, request: HttpRequest, reply: HttpReply): Promise<HttpReply> {
    try {
      const body = await made;
      if (body !== reply) reply.send(body);
    } catch (error) {
      if (error instanceof ClientGone) throw error;
      this.#parts.fail(error, request, reply);
    }
    addLimitHeaders(reply, request.admission.standings);
    return reply;
  }

  #failed(error: unknown, request: HttpRequest): HttpReply {
    const reply = new HttpReply();
    this.#parts.fail(error, request, reply);
    return reply;
  }

  /** Writes the response, then records it. */
  #finish(exchange: Exchange, reply: HttpReply, refused?: Refused): void {
    const { request } = exchange;
    this.requestsInFlight--;
    try {
      this.#mark(request, reply);
      if (isStream(reply.body)) {
        // Recorded at the start: a stream may last as long as its client wants.
        writeStream(exchange, reply, reply.body).catch((error: unknown) => {
          this.#parts.logger.error({ err: error, reqId: request.id }, 'a response was cut off');
        });
      } else writeResponse(exchange, reply);
      this.#record(request, reply, refused);
    } catch (error) {
      // A header had an invalid value.
      const failure = this.#failed(error, request);
      this.#mark(request, failure);
      if (exchange.response.headersSent) exchange.connection.socket.destroy();
      else writeResponse(exchange, failure);
      this.#record(request, failure);
    }
  }

  #refuse(connection: Connection, { error, reason, request: raw }: Refusal): void {
    const { method = 'unknown', headers = {} } = raw ?? {};
    const request = new HttpRequest({ method, url: '', headers, address: connection.peer }, this.#parts.limits);
    const reply = this.#failed(error, request);
    this.#mark(request, reply);
    writeToSocket(connection.socket, reply);
    this.#record(request, reply, { log: true, reason });
  }

  #mark(request: HttpRequest, reply: HttpReply): void {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    if (this.#parts.isHttps) reply.header('strict-transport-security', HSTS);
    if (this.isClosing) reply.header('connection', 'close');
  }

  /** A failure here must affect neither the client nor the process. */
  #record(request: HttpRequest, reply: HttpReply, refused?: Refused): void {
    try {
      this.#parts.record(request, reply, refused);
    } catch (error) {
      this.#parts.logger.error({ err: error, reqId: request.id }, 'a response could not be recorded');
    }
  }
}

/**
 * Refuses what Node accepts but a proxy may read differently. RFC 9112 3.2: exactly one Host header; only HTTP/1.0 may omit it.
 * 6.1: HTTP/1.0 has no Transfer-Encoding; and no encoding but chunked is decoded here.
 */
function checkHead({ headers, rawHeaders, httpVersion }: IncomingMessage): void {
  const encoding = headers['transfer-encoding'];
  if (encoding !== undefined && (httpVersion !== '1.1' || encoding.toLowerCase() !== 'chunked')) {
    throw new InnkeeperError('badRequest', {
      message: 'Transfer-Encoding must be chunked, and HTTP/1.0 does not support it.',
      headers: { connection: 'close' },
    });
  }
  if (headers.host === undefined) {
    if (httpVersion !== '1.1') return;
    throw new InnkeeperError('badRequest', { message: 'HTTP/1.1 requires a Host header.' });
  }
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') count++;
  }
  if (count > 1) throw new InnkeeperError('badRequest', { message: 'Only one Host header is allowed.' });
}

/** Headers of draft-ietf-httpapi-ratelimit-headers: the limit of the address before that of the application. */
function addLimitHeaders(reply: HttpReply, standings: readonly Standing[]): void {
  if (standings.length === 0) return;
  const policies = standings.map(({ claim: { name, limit } }) => `"${name}";q=${limit.quota};w=${limit.seconds}`);
  const left = standings.map(({ claim: { name }, left, seconds }) => `"${name}";r=${left};t=${seconds}`);
  reply.header('ratelimit-policy', policies.join(', ')).header('ratelimit', left.join(', '));
}
