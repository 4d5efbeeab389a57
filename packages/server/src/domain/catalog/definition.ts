import { mapSteps, type Packed, pack, type Steps, unpack } from '../slices.ts';
import type { Catalog, Group, GroupDefinition, Key, KeyDefinition, Language } from './catalog.ts';

/**
 * The desired state of a catalog: the catalog file, checked and with its languages by tag. Anything it
 * does not name gets archived.
 */
export type CatalogDefinition = {
  languages: Language[];
  groups: WantedGroup[];
};

/** Identifies an existing item: by `uid` if given; else by name; else by its former name, `was`. */
type Identity = { uid?: string; was?: string };

export type WantedGroup = GroupDefinition & Identity & { keys: WantedKey[] };
export type WantedKey = KeyDefinition & Identity;

/** The definition that matches a catalog as it is: a starting point for changes. */
export function* definitionOf(catalog: Catalog): Steps<CatalogDefinition> {
  const groups: WantedGroup[] = [];
  for (const group of catalog.groups) if (!group.archived) groups.push(yield* wantedGroupOf(group));
  return { languages: catalog.languages, groups };
}

export function* wantedGroupOf({ groupUid: uid, archived: _, keys, ...group }: Group): Steps<WantedGroup> {
  yield;
  return {
    ...group,
    uid,
    keys: yield* mapSteps(
      keys.filter((key) => !key.archived),
      wantedKeyOf,
    ),
  };
}

export function wantedKeyOf({ keyUid: uid, keyNo: _no, archived: _, ...key }: Key): WantedKey {
  return { ...key, uid };
}

/** A definition on its way from a worker thread. */
export type PackedDefinition = {
  languages: Language[];
  groups: Packed<Omit<WantedGroup, 'keys'> & { keyCount: number }>;
  keys: Packed<WantedKey>;
};

export function packDefinition({ languages, groups }: CatalogDefinition): PackedDefinition {
  return {
    languages,
    groups: pack(groups.map(({ keys, ...group }) => ({ ...group, keyCount: keys.length }))),
    keys: pack(groups.flatMap(({ keys }) => keys)),
  };
}

export function* unpackDefinition(packed: PackedDefinition): Steps<CatalogDefinition> {
  const keys = yield* unpack(packed.keys);
  let taken = 0;
  const groups = yield* mapSteps(yield* unpack(packed.groups), ({ keyCount, ...group }) => {
    taken += keyCount;
    return { ...group, keys: keys.slice(taken - keyCount, taken) };
  });
  return { languages: packed.languages, groups };
}
