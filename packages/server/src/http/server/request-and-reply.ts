import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { InnkeeperError } from '../../domain/errors.ts';
import { Admission, type RateLimits } from '../../domain/limits/rate-limits.ts';
import type { Span } from '../../domain/tracing.ts';
import { mask } from '../../monitoring/logging.ts';
import { networkOf } from './client-address.ts';
import { goneSignal, type RawExchange } from './connection.ts';

/**
 * The application and user a request turned out to be about, filled in by its route for the request log and the
 * statistics.
 */
export type About = {
  appId?: number;
  /** As sent: no application may have it. */
  clientId?: unknown;
  userId?: string;
};

export function noteUser({ about }: { about: About | undefined }, { userId }: { userId: string }): void {
  if (about) about.userId = userId;
}

type Parts = { method: string; url: string; headers: IncomingHttpHeaders; address: string };

/** What a request knows of its route (routes.ts). */
export type FoundRoute = {
  readonly path: string;
  readonly schema: { body?: unknown };
  readonly unlogged?: boolean;
  readonly underLoad?: 'served' | 'first';
  readonly oauthErrors?: boolean;
  readonly failAsPage?: (request: HttpRequest, reply: HttpReply, error: InnkeeperError) => void;
};

/** A request on a connection, and its response. */
export type Exchange = RawExchange & { readonly request: HttpRequest };

/** One request of any kind. Everything about its connection is read on arrival: later the client may be gone. */
export class HttpRequest {
  readonly id: string;
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** The client's address: the peer of the connection, or the one a trusted proxy names. */
  readonly address: string;
  /** When its turn came. */
  started = performance.now();
  /** The rate limits applied to it so far. */
  readonly admission: Admission;
  /** undefined: no route matched. */
  route: FoundRoute | undefined = undefined;
  params: Record<string, string> = {};
  query: Record<string, string | string[] | undefined> = {};
  body: Buffer | undefined = undefined;
  /** undefined: it concerns no application. */
  about: About | undefined = undefined;
  /** undefined: it is not traced. */
  span: Span | undefined = undefined;
  /** undefined: this process made the request itself. */
  exchange: RawExchange | undefined = undefined;

  constructor({ method, url, headers, address }: Parts, limits: RateLimits) {
    this.id = requestIdOf(headers);
    this.method = method;
    this.url = url;
    this.headers = headers;
    this.address = address;
    this.admission = new Admission(limits, this);
  }

  /**
   * For reads that take long: aborted when the client closes its side. A client that only half-closes then gets no
   * response.
   */
  get signal(): AbortSignal {
    return goneSignal(this.exchange);
  }

  /** The address, or the network of one subscriber. */
  get network(): string {
    return networkOf(this.address);
  }

  get milliseconds(): number {
    return performance.now() - this.started;
  }
}

/** Ids of one process differ only in their last twelve digits: a random UUID for each would cost 2 µs. */
const PREFIX = randomUUID().slice(0, -12);
let last = 0;

function requestIdOf(headers: IncomingHttpHeaders): string {
  const sent = headers['x-request-id'];
  return isUsable(sent) ? sent : PREFIX + (++last).toString(16).padStart(12, '0');
}

/** Whether to use the client's own id: it must be safe to log and return, and must not look like a secret or token. */
function isUsable(id: string | string[] | undefined): id is string {
  return typeof id === 'string' && /^[\w.:-]{1,128}$/.test(id) && mask(id) === id;
}

/**
 * Texts written one after another, as fast as the client reads. An endless one ends when the client closes its side: no
 * client sends a request, half-closes, and reads forever.
 */
export type BodyStream = AsyncIterable<string> & { readonly isEndless?: true };
export type Body = Buffer | WireText | string | BodyStream | undefined;

export function isStream(body: Body): body is BodyStream {
  return typeof body === 'object' && Symbol.asyncIterator in body;
}

/** The response as a value: status, headers and body. Routes fill it in; write-response.ts writes it. */
export class HttpReply {
  statusCode = 200;
  /** Alternating names in lower case and values, each name once. */
  readonly rawHeaders: string[] = [];
  body: Body = undefined;
  /** The error code, for the log and the metrics. */
  errorCode: string | undefined = undefined;

  code(status: number): this {
    this.statusCode = status;
    return this;
  }

  header(name: string, value: string): this {
    const at = this.#find(name);
    if (at < 0) this.rawHeaders.push(name, value);
    else this.rawHeaders[at + 1] = value;
    return this;
  }

  getHeader(name: string): string | undefined {
    const at = this.#find(name);
    return at < 0 ? undefined : this.rawHeaders[at + 1];
  }

  removeHeader(name: string): void {
    const at = this.#find(name);
    if (at >= 0) this.rawHeaders.splice(at, 2);
  }

  #find(name: string): number {
    for (let at = 0; at < this.rawHeaders.length; at += 2) if (this.rawHeaders[at] === name) return at;
    return -1;
  }

  type(contentType: string): this {
    return this.header('content-type', contentType);
  }

  redirect(location: string, status = 302): this {
    return this.code(status).header('location', location).send();
  }

  /** A body of unknown length, made while it is sent. */
  stream(contentType: string, body: BodyStream): this {
    this.body = body;
    return this.type(contentType);
  }

  /**
   * Strings and bytes are sent as they are, anything else as JSON. Without a content type, everything but bytes is
   * JSON.
   */
  send(body?: unknown): this {
    if (body === undefined || body === null || Buffer.isBuffer(body) || body instanceof WireText) {
      this.body = body ?? undefined;
    } else {
      this.body = typeof body === 'string' ? body : JSON.stringify(body);
    }
    if (this.body !== undefined && this.getHeader('content-type') === undefined) this.type(JSON_TYPE);
    return this;
  }
}

/** Content type of JSON bodies. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * A body as sent: UTF-8, one character per byte. Node writes the head and such a body as one string without encoding
 * it, and its length is known.
 */
export class WireText {
  readonly bytes: string;

  constructor(bytes: string) {
    this.bytes = bytes;
  }

  get length(): number {
    return this.bytes.length;
  }

  toBuffer(): Buffer {
    return Buffer.from(this.bytes, 'latin1');
  }
}

/** Converts any text; ASCII stays the same. */
export function toWireBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** Not imported: an import evaluates every export of node:http, which loads its WebSocket and 10 MB of HTTP client. */
const { STATUS_CODES } = process.getBuiltinModule('node:http');

export function statusText(status: number): string | undefined {
  return STATUS_CODES[status];
}
