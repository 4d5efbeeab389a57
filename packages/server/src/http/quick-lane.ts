import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { parse as parseQuery } from 'fast-querystring';
import type { FastifyInstance, RouteOptions } from 'fastify';
import type { Answering, Asked, Handler } from './asked.ts';
import { JSON_TYPE } from './json-body.ts';
import { headLine, writeReadyHead } from './ready-head.ts';
import type { About } from './request-log/about.ts';
import { toWireBytes, WireText } from './wire-text.ts';

type Parts = {
  logger: Asked['log'];
  bodyLimit: number;
  newRequestId: (headers: IncomingHttpHeaders) => string;
  addressOf: (request: IncomingMessage) => string;
  isClosing: () => boolean;
  /** Before the route. Throws what is to be refused. */
  begin: (request: Asked, reply: Answering) => void;
  fail: (error: unknown, request: Asked, reply: Answering) => void;
  /** After the answer has left. */
  end: (request: Asked, reply: Answering) => void;
};

type QuickRoute = { handler: Handler; takesBody: boolean; options: Asked['routeOptions'] };

/**
 * The busiest routes (`config.quick`) without the framework, which takes longer for a request than their rules do: of
 * all that it can do they need a look-up by path, a body and an answer. Whatever is not plainly one of theirs is left
 * to the framework, which has the same routes and answers the same.
 */
export function createQuickLane(app: FastifyInstance, parts: Parts) {
  const routes = new Map<string, Map<string, QuickRoute>>();
  app.addHook(
    'onRoute',
    ({ method, url, schema, config = {}, bodyLimit, logLevel }: RouteOptions & { url: string }) => {
      if (!config.quick || typeof method !== 'string') return;
      const ofMethod = routes.get(method) ?? new Map<string, QuickRoute>();
      routes.set(method, ofMethod);
      const options = { url, schema, config, bodyLimit, logLevel } as QuickRoute['options'];
      ofMethod.set(url, { handler: config.quick, takesBody: method !== 'GET', options });
    },
  );

  const answer = async ({ handler }: QuickRoute, request: QuickRequest, reply: QuickReply): Promise<void> => {
    try {
      parts.begin(request, reply);
      const payload = await handler(request, reply);
      if (!reply.sent) reply.send(payload);
    } catch (error) {
      parts.fail(error, request, reply);
    }
    parts.end(request, reply);
  };

  /** Answers whether it takes the request. */
  return (raw: IncomingMessage, response: ServerResponse): boolean => {
    const { method = '', url = '', headers } = raw;
    const end = url.indexOf('?');
    const route = routes.get(method)?.get(end < 0 ? url : url.slice(0, end));
    if (!route || url.includes('#') || !isPlain(headers, route.takesBody ? parts.bodyLimit : 0)) return false;
    const request = new QuickRequest(raw, end < 0 ? '' : url.slice(end + 1), route.options, parts);
    const reply = new QuickReply(response, request, app, parts.isClosing);
    if (!route.takesBody) void answer(route, request, reply);
    else {
      readBody(raw, (body) => {
        request.body = body;
        void answer(route, request, reply);
      });
    }
    return true;
  };
}

/** With a body of a length that is told and allowed, or, where none is, without; and with nothing special about it. */
function isPlain(headers: IncomingHttpHeaders, bodyLimit: number): boolean {
  const length = headers['content-length'];
  if (headers.host === undefined || headers['transfer-encoding'] !== undefined || headers.expect !== undefined) {
    return false;
  }
  return bodyLimit === 0 ? length === undefined : Number(length) > 0 && Number(length) <= bodyLimit;
}

/** Of a client that goes away before all has come, nothing more is heard. */
function readBody(raw: IncomingMessage, use: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  raw.on('data', (chunk: Buffer) => chunks.push(chunk));
  raw.once('end', () => use(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
}

class QuickRequest implements Asked {
  readonly #raw: IncomingMessage;
  readonly #queryText: string;
  #query: unknown;
  readonly #addressOf: Parts['addressOf'];
  readonly headers: IncomingHttpHeaders;
  readonly id: string;
  readonly log: Asked['log'];
  readonly method: string;
  readonly params = {};
  readonly url: string;
  readonly routeOptions: Asked['routeOptions'];
  about: About | undefined = undefined;
  body: unknown = undefined;

  constructor(raw: IncomingMessage, queryText: string, routeOptions: Asked['routeOptions'], parts: Parts) {
    this.#raw = raw;
    this.#queryText = queryText;
    this.#addressOf = parts.addressOf;
    this.headers = raw.headers;
    this.id = parts.newRequestId(raw.headers);
    this.log = parts.logger;
    this.method = raw.method as string;
    this.url = raw.url as string;
    this.routeOptions = routeOptions;
  }

  get ip(): string {
    return this.#addressOf(this.#raw);
  }

  get socket(): IncomingMessage['socket'] {
    return this.#raw.socket;
  }

  get query(): unknown {
    this.#query ??= parseQuery(this.#queryText);
    return this.#query;
  }
}

class QuickReply implements Answering {
  readonly #response: ServerResponse;
  readonly #isClosing: () => boolean;
  readonly #headers = new Map<string, string>();
  readonly #started = performance.now();
  readonly request: QuickRequest;
  readonly server: Answering['server'];
  statusCode = 200;
  errorCode: string | undefined = undefined;
  sent = false;

  constructor(response: ServerResponse, request: QuickRequest, server: Answering['server'], isClosing: () => boolean) {
    this.#response = response;
    this.request = request;
    this.server = server;
    this.#isClosing = isClosing;
  }

  get elapsedTime(): number {
    return performance.now() - this.#started;
  }

  code(status: number): this {
    this.statusCode = status;
    return this;
  }

  /** Names in lower case, as everywhere here. */
  header(name: string, value: string): this {
    this.#headers.set(name, value);
    return this;
  }

  headers(values: Record<string, string>): this {
    for (const name in values) this.#headers.set(name, values[name] as string);
    return this;
  }

  getHeader(name: string): string | undefined {
    return this.#headers.get(name);
  }

  type(contentType: string): this {
    return this.header('content-type', contentType);
  }

  /** A text is sent as it is, anything else as JSON. */
  send(payload?: unknown): this {
    if (payload === undefined) {
      this.#writeHead([]);
      this.#response.end();
      return this;
    }
    const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
    const length = Buffer.byteLength(text);
    return this.sendWire(new WireText(length === text.length ? text : toWireBytes(text)));
  }

  sendWire(body: WireText): this {
    if (this.request.about) this.request.about.answer = body;
    if (!this.#headers.has('content-type')) this.type(JSON_TYPE);
    this.#writeHead(['content-length', String(body.bytes.length)]);
    this.#response.end(body.bytes, 'latin1');
    return this;
  }

  #writeHead(rest: string[]): void {
    this.sent = true;
    let lines = '';
    for (const [name, value] of this.#headers) lines += headLine(name, value);
    if (this.#isClosing()) rest.push('connection', 'close');
    writeReadyHead(this.#response, this.statusCode, lines, rest);
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The handler of a route with a fixed path that is called all the time: see quick-lane.ts. */
    quick?: Handler;
  }
}
