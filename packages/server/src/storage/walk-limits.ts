/** What the index of values and the one of elements hold of a text. */
export const INDEXED_CHARACTERS = 200;

/** A longer read is done where nobody waits behind it. */
export const QUICK_READ = 256;

export function indexedPart(json: string): string {
  // Characters as the databases count them.
  return json.length <= INDEXED_CHARACTERS ? json : [...json].slice(0, INDEXED_CHARACTERS).join('');
}
