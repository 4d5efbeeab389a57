import { createHash } from 'node:crypto';
import type { Steps } from '../../domain/slices.ts';

/** Below this many levels, a part of the response is written at once: a key of a catalog, or one of its texts. */
const LEVELS = 6;
/** Characters encoded at once. */
const PIECE = 64 * 1024;

/** The replacer of JSON.stringify. */
type Replace = (name: string, member: unknown) => unknown;
const same: Replace = (_, member) => member;

/** The same text as from JSON.stringify, in pieces: a response can be a whole catalog. */
function* jsonPieces(value: unknown, replace: Replace, level = 0): Generator<string | undefined, void, void> {
  if (value === null || typeof value !== 'object' || level === LEVELS || 'toJSON' in value) {
    yield JSON.stringify(value, replace);
    return;
  }
  const isList = Array.isArray(value);
  let before = isList ? '[' : '{';
  for (const [name, member] of isList ? value.entries() : Object.entries(value)) {
    const start = isList ? before : `${before}${JSON.stringify(name)}:`;
    let isFirst = true;
    for (const piece of jsonPieces(isList ? member : replace(name as string, member), replace, level + 1)) {
      // Omitted, as in JSON.stringify.
      if (piece === undefined && !isList) break;
      yield isFirst ? start + (piece ?? 'null') : piece;
      isFirst = false;
    }
    if (!isFirst) before = ',';
  }
  yield before === ',' ? (isList ? ']' : '}') : `${before}${isList ? ']' : '}'}`;
}

/** A response as bytes, with their tag. */
export function* encodeResponse(value: unknown, replace: Replace = same): Steps<{ body: Buffer; etag: string }> {
  const hash = createHash('sha256');
  const encoded: Buffer[] = [];
  const add = (text: string) => {
    const bytes = Buffer.from(text);
    hash.update(bytes);
    encoded.push(bytes);
  };
  let waiting = '';
  for (const piece of typeof value === 'string' ? textPieces(value) : jsonPieces(value, replace)) {
    yield;
    waiting += piece ?? 'null';
    if (waiting.length < PIECE) continue;
    add(waiting);
    waiting = '';
  }
  add(waiting);
  return { body: Buffer.concat(encoded), etag: `"${hash.digest('base64url').slice(0, 22)}"` };
}

function* textPieces(text: string): Generator<string, void, void> {
  for (let at = 0; at < text.length; ) {
    let end = at + PIECE;
    // Keep surrogate pairs together.
    if (/[\ud800-\udbff]/.test(text.charAt(end - 1))) end++;
    yield text.slice(at, end);
    at = end;
  }
}
