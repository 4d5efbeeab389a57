import { CREATE_TOKEN, type Remote } from '../config.ts';
import { ERRORS, type FieldError } from '../domain/errors.ts';
import { Failure } from './failure.ts';
import { unknownApplication } from './refusals.ts';

/** How long to wait for a service that does not respond. */
const TIMEOUT_MS = 60_000;
/** Maximum bytes of a response that is read as a whole: the largest catalog, many times over. */
const MAX_BYTES = 256 * 1024 ** 2;
/** Maximum items of a list per response. */
export const PAGE = 200;

/** A refusal has these members instead. */
type Refused = { code?: string; message?: string; errors?: FieldError[] };
export type Reply<T = unknown> = { status: number; body: T & Refused; text: string; etag: string | null };
type Request = { body?: unknown; headers?: Record<string, string> };
export type Call = <T>(method: string, path: string, request?: Request, expected?: number[]) => Promise<Reply<T>>;

/** Requests to /manage/v1 of a service. */
export type RemoteCalls = {
  /** `expected`: statuses besides 2xx that the caller handles. */
  call: Call;
  get<T>(path: string): Promise<T>;
  /** Streams what may be too large for memory. */
  stream(path: string): Promise<AsyncIterable<string>>;
};

export function remoteCalls({ url, token }: Remote): RemoteCalls {
  const open = (method: string, path: string, { body, headers }: Request, signal: AbortSignal): Promise<Response> =>
    fetch(`${url}/manage/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: 'error',
      signal,
    });
  const read = async <T>(response: Response): Promise<Reply<T>> => {
    const text = await readToEnd(url, response);
    const type = response.headers.get('content-type') ?? '';
    // A page, as of the portal or of another service.
    if (type.includes('html')) throw notInnkeeper(url, response.status);
    const isJson = type.includes('json');
    const body = isJson && text !== '' ? parseObject(text) : {};
    if (body === undefined) throw notInnkeeper(url, response.status);
    return { status: response.status, body: body as Reply<T>['body'], text, etag: response.headers.get('etag') };
  };
  const call: Call = async <T>(method: string, path: string, request?: Request, expected: number[] = []) => {
    const reply = await open(method, path, request ?? {}, AbortSignal.timeout(TIMEOUT_MS))
      .then((response) => read<T>(response))
      .catch((error: unknown) => {
        throw noResponse(url, error, method !== 'GET');
      });
    const [, , clientId] = path.startsWith('/applications/') ? path.split(/[/?]/) : [];
    if (clientId !== undefined && reply.body.message === ERRORS.applicationNotFound.message) {
      throw unknownApplication(decodeURIComponent(clientId));
    }
    // A proxy may send the same status, without a message.
    const isRefusal = expected.includes(reply.status) && typeof reply.body.message === 'string';
    if (reply.status < 300 || isRefusal) return reply;
    throw refusal(url, reply);
  };
  const stream = async (path: string): Promise<AsyncIterable<string>> => {
    const overdue = new AbortController();
    const timer = setTimeout(() => overdue.abort(new DOMException('', 'TimeoutError')), TIMEOUT_MS);
    try {
      const response = await open('GET', path, {}, overdue.signal);
      if (!response.ok || !response.body) throw refusal(url, await read(response));
      return readTexts(url, response.body);
    } catch (error) {
      throw noResponse(url, error, false);
    } finally {
      clearTimeout(timer);
    }
  };
  const get = async <T>(path: string): Promise<T> => (await call<T>('GET', path)).body;
  return { call, get, stream };
}

/** The path of an application, or of something in it. */
export const applicationPath = (clientId: string, path = ''): string =>
  `/applications/${encodeURIComponent(clientId)}${path}`;

/** Keeps the byte order mark that spreadsheets need. */
async function readToEnd(url: string, { body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES)
      throw new Failure(`${url} sent more than ${MAX_BYTES / 1024 ** 2} MiB.`, {
        remedy: 'Run the command on the machine with the database, without INNKEEPER_URL.',
      });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parseObject(text: string): object | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

async function* readTexts(url: string, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  try {
    for await (const chunk of bytes) yield decoder.decode(chunk, { stream: true });
  } catch {
    throw new Failure(`The connection to ${url} was lost.`, { remedy: 'Try again.' });
  }
}

export function problemsOf({ body }: { body: Refused }): string[] {
  const { errors = [] } = body;
  return errors.length === 0 ? [String(body.message)] : errors.map(({ field, message }) => `${field} ${message}`);
}

/** The connection was there: the service may have received the request. */
const LOST = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

function noResponse(url: string, error: unknown, changes: boolean): Failure {
  if (error instanceof Failure) return error;
  const { cause = error } = error as Error;
  // The code of a DOMException is a number without meaning for people.
  const { name, code, message } = cause as NodeJS.ErrnoException;
  const isLate = name === 'TimeoutError';
  const reason = isLate ? `no response within ${TIMEOUT_MS / 1000} seconds` : typeof code === 'string' ? code : message;
  const maybeDone = changes && (isLate || LOST.includes(String(code)));
  return new Failure(
    `${url} cannot be reached: ${reason}.${maybeDone ? ' The request may have been carried out.' : ''}`,
    { remedy: 'Check INNKEEPER_URL, and that the service is running and ready (/readyz).' },
  );
}

function notInnkeeper(url: string, status: number): Failure {
  return new Failure(`${url} returned ${status}, which is not an Innkeeper response.`, {
    remedy: 'Check INNKEEPER_URL: it is the address of the service, without /portal or /manage/v1.',
  });
}

export function refusal(url: string, { status, body }: Reply): Failure {
  if (typeof body.message !== 'string') return notInnkeeper(url, status);
  const { errors = [] } = body;
  const definition = Object.values(ERRORS).find(({ code, message }) => code === body.code && message === body.message);
  const remedy = status === 401 ? `Check INNKEEPER_TOKEN. ${CREATE_TOKEN}` : definition?.remedy;
  return new Failure(body.message, {
    problems: errors.length > 1 ? problemsOf({ body }) : [],
    ...(remedy !== undefined && { remedy }),
  });
}
