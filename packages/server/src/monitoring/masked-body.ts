import { readUuid } from '../domain/users/user-code.ts';
import { looksRandom, mask, maskName } from './logging.ts';

/** Longer bodies are not read: only their length is logged. */
const READ_BYTES = 16 * 1024;
/** Maximum stored characters of a body. */
const KEPT_CHARACTERS = 2048;
const TEXT_CHARACTERS = 255;
export const MASKED = '[masked]';

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

export function isHarmless(name: string, value: unknown): value is string {
  return typeof value === 'string' && Object.hasOwn(HARMLESS, name) && HARMLESS[name]?.(value) === true;
}

/** Personal members of requests. */
const PERSONAL = new Set(['clientUserId', 'clientUserName', 'user_uid', 'value']);
/** Secret members of responses. */
const SECRET = new Set(['specialToken', 'access_token', 'clientSecret', 'token', 'refresh_token', 'id_token']);
/** Members of catalog and error responses, which concern no user. */
const OF_ERRORS = new Set(['code', 'message', 'errors', 'field', 'error', 'error_description']);

/** A body as it may be stored: in full for as long as its user exists, and without personal data. */
export type MaskedBody = { full: string | null; bare: string | null };

export type ReadBody = Record<string, unknown> | undefined;

/** undefined: not a JSON object. */
export function readBody(body: unknown): ReadBody {
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
export function maskAnswer(body: unknown, read: ReadBody, kind: 'catalog' | 'user' | 'error'): MaskedBody {
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

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
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
export function shorten(text: string, length: number): string {
  return text.length <= length ? text.toWellFormed() : `${text.slice(0, length).toWellFormed()}…`;
}
