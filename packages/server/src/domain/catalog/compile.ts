import type { Catalog, Group, Key } from './catalog.ts';
import { createLanguages, type Languages } from './languages.ts';

/** A catalog ready to be asked: every look-up a request needs is a table. Made once per revision. */
export type CompiledCatalog = {
  revision: number;
  languages: Languages;
  /** What can be chosen, in order. */
  groups: readonly Group[];
  keys: readonly PlacedKey[];
  groupByUid: ReadonlyMap<string, Group>;
  groupByName: ReadonlyMap<string, Group>;
  archivedGroups: readonly Group[];
  /** Archived ones too. */
  keyByUid: ReadonlyMap<string, PlacedKey>;
  keyByNo: ReadonlyMap<number, PlacedKey>;
  /** The index in `keys`, of those that can be chosen. */
  orderByNo: ReadonlyMap<number, number>;
};

/** A key with the group it stands in and its place there. */
export type PlacedKey = { key: Key; group: Group; position: number };

export function compileCatalog(catalog: Catalog): CompiledCatalog {
  const all = catalog.groups.flatMap((group) =>
    group.keys.map((key, position) => ({
      // A group takes its keys with it into the archive.
      key: group.archived && !key.archived ? { ...key, archived: true } : key,
      group,
      position,
    })),
  );
  const groups = catalog.groups.filter((group) => !group.archived);
  const keys = all.filter(({ key }) => !key.archived);
  return {
    revision: catalog.revision,
    languages: createLanguages(catalog.languages),
    groups,
    keys,
    groupByUid: new Map(groups.map((group) => [group.groupUid, group])),
    groupByName: new Map(groups.map((group) => [group.name, group])),
    archivedGroups: catalog.groups.filter((group) => group.archived),
    keyByUid: new Map(all.map((placed) => [placed.key.keyUid, placed])),
    keyByNo: new Map(all.map((placed) => [placed.key.keyNo, placed])),
    orderByNo: new Map(keys.map(({ key }, index) => [key.keyNo, index])),
  };
}
