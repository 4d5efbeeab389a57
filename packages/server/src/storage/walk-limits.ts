import type { UserPlace, UserWalk } from './port.ts';

/** What is compared of a value, and what PostgreSQL's index has of it. */
export const INDEXED_CHARACTERS = 200;

/** A longer read is done where nobody waits behind it. */
export const QUICK_READ = 256;

export function indexedPart(json: string): string {
  // Characters as the databases count them.
  return json.length <= INDEXED_CHARACTERS ? json : [...json].slice(0, INDEXED_CHARACTERS).join('');
}

/** Those from a place on, in the order of their bytes. */
export function valuesFrom(values: readonly string[], place: string | undefined): string[] {
  if (place === undefined) return [...values];
  const from = Buffer.from(place);
  return values.filter((each) => Buffer.compare(Buffer.from(each), from) >= 0);
}

/** Of a time in a place, so that texts are in the order of times. */
export const CREATED_DIGITS = 16;

/** What is left of the span of a walk by creation, from a place on. */
export function createdSpan(
  { newest, from = 0, to = Number.MAX_SAFE_INTEGER }: UserWalk & { by: 'created' },
  after: UserPlace | null,
): { first: number; last: number } {
  // A place without a time, as releases before this one wrote it, starts over.
  const at = /^\d{16}$/.test(after?.value ?? '') ? Number(after?.value) : undefined;
  return newest ? { first: from, last: Math.min(to, at ?? to) } : { first: Math.max(from, at ?? from), last: to };
}
