import type { UserPlace, UserWalk } from './port.ts';

/** How much of a value is compared, and stored in PostgreSQL's index. */
export const INDEXED_CHARACTERS = 200;

/** Longer reads run where nothing queues behind them. */
export const QUICK_READ = 256;

export function indexedPart(json: string): string {
  // Characters as the databases count them.
  return json.length <= INDEXED_CHARACTERS ? json : [...json].slice(0, INDEXED_CHARACTERS).join('');
}

/** The values from a place on, ordered by bytes. */
export function valuesFrom(values: readonly string[], place: string | undefined): string[] {
  if (place === undefined) return [...values];
  const from = Buffer.from(place);
  return values.filter((each) => Buffer.compare(Buffer.from(each), from) >= 0);
}

/** Digits of a time in a place, so that text order is time order. */
export const CREATED_DIGITS = 16;

/** The rest of a walk by creation time, from a place on. */
export function createdSpan(
  { newest, from = 0, to = Number.MAX_SAFE_INTEGER }: UserWalk & { by: 'created' },
  after: UserPlace | null,
): { first: number; last: number } {
  // A place without a time, as releases before this one wrote it, starts over.
  const at = /^\d{16}$/.test(after?.value ?? '') ? Number(after?.value) : undefined;
  return newest ? { first: from, last: Math.min(to, at ?? to) } : { first: Math.max(from, at ?? from), last: to };
}
