import type { TreeGroup, TreeKey } from '../../draft/queries.ts';

/** Of the catalog's longest name, what is left for "-copy-99". */
const LONGEST = 240;

/** One that no sibling has, archived ones included: `fruit-copy`, `fruit-copy-2`. */
export function nameOfCopy(name: string, siblings: readonly { name: string }[]): string {
  const taken = new Set(siblings.map((each) => each.name));
  const base = `${name.slice(0, LONGEST)}-copy`;
  for (let count = 1; ; count++) {
    const wanted = count === 1 ? base : `${base}-${count}`;
    if (!taken.has(wanted)) return wanted;
  }
}

/** A key as a new one: without what only those keep who have it. */
export function copyOfKey({ keyUid: _, archived: _archived, was: _was, values, ...key }: TreeKey, name: string) {
  const offered = values?.filter((each) => typeof each !== 'object' || each.retired !== true);
  return { ...key, name, ...(offered && offered.length > 0 && { values: offered }) };
}

export function copyOfGroup({ keys, name: _, translations, descriptions }: TreeGroup, name: string) {
  return {
    name,
    ...(translations && { translations }),
    ...(descriptions && { descriptions }),
    keys: keys.filter(({ archived }) => !archived).map((key) => copyOfKey(key, key.name)),
  };
}
