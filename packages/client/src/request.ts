import { InnkeeperError, ownError } from './error.ts';
import type { paths } from './generated.ts';
import { within } from './limits.ts';
import type { InputOf, Method, OutputOf, PathsOf } from './operation.ts';
import { pause, waitBefore } from './retry.ts';

export type ApiResponse<T> = { data: T; status: number; etag: string | undefined; headers: Headers };

type Call<M extends Method> = <P extends PathsOf<M>>(
  path: P,
  ...input: Record<never, never> extends InputOf<P, M> ? [InputOf<P, M>?] : [InputOf<P, M>]
) => Promise<ApiResponse<OutputOf<P, M>>>;

export type Requests = { [M in Method]: Call<M> } & {
  /** Streams the body until `signal` aborts. */
  open(path: keyof paths, input: AnyInput): Promise<ReadableStream<Uint8Array>>;
};

export type RequestOptions = {
  /** The address of the service, to which paths are appended. On a page it may be relative: `/innkeeper`. */
  baseUrl: string | URL;
  headers?: Record<string, string> | undefined;
  credentials?: RequestCredentials | undefined;
  fetch?: typeof fetch | undefined;
  /** Milliseconds for one attempt, including the whole response; default 10000, 0 for no limit. */
  timeout?: number | undefined;
  /** How often to retry after 429, and, if that is safe, after 503 or without a response; default 2. */
  retries?: number | undefined;
  /** ETags and responses of catalog reads. */
  cache?: Map<string, ApiResponse<unknown>> | undefined;
};

export type AnyInput = {
  path?: Record<string, string | number>;
  query?: Record<string, unknown>;
  body?: unknown;
  ifMatch?: string | null | undefined;
  keepalive?: boolean | undefined;
  shownIn?: string | undefined;
  signal?: AbortSignal | undefined;
  headers?: Record<string, string> | undefined;
  repeatable?: boolean | 'keyed' | undefined;
  due?: string | null | undefined;
};

export const TIMEOUT_MS = 10_000;

/** Beyond this many, the oldest response is dropped: a page reads a few catalogs in a few languages. */
const CACHED_RESPONSES = 100;

/** Browsers refuse requests that outlive the page if their bodies exceed 64 KiB together, the page's own included. */
const KEPT_ALIVE_BYTES = 60_000;
let keptAlive = 0;

/** One function per method, each typed by the path. Anything but a success throws an InnkeeperError. */
export function createRequests(options: RequestOptions): Requests {
  const call =
    (method: Method) =>
    (path: keyof paths, input: AnyInput = {}) =>
      send(options, method, path, input);
  return {
    get: call('get'),
    post: call('post'),
    put: call('put'),
    patch: call('patch'),
    delete: call('delete'),
    async open(path: keyof paths, input: AnyInput) {
      const operation = `get ${path}`;
      const { url, init } = buildRequest(options, 'get', path, input, operation);
      const { timeout = TIMEOUT_MS, fetch: own } = options;
      const send = () => (own ?? fetch)(url, { ...init, signal: input.signal ?? null });
      const response = await within({ timeout, signal: input.signal, operation }, send, unreachable(operation));
      if (response.ok && response.body) return response.body;
      throw refusalOf(response, readBody(await response.text(), response.headers), operation);
    },
  } as unknown as Requests;
}

const unreachable = (operation: string) => (cause: unknown) =>
  ownError('unreachable', 'The service cannot be reached. Try again in a moment.', { operation, cause });

function refusalOf({ ok, status, headers }: Response, data: unknown, operation: string): InnkeeperError {
  const isRefusal = !ok && data !== null && typeof data === 'object';
  return new InnkeeperError({ status, body: isRefusal ? (data as Record<string, unknown>) : {}, headers, operation });
}

async function send(
  options: RequestOptions,
  method: Method,
  path: string,
  input: AnyInput,
): Promise<ApiResponse<unknown>> {
  const operation = `${method} ${path}`;
  const request = buildRequest(options, method, path, input, operation);
  let unsure: InnkeeperError | undefined;
  for (let attempt = 0; ; attempt++) {
    try {
      return await attemptOnce(options, request, input, operation);
    } catch (thrown) {
      const error = thrown as InnkeeperError;
      const wait = attempt < (options.retries ?? 2) ? waitBefore(attempt, error, method, input.repeatable) : undefined;
      // The conflict may be with an earlier attempt, which was carried out after all.
      if (wait === undefined) throw (error.status === 412 && unsure) || error;
      if (error.status !== 429) unsure = error;
      await pause(wait, input.signal, operation);
    }
  }
}

type Built = { url: string; init: RequestInit & { headers: Headers } };

function buildRequest(
  options: RequestOptions,
  method: Method,
  path: string,
  input: AnyInput,
  operation: string,
): Built {
  const { body, ifMatch, shownIn, headers } = input;
  try {
    const isText = typeof body === 'string';
    return {
      url: addressOf(options.baseUrl, path, input),
      init: {
        method: method.toUpperCase(),
        // Requests may contain secrets, which must not follow a redirect to somewhere else.
        redirect: 'manual',
        headers: new Headers({
          Accept: 'application/json',
          ...(body !== undefined && !isText && { 'Content-Type': 'application/json' }),
          ...(ifMatch === null ? { 'If-None-Match': '*' } : ifMatch !== undefined && { 'If-Match': ifMatch }),
          ...options.headers,
          // Browsers send their own language. A header is ASCII; a language may have another name.
          ...(shownIn && { 'Accept-Language': encodeURIComponent(shownIn) }),
          ...headers,
        }),
        ...(input.keepalive && { keepalive: true }),
        ...(options.credentials && { credentials: options.credentials }),
        ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
      },
    };
  } catch (cause) {
    throw ownError('misused', `The request cannot be sent: ${cause instanceof Error ? cause.message : cause}`, {
      operation,
      cause,
    });
  }
}

async function attemptOnce(
  { fetch: own, timeout = TIMEOUT_MS, cache }: RequestOptions,
  { url, init }: Built,
  { signal, due }: AnyInput,
  operation: string,
): Promise<ApiResponse<unknown>> {
  // A user's data is not cached.
  const kept = operation.startsWith('get /api/option_') ? cache : undefined;
  const known = kept?.get(url);
  if (known?.etag) init.headers.set('If-None-Match', known.etag);
  const bytes = init.keepalive ? new TextEncoder().encode(String(init.body ?? '')).length : 0;
  const keepalive = init.keepalive === true && keptAlive + bytes <= KEPT_ALIVE_BYTES;
  if (keepalive) keptAlive += bytes;
  const { response, text } = await within(
    { timeout, signal, operation },
    async (limit) => {
      const response = await (own ?? fetch)(url, { ...init, keepalive, signal: limit });
      return { response, text: await response.text() };
    },
    unreachable(operation),
  ).finally(() => {
    if (keepalive) keptAlive -= bytes;
  });
  const { status, headers, ok } = response;
  if (status === 304 && known) return known;
  const data = readBody(text, headers);
  if (!ok || !isDue(data, due, status === 204 && !operation.startsWith('get '))) {
    throw refusalOf(response, data, operation);
  }
  const received = { data, status, etag: headers.get('etag') ?? undefined, headers };
  if (kept && received.etag) remember(kept, url, received);
  return received;
}

function remember(cache: Map<string, ApiResponse<unknown>>, url: string, received: ApiResponse<unknown>): void {
  cache.delete(url);
  cache.set(url, received);
  for (const oldest of cache.keys()) {
    if (cache.size <= CACHED_RESPONSES) return;
    cache.delete(oldest);
  }
}

function addressOf(baseUrl: string | URL, path: string, { path: parts = {}, query = {} }: AnyInput): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(parts[name])));
  const url = new URL(filled.slice(1), readBase(baseUrl));
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value].flat()) {
      if (each !== undefined && each !== null) url.searchParams.append(name, String(each));
    }
  }
  return url.href;
}

function readBase(baseUrl: string | URL | undefined): URL {
  try {
    // On a page, a URL without a host is relative to the page.
    const base = new URL(`${String(baseUrl).replace(/\/$/, '')}/`, globalThis.location?.href);
    if (baseUrl !== undefined && base.protocol.startsWith('http')) return base;
  } catch {
    // Not a URL.
  }
  throw new TypeError(`baseUrl must be a URL such as https://users.example.com, not "${baseUrl}".`);
}

function isDue(data: unknown, due: AnyInput['due'], mayBeEmpty: boolean): boolean {
  if (due === null) return data === undefined;
  if (due !== undefined) return data !== null && typeof data === 'object' && due in data;
  return data !== GARBLED && (data !== undefined || mayBeEmpty);
}

const GARBLED = Symbol('garbled');

/** The service sends JSON objects; an HTML page comes from something in between. */
function readBody(text: string, headers: Headers): unknown {
  const type = headers.get('content-type') ?? '';
  if (text === '') return undefined;
  if (!type.includes('json')) return type.startsWith('text/html') ? GARBLED : text;
  try {
    const data: unknown = JSON.parse(text);
    return data !== null && typeof data === 'object' ? data : GARBLED;
  } catch {
    return GARBLED;
  }
}
