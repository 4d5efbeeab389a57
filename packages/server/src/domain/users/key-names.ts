import { inNfc } from '../../nfc.ts';
import { readUuid } from '../../uuid.ts';
import type { CompiledCatalog, PlacedKey } from '../catalog/compile.ts';

/** Keys by the names in docs/import.md. A name may have been used again after its key or group was archived. */
export type KeyNames = {
  hasGroup(group: string): boolean;
  /** The key that the names refer to: the one that can be chosen, else the newest. */
  find(group: string, key: string): PlacedKey | undefined;
  /** Other keys of the same name: only their UIDs tell them apart. */
  twins(group: string, key: string): PlacedKey[];
};

export function createKeyNames(catalog: CompiledCatalog): KeyNames {
  const groups = new Map<string, Map<string, PlacedKey[]>>(catalog.groups.map(({ name }) => [inNfc(name), new Map()]));
  for (const placed of catalog.keyByNo.values()) {
    const [group, key] = [inNfc(placed.group.name), inNfc(placed.key.name)];
    const keys = groups.get(group) ?? new Map<string, PlacedKey[]>();
    groups.set(group, keys);
    const known = keys.get(key);
    if (known) known.push(placed);
    else keys.set(key, [placed]);
  }
  for (const keys of groups.values()) {
    for (const same of keys.values()) if (same.length > 1) same.sort(byMeaning);
  }
  return {
    hasGroup: (group) => groups.has(inNfc(group)),
    find: (group, key) => groups.get(inNfc(group))?.get(inNfc(key))?.[0],
    twins: (group, key) => groups.get(inNfc(group))?.get(inNfc(key))?.slice(1) ?? [],
  };
}

/** Keys are numbered in the order of their creation. */
function byMeaning(a: PlacedKey, b: PlacedKey): number {
  return Number(a.key.archived) - Number(b.key.archived) || b.key.keyNo - a.key.keyNo;
}

/** The key that `group.key` or a UID refers to, including archived ones. Names with dots may be ambiguous. */
export function findNamedKey(catalog: CompiledCatalog, name: string): PlacedKey | 'ambiguous' | undefined {
  const byUid = catalog.keyByUid.get(readUuid(name) ?? '');
  if (byUid) return byUid;
  const found = namedKeys(catalog).get(inNfc(name));
  if (!found) return undefined;
  const [best] = [...found].sort(byMeaning) as [PlacedKey];
  const isSame = ({ group, key }: PlacedKey) => group.name === best.group.name && key.name === best.key.name;
  return found.every(isSame) ? best : 'ambiguous';
}

const names = new WeakMap<CompiledCatalog, Map<string, PlacedKey[]>>();

/** Made once per revision. */
function namedKeys(catalog: CompiledCatalog): Map<string, PlacedKey[]> {
  const known = names.get(catalog);
  if (known) return known;
  const named = Map.groupBy(catalog.keyByNo.values(), ({ group, key }) => inNfc(`${group.name}.${key.name}`));
  names.set(catalog, named);
  return named;
}
