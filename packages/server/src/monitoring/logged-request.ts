import { isIPv6 } from 'node:net';
import { isObject } from '../domain/strict-json.ts';
import type { NewLoggedRequest } from '../storage/port.ts';
import { readUuid } from '../uuid.ts';
import { looksRandom, mask, maskName, maskPath } from './logging.ts';

/** The unmasked data of a request, for the request log. */
export type SeenRequest = {
  requestUid: string;
  appId: number;
  at: number;
  method: string;
  url: string;
  route: string | undefined;
  params: unknown;
  status: number;
  code: string | undefined;
  milliseconds: number;
  requestId: string;
  ip: string;
  userAgent: string | undefined;
  authorization: string | undefined;
  /** The user that the route found the request to be about. */
  userId: string | undefined;
  body: Buffer | undefined;
  answer: unknown;
};

/** The part of it that comes from the request itself. */
export type Exchanged = Omit<SeenRequest, 'requestUid' | 'appId' | 'at' | 'code'>;

/** The form that may be stored: without secrets, and with personal data separate from the rest. */
export function toLoggedRequest(seen: SeenRequest): NewLoggedRequest {
  const path = readPath(seen.url, seen.route, seen.params);
  const body = readBody(seen.body);
  const answer = readBody(seen.answer);
  const request = maskRequest(seen.body, body);
  const answered = maskResponse(seen.answer, answer, kindOf(seen));
  const bare = { path: maskSentPath(path, false), request: request.bare, answer: answered.bare };
  const userIds = new Set(
    [seen.userId, body?.user_uid, path.query.get('user_uid'), path.params.serviceUserCode, answer?.service_user_code]
      .map((id) => (typeof id === 'string' ? readUuid(id) : undefined))
      .filter((id) => id !== undefined),
  );
  // Data about several users is attached to none of them.
  const isOfOne = userIds.size <= 1;
  return {
    requestUid: seen.requestUid,
    appId: seen.appId,
    at: seen.at,
    method: seen.method,
    route: seen.route ?? null,
    status: seen.status,
    code: seen.code ?? null,
    milliseconds: Math.round(seen.milliseconds * 100) / 100,
    requestId: keepRequestId(seen.requestId),
    address: shortenAddress(seen.ip),
    userAgent: shorten(mask(seen.userAgent ?? ''), 200),
    credentials: kindOfCredentials(seen.authorization),
    userId: isOfOne ? ([...userIds][0] ?? null) : null,
    clientUserId: isOfOne ? clientUserIdOf(body) : null,
    full: isOfOne ? { path: maskSentPath(path, true), request: request.full, answer: answered.full } : bare,
    bare,
  };
}

function kindOf({ status, route }: SeenRequest): 'catalog' | 'user' | 'error' {
  if (status >= 400) return 'error';
  return route?.startsWith('/api/option_') ? 'catalog' : 'user';
}

/** A clientUserId that the rules accept; any other belongs to no user. */
function clientUserIdOf(body: ReadBody): string | null {
  const id = body?.clientUserId;
  if (typeof id !== 'string' || id.length === 0 || id.length > 255) return null;
  return id.includes('\u0000') || !id.isWellFormed() ? null : id;
}

function kindOfCredentials(authorization: string | undefined): NewLoggedRequest['credentials'] {
  const scheme = /^(basic|bearer) /i.exec(authorization ?? '')?.[1]?.toLowerCase();
  return (scheme as 'basic' | 'bearer' | undefined) ?? 'none';
}

/** Clients may choose it. A longer one may be a token in the wrong header. */
function keepRequestId(id: string): string {
  return id.length <= 40 ? id : MASKED;
}

/** Keeps the network, not the machine. */
function shortenAddress(ip: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+)\.\d+$/i.exec(ip)?.[1] ?? /^(\d+\.\d+\.\d+)\.\d+$/.exec(ip)?.[1];
  if (mapped !== undefined) return `${mapped}.0/24`;
  if (!isIPv6(ip)) return '';
  const [head = ''] = ip.split('::');
  return `${head.split(':').filter(Boolean).slice(0, 3).join(':')}::/48`;
}

const PERSONAL_PARTS = new Set(['serviceUserCode', 'clientUserId', 'user_options_uid']);
type SentPath = {
  url: string;
  /** The route pattern; undefined if no route matched. */
  route: string | undefined;
  params: Record<string, string | undefined>;
  query: URLSearchParams;
};

function readPath(url: string, route: string | undefined, params: unknown): SentPath {
  const at = url.indexOf('?');
  const query = new URLSearchParams(at < 0 ? '' : url.slice(at));
  return { url: at < 0 ? url : url.slice(0, at), route, params: (params ?? {}) as SentPath['params'], query };
}

/** The path as sent, as far as it may be stored. */
function maskSentPath({ url, route, params, query }: SentPath, isFull: boolean): string {
  const path =
    route === undefined
      ? maskPath(url)
      : route
          .split('/')
          .map((part) => (part.startsWith(':') ? maskPart(part.slice(1), params[part.slice(1)] ?? '', isFull) : part))
          .join('/');
  const parameters = [...query].slice(0, 20).map(([name, value]) => {
    const isKept = isHarmless(name, value) || (isFull && name === 'user_uid' && readUuid(value) !== undefined);
    const shown = isKept ? encodeURIComponent(shorten(mask(value), 100)) : MASKED;
    return `${maskName(name)}=${shown}`;
  });
  return parameters.length === 0 ? path : `${path}?${parameters.join('&')}`;
}

function maskPart(name: string, value: string, isFull: boolean): string {
  if (PERSONAL_PARTS.has(name)) return isFull && readUuid(value) !== undefined ? value : MASKED;
  return isHarmless(name, value) ? value : MASKED;
}

/** Longer bodies are not read: only their length is logged. */
const READ_BYTES = 16 * 1024;
/** Maximum stored characters of a body. */
const KEPT_CHARACTERS = 2048;
const TEXT_CHARACTERS = 255;
const MASKED = '[masked]';

/** A language name in any script, or a tag. */
const LANGUAGE = /^(?:[\p{L}\p{M} ()'’-]{1,64}|[a-z]{2,8}(?:-[a-z\d]{1,8}){0,4})$/iu;
const CLIENT_ID = /^\d+_[\da-f]{1,64}$/;

/** Request members and path parameters that are neither personal nor secret if they match. */
const HARMLESS: Readonly<Record<string, (text: string) => boolean>> = {
  clientId: (text) => CLIENT_ID.test(text),
  option_group_uid: (text) => readUuid(text) !== undefined,
  option_key_uid: (text) => readUuid(text) !== undefined,
  option_group_name: (text) => !looksRandom(text),
  language: (text) => LANGUAGE.test(text) && !looksRandom(text),
  offset: (text) => /^\d{1,15}$/.test(text),
  limit: (text) => /^\d{1,15}$/.test(text),
  effective: (text) => text === 'true' || text === 'false',
};

function isHarmless(name: string, value: unknown): value is string {
  return typeof value === 'string' && Object.hasOwn(HARMLESS, name) && HARMLESS[name]?.(value) === true;
}

/** Personal members of requests. */
const PERSONAL = new Set(['clientUserId', 'clientUserName', 'user_uid', 'value']);
/** Secret members of responses. */
const SECRET = new Set(['specialToken', 'access_token', 'clientSecret', 'token', 'refresh_token', 'id_token']);
/** Members of catalog and error responses, which concern no user. */
const OF_ERRORS = new Set(['code', 'message', 'errors', 'field', 'error', 'error_description']);

/** A body as it may be stored: in full for as long as its user exists, and without personal data. */
type MaskedBody = { full: string | null; bare: string | null };

type ReadBody = Record<string, unknown> | undefined;

/** undefined: not a JSON object. */
function readBody(body: unknown): ReadBody {
  const length = Buffer.isBuffer(body) || typeof body === 'string' ? body.length : 0;
  if (length === 0 || length > READ_BYTES) return undefined;
  try {
    const value: unknown = JSON.parse(String(body));
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as ReadBody) : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps only members known to be harmless: any other may be a misnamed secret. */
export function maskRequest(body: unknown, read: ReadBody): MaskedBody {
  if (!read) return same(lengthOf(body));
  const write = (isFull: boolean): string => cut(JSON.stringify(maskMembers(read, isFull)));
  return { full: write(true), bare: write(false) };
}

/** Responses are our own: everything but their secrets is kept. */
function maskResponse(body: unknown, read: ReadBody, kind: 'catalog' | 'user' | 'error'): MaskedBody {
  if (!read) return same(lengthOf(body));
  const full = cut(
    mask(JSON.stringify(read, (name, value: unknown) => (SECRET.has(name) && value !== null ? MASKED : value))),
  );
  if (kind === 'catalog') return same(full);
  if (kind === 'user') return { full, bare: null };
  const bare = JSON.stringify(read, (name, value: unknown) =>
    name === '' || /^\d+$/.test(name) || OF_ERRORS.has(name) ? value : undefined,
  );
  return { full, bare: cut(mask(bare)) };
}

function maskMembers(members: Record<string, unknown>, isFull: boolean): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members)
      .slice(0, 50)
      .map(([name, value]) => [
        maskName(name),
        name === 'options' && Array.isArray(value)
          ? value.slice(0, 50).map((each) => (isObject(each) ? maskMembers(each, isFull) : MASKED))
          : isHarmless(name, value) || (isFull && PERSONAL.has(name))
            ? plain(value)
            : MASKED,
      ]),
  );
}

/** Strings, numbers, booleans and lists of them. */
function plain(value: unknown): unknown {
  if (typeof value === 'string') return shorten(mask(value), TEXT_CHARACTERS);
  if (Array.isArray(value)) return value.slice(0, 50).map((each) => (Array.isArray(each) ? MASKED : plain(each)));
  return value !== null && typeof value === 'object' ? MASKED : value;
}

function same(text: string | null): MaskedBody {
  return { full: text, bare: text };
}

function lengthOf(body: unknown): string | null {
  const length = Buffer.isBuffer(body) ? body.length : typeof body === 'string' ? Buffer.byteLength(body) : 0;
  return length === 0 ? null : `[${length} bytes]`;
}

function cut(text: string): string {
  return shorten(text, KEPT_CHARACTERS);
}

/** Never splits a character: databases reject an unpaired surrogate. */
function shorten(text: string, length: number): string {
  return text.length <= length ? text.toWellFormed() : `${text.slice(0, length).toWellFormed()}…`;
}
