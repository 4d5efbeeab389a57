import { InnkeeperError } from './error.ts';
import type { paths } from './generated.ts';
import type { InputOf, Method, OutputOf, PathsOf } from './operation.ts';

export type Answer<T> = { data: T; status: number; etag: string | undefined; headers: Headers };

type Call<M extends Method> = <P extends PathsOf<M>>(
  path: P,
  ...input: Record<never, never> extends InputOf<P, M> ? [InputOf<P, M>?] : [InputOf<P, M>]
) => Promise<Answer<OutputOf<P, M>>>;

export type Requests = { [M in Method]: Call<M> };

export type RequestOptions = {
  /** Where the service is; paths are added to it. */
  baseUrl: string | URL;
  headers?: Record<string, string> | undefined;
  credentials?: RequestCredentials | undefined;
  fetch?: typeof fetch | undefined;
};

type AnyInput = {
  path?: Record<string, string | number>;
  query?: Record<string, unknown>;
  body?: unknown;
  ifMatch?: string;
  signal?: AbortSignal;
  headers?: Record<string, string>;
};

/** One function a method, each typed by the path it is given. Anything but a success is an InnkeeperError. */
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
  } as unknown as Requests;
}

async function send(options: RequestOptions, method: Method, path: string, input: AnyInput): Promise<Answer<unknown>> {
  const url = addressOf(options.baseUrl, path, input);
  const isText = typeof input.body === 'string';
  const response = await (options.fetch ?? fetch)(url, {
    method: method.toUpperCase(),
    headers: {
      Accept: 'application/json',
      ...(input.body !== undefined && !isText && { 'Content-Type': 'application/json' }),
      ...(input.ifMatch !== undefined && { 'If-Match': input.ifMatch }),
      ...options.headers,
      ...input.headers,
    },
    ...(options.credentials && { credentials: options.credentials }),
    ...(input.signal && { signal: input.signal }),
    ...(input.body !== undefined && { body: isText ? (input.body as string) : JSON.stringify(input.body) }),
  }).catch((cause: unknown) => {
    if (input.signal?.aborted) throw cause;
    throw new InnkeeperError({
      status: 0,
      body: { code: 'unreachable', message: 'The service cannot be reached. Try again in a moment.' },
      cause,
    });
  });
  const data = await readBody(response);
  if (response.ok) {
    return {
      data,
      status: response.status,
      etag: response.headers.get('etag') ?? undefined,
      headers: response.headers,
    };
  }
  const requestId = response.headers.get('x-request-id');
  throw new InnkeeperError({
    status: response.status,
    body: typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : {},
    ...(requestId !== null && { requestId }),
  });
}

function addressOf(baseUrl: string | URL, path: string, { path: parts = {}, query = {} }: AnyInput): URL {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(parts[name])));
  const url = new URL(filled.slice(1), `${String(baseUrl).replace(/\/$/, '')}/`);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) url.searchParams.set(name, String(value));
  }
  return url;
}

async function readBody(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  const text = await response.text();
  if (!response.headers.get('content-type')?.includes('json')) return text;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
