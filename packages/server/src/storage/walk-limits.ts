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
