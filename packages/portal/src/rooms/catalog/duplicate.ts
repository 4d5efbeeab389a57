import type { TreeGroup, TreeKey } from '../../draft/queries.ts';

/** The longest name of the catalog, less room for "-copy-99". */
const MAX_LENGTH = 240;

/** A name that no sibling has, including archived ones: `fruit-copy`, `fruit-copy-2`. */
export function nameOfCopy(name: string, siblings: readonly { name: string }[]): string {
  const taken = new Set(siblings.map((each) => each.name));
  const base = `${name.slice(0, MAX_LENGTH)}-copy`;
  for (let count = 1; ; count++) {
    const wanted = count === 1 ? base : `${base}-${count}`;
    if (!taken.has(wanted)) return wanted;
  }
}

/** A copy of a key: without retired values. */
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
