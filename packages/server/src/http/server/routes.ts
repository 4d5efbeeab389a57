import createRouter from 'find-my-way';
import { type ErrorName, InnkeeperError } from '../../domain/errors.ts';
import type { Access } from '../../domain/manage/access.ts';
import { isDecodable } from '../../percent.ts';
import { readUuid } from '../../uuid.ts';
import type { HttpReply, HttpRequest } from './request-and-reply.ts';

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
export type Method = (typeof METHODS)[number];

/**
 * A route's documentation for the OpenAPI document. `response` describes successes; for an error status, only the
 * members besides code and message.
 */
export type RouteSchema = {
  params?: unknown;
  querystring?: unknown;
  headers?: unknown;
  body?: unknown;
  response?: unknown;
  /** The operation's name in generated clients, so it must not change: a verb and a noun. */
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  /** Each entry lists schemes that are required together; the entries are alternatives. */
  security?: Record<string, string[]>[];
  /** The required access to the application in its path. */
  access?: Access;
  /** Its own errors; those common to all paths are added. */
  errors?: readonly ErrorName[];
  /** Headers of the response, with their descriptions. */
  responseHeaders?: Record<string, string>;
  /** The media type of the body or of the response, if not JSON; several if the caller chooses. */
  consumes?: string;
  produces?: string | readonly string[];
  /** Served, but not documented. */
  hide?: boolean;
};

/** Returns the body of the response, or the reply after `send`. Throws InnkeeperError. */
type Handler = (request: HttpRequest, reply: HttpReply) => unknown;

type RouteOptions = {
  schema: RouteSchema;
  /** Maximum bytes of the body; 64 KiB by default. */
  bodyLimit?: number;
  /** Runs before the body is read, so that strangers cannot make us read a large one. Throws to refuse. */
  admit?: (request: HttpRequest) => Promise<void>;
  /** Counted but not logged: machines poll it all day. */
  unlogged?: boolean;
  /** `served`: never refused, because it costs no more than a refusal. `first`: it does not wait for its turn either. */
  underLoad?: 'served' | 'first';
  /** Errors also have the fields of RFC 6749 5.2. */
  oauthErrors?: boolean;
  /** For browsers: fills in a page in place of the JSON error. Status and code are already set. */
  failAsPage?: (request: HttpRequest, reply: HttpReply, error: InnkeeperError) => void;
  /** The error for an unsupported method. */
  wrongMethod?: ErrorName;
};

type NewRoute = RouteOptions & { readonly method: Method; readonly path: string; readonly handler: Handler };
export type Route = NewRoute & {
  readonly takesBody: boolean;
  readonly isLimited: boolean;
  /** Path and query parameters that are UUIDs. */
  readonly uuids: { readonly params: readonly string[]; readonly query: readonly string[] };
};
export type Found = { store: Route; params: Record<string, string>; searchParams: Record<string, string> };

/** All routes of this process, and the only router. */
export class Routes {
  readonly all: Route[] = [];
  readonly #router;
  /**
   * Routes not added to the router yet, by the first part of their path, which is never a parameter. The router
   * generates code for each route, a tenth of the startup time, so they are added on first use.
   */
  readonly #notYetRouted = new Map<string, Route[]>();
  readonly #byPath = new Map<string, { methods: string[]; wrongMethod: ErrorName }>();

  readonly get = this.#adder('GET');
  readonly post = this.#adder('POST');
  readonly put = this.#adder('PUT');
  readonly delete = this.#adder('DELETE');
  readonly options = this.#adder('OPTIONS');

  constructor({ maxParamLength }: { maxParamLength: number }) {
    this.#router = createRouter({ maxParamLength, onBadUrl: () => {} });
  }

  #adder(method: Method) {
    return (path: string, options: RouteOptions, handler: Handler): void =>
      this.add({ ...options, method, path, handler });
  }

  /** A GET route also serves HEAD. */
  add(added: NewRoute): void {
    const { path, method, wrongMethod = 'methodNotAllowed' } = added;
    const route: Route = {
      ...added,
      takesBody: method !== 'GET' && method !== 'OPTIONS',
      isLimited: isLimited(added.schema),
      uuids: { params: uuidNames(added.schema.params), query: uuidNames(added.schema.querystring) },
    };
    const methods: Method[] = method === 'GET' ? ['GET', 'HEAD'] : [method];
    const known = this.#byPath.get(path) ?? { methods: [], wrongMethod };
    this.#byPath.set(path, known);
    known.methods.push(...methods);
    const part = firstPart(path);
    this.#notYetRouted.set(part, [...(this.#notYetRouted.get(part) ?? []), route]);
    this.all.push(route);
  }

  /** Adds the routes with this first part to the router; all of them if it is unknown or written differently. */
  #route(part: string): void {
    const parts = this.#notYetRouted.has(part) ? [part] : [...this.#notYetRouted.keys()];
    for (const each of parts) {
      for (const route of this.#notYetRouted.get(each) ?? [])
        this.#router.on(route.method === 'GET' ? ['GET', 'HEAD'] : route.method, route.path, () => {}, route);
      this.#notYetRouted.delete(each);
    }
  }

  has(method: Method, path: string): boolean {
    return this.all.some((route) => route.method === method && route.path === path);
  }

  find(method: string, target: string): Found | undefined {
    const found = this.#find(method, readableTarget(target));
    if (!found?.store) return undefined;
    const { store, params, searchParams } = found;
    // UUIDs are case-insensitive.
    for (const name of store.uuids.params) lowerCase(params, name);
    for (const name of store.uuids.query) lowerCase(searchParams, name);
    return found;
  }

  /** null: no route; with a store of null: the target is not a valid URL. */
  #find(method: string, readable: string): Found | { store: null } | null {
    for (;;) {
      const found = this.#router.find(method as Method, readable) as unknown as Found | { store: null } | null;
      if (found || this.#notYetRouted.size === 0) return found;
      this.#route(firstPart(readable));
    }
  }

  /** The error for a request that no route serves: 405 if another method is served there, else 404. */
  refusalOf(target: string): InnkeeperError {
    const readable = readableTarget(target);
    if (this.#find('GET', readable)?.store === null) {
      return new InnkeeperError('badRequest', { message: 'The target is not a valid URL.' });
    }
    for (const method of METHODS) {
      const found = this.#find(method, readable);
      const known = found?.store && this.#byPath.get(found.store.path);
      if (known) return new InnkeeperError(known.wrongMethod, { headers: { allow: known.methods.join(', ') } });
    }
    return new InnkeeperError('pathUnknown');
  }
}

function firstPart(path: string): string {
  return path.split(/[/?#;]/, 2)[1] ?? '';
}

function uuidNames(schema: unknown): string[] {
  const { properties = {} } = (schema ?? {}) as { properties?: Record<string, { format?: string }> };
  return Object.keys(properties).filter((name) => properties[name]?.format === 'uuid');
}

function lowerCase(values: Record<string, unknown>, name: string): void {
  const value = values[name];
  if (typeof value === 'string' && value !== value.toLowerCase()) values[name] = readUuid(value) ?? value;
}

/** Monitoring must be able to reach a busy service. */
export function isLimited(schema: RouteSchema): boolean {
  return !schema.tags?.includes('operations');
}

/**
 * The request's target with every path segment decodable. A segment with malformed escapes is kept literally, as the
 * name of something that does not exist: the route knows the right code for it (0012, 0025).
 */
function readableTarget(target: string): string {
  if (!target.includes('%')) return target;
  const end = target.search(/[?#]/);
  const path = end < 0 ? target : target.slice(0, end);
  if (isDecodable(path)) return target;
  const parts = path.split('/').map((part) => (isDecodable(part) ? part : part.replaceAll('%', '%25')));
  return parts.join('/') + (end < 0 ? '' : target.slice(end));
}
