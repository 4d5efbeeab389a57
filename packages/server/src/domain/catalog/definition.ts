import type { Catalog, Group, GroupDefinition, Key, KeyDefinition, Language } from './catalog.ts';

/**
 * What somebody wants a catalog to be: the file of CONTRACT.md section 4, checked and with its
 * languages by tag. What it does not name is to be archived.
 */
export type CatalogDefinition = {
  languages: Language[];
  groups: WantedGroup[];
};

/**
 * What it means of what is there already: the one with this `uid`, for those who know it; else the one
 * of this name; else the one that `was` called so.
 */
type Identity = { uid?: string; was?: string };

export type WantedGroup = GroupDefinition & Identity & { keys: WantedKey[] };
export type WantedKey = KeyDefinition & Identity;

/** The definition that a catalog fulfils already: a place to start changing it from. */
export function definitionOf(catalog: Catalog): CatalogDefinition {
  return { languages: catalog.languages, groups: catalog.groups.filter((group) => !group.archived).map(wantedGroupOf) };
}

export function wantedGroupOf({ groupUid: uid, archived: _, keys, ...group }: Group): WantedGroup {
  return { ...group, uid, keys: keys.filter((key) => !key.archived).map(wantedKeyOf) };
}

export function wantedKeyOf({ keyUid: uid, keyNo: _no, archived: _, ...key }: Key): WantedKey {
  return { ...key, uid };
}
