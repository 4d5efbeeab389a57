import { isUtf8 } from 'node:buffer';
import { InnkeeperError } from './errors.ts';

/** Deeper than any valid body; protects recursive code from a stack overflow. */
export const MAX_DEPTH = 32;
/** Texts this short cannot contain too much for the parser; their depth is checked afterwards. */
const SHORT = 2_048;

/** Parses a JSON object of bounded depth and size without repeated names; throws 0021 with the reason otherwise. */
export function parseJsonObject(body: Uint8Array | undefined, limits?: JsonLimits): Record<string, unknown> {
  if (!body || body.length === 0) throw refuse('it is empty');
  if (!isUtf8(body)) throw refuse('it is not UTF-8');
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
  const excess = text.length > SHORT ? findExcess(text, MAX_DEPTH, limits) : undefined;
  if (excess) throw refuse(`it ${excess.message}`);
  const value = parse(text);
  if (!isObject(value)) throw refuse('it is not an object');
  // Collecting the names of large objects takes longer than parsing them.
  const isUnambiguous = text.length > SHORT && hasAllMembers(value, text);
  const problem = isUnambiguous ? undefined : findAmbiguity(text);
  if (problem) throw refuse(problem);
  return value;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refuse('it cannot be parsed');
  }
}

function refuse(reason: string): InnkeeperError {
  return new InnkeeperError('bodyNotJson', { message: `The body is not a valid JSON object: ${reason}.` });
}

/** More than any catalog has: one of 5,000 keys in twenty languages has half as many. */
const MAX_MEMBERS = 1_000_000;
const MAX_IN_ONE = 10_000;
/** Objects and lists, unless the caller expects fewer. */
const MAX_CONTAINERS = 250_000;
/** Of all objects and lists together: empty strings and digits take a hundred times as long as their length suggests. */
const MAX_ENTRIES = 2_000_000;

export type JsonLimits = { containers?: number; members?: number; entries?: number };

/** What there is too much of in a text, and where. */
type Excess = { message: string; offset: number };

/**
 * Finds what would cost a JSON parser, and code that walks the value, more than the text's length suggests. Looks at
 * each character once, before anything is allocated; the text need not be valid JSON.
 */
export function findExcess(text: string, maxDepth: number, limits: JsonLimits = {}): Excess | undefined {
  const { containers: maxContainers = MAX_CONTAINERS, members: maxMembers = MAX_MEMBERS } = limits;
  const { entries: maxEntries = MAX_ENTRIES } = limits;
  const membersOf = new Int32Array(maxDepth + 1);
  let [depth, containers, members, commas] = [0, 0, 0, 0];
  for (let offset = 0; offset < text.length; offset++) {
    switch (text.charCodeAt(offset)) {
      case 0x22: // "
        offset = endOfString(text, offset);
        break;
      case 0x7b: // {
      case 0x5b: // [
        if (++depth > maxDepth) return { message: `is nested deeper than ${maxDepth} levels`, offset };
        if (++containers > maxContainers)
          return { message: `contains more than ${maxContainers} objects and lists`, offset };
        membersOf[depth] = 0;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        if (depth > 0) depth--;
        break;
      case 0x3a: // :
        if (++members > maxMembers) return { message: `contains more than ${maxMembers} members`, offset };
        membersOf[depth] = (membersOf[depth] as number) + 1;
        if ((membersOf[depth] as number) > MAX_IN_ONE)
          return { message: `has an object of more than ${MAX_IN_ONE} members`, offset };
        break;
      case 0x2c: // ,
        if (++commas >= maxEntries) return { message: `contains more than ${maxEntries} entries`, offset };
    }
  }
  return undefined;
}

/** Beginning a search costs as much as looking at this many characters. */
const NEAR = 16;

/** A search is ten times as fast as looking at each character, unless quotes or backslashes are close together. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; ) {
    for (let near = at + NEAR; at < near; at++) {
      const code = text.charCodeAt(at);
      if (code === 0x22) return at;
      if (code === 0x5c) near = ++at + NEAR;
    }
    const quote = text.indexOf('"', at);
    if (quote < 0) return text.length;
    let backslashes = 0;
    while (backslashes < quote - at && text.charCodeAt(quote - 1 - backslashes) === 0x5c) backslashes++;
    if (backslashes % 2 === 0) return quote;
    at = quote + 1;
  }
}

/** Whether no object repeats a member: the value has as many as the text, which must be valid JSON. */
function hasAllMembers(value: unknown, text: string): boolean {
  let members = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at);
    else if (code === 0x3a) members++;
  }
  return countMembers(value) === members;
}

function countMembers(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0;
  const inner: unknown[] = Array.isArray(value) ? value : Object.values(value);
  let count = inner === value ? 0 : inner.length;
  for (const each of inner) count += countMembers(each);
  return count;
}

/**
 * Finds what JSON.parse accepts but two readers could understand differently, a repeated member, or nesting deeper than
 * MAX_DEPTH. `text` must be valid JSON.
 */
export function findAmbiguity(text: string): string | undefined {
  // Most objects have few members: a Set for each would cost more than everything else.
  const names: (string[] | Set<string> | undefined)[] = [];
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x7b: // {
      case 0x5b: // [
        if (++depth > MAX_DEPTH) return `it is nested deeper than ${MAX_DEPTH} levels`;
        names[depth] = text.charCodeAt(at) === 0x7b ? NONE : undefined;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        depth--;
        break;
      case 0x22: {
        const end = endOfString(text, at);
        const known = names[depth];
        if (known && isName(text, end)) {
          const raw = text.slice(at, end + 1);
          const name: string = raw.includes('\\') ? JSON.parse(raw) : raw.slice(1, -1);
          const isKnown = known instanceof Set ? known.has(name) : known.includes(name);
          if (isKnown) return `it contains the member ${JSON.stringify(name.slice(0, 64))} twice`;
          names[depth] = withName(known, name);
        }
        at = end;
      }
    }
  }
  return undefined;
}

/** Up to this many names, comparing one by one is faster. */
const FEW = 8;
const NONE: string[] = [];

function withName(known: string[] | Set<string>, name: string): string[] | Set<string> {
  if (known === NONE) return [name];
  if (known instanceof Set) return known.add(name);
  if (known.push(name) <= FEW) return known;
  return new Set(known);
}

/** In valid JSON, only a member's name is followed by a colon. */
function isName(text: string, end: number): boolean {
  let at = end + 1;
  // In valid JSON, nothing else below "!" is between two tokens.
  while (text.charCodeAt(at) <= 0x20) at++;
  return text.charCodeAt(at) === 0x3a;
}
