import { inNfc } from '../../nfc.ts';
import type { Storage } from '../../storage/port.ts';
import { inSlices, type Steps } from '../slices.ts';
import { type Catalog, type Group, type Key, readCatalog } from './catalog.ts';
import { createLanguages, type Languages } from './languages.ts';

/** A catalog prepared for requests: every lookup is a table. Made once per revision. */
export type CompiledCatalog = {
  revision: number;
  languages: Languages;
  /** What can be chosen, in order. */
  groups: readonly Group[];
  keys: readonly PlacedKey[];
  groupByUid: ReadonlyMap<string, Group>;
  /** Names in NFC. */
  groupByName: ReadonlyMap<string, Group>;
  archivedGroupByUid: ReadonlyMap<string, Group>;
  /** The first of each name. */
  archivedGroupByName: ReadonlyMap<string, Group>;
  /** Includes archived keys. */
  keyByUid: ReadonlyMap<string, PlacedKey>;
  keyByNo: ReadonlyMap<number, PlacedKey>;
  /** Index in `keys`, for keys that can be chosen. */
  orderByNo: ReadonlyMap<number, number>;
};

/** A key with its group and its position there. */
export type PlacedKey = { key: Key; group: Group; position: number };

export function* compileCatalog(catalog: Catalog): Steps<CompiledCatalog> {
  const groups = catalog.groups.filter((group) => !group.archived);
  const keys: PlacedKey[] = [];
  const keyByUid = new Map<string, PlacedKey>();
  const keyByNo = new Map<number, PlacedKey>();
  const orderByNo = new Map<number, number>();
  for (const group of catalog.groups) {
    for (const [position, each] of group.keys.entries()) {
      yield;
      // Archiving a group archives its keys.
      const key = group.archived && !each.archived ? { ...each, archived: true } : each;
      const placed = { key, group, position };
      if (!key.archived) orderByNo.set(key.keyNo, keys.push(placed) - 1);
      keyByUid.set(key.keyUid, placed);
      keyByNo.set(key.keyNo, placed);
    }
  }
  const archivedGroupByUid = new Map<string, Group>();
  const archivedGroupByName = new Map<string, Group>();
  for (const group of catalog.groups) {
    if (!group.archived) continue;
    yield;
    archivedGroupByUid.set(group.groupUid, group);
    const name = inNfc(group.name);
    if (!archivedGroupByName.has(name)) archivedGroupByName.set(name, group);
  }
  return {
    revision: catalog.revision,
    languages: createLanguages(catalog.languages),
    groups,
    keys,
    groupByUid: new Map(groups.map((group) => [group.groupUid, group])),
    groupByName: new Map(groups.map((group) => [inNfc(group.name), group])),
    archivedGroupByUid,
    archivedGroupByName,
    keyByUid,
    keyByNo,
    orderByNo,
  };
}

/** The application's current catalog, from the database. */
export async function loadCompiledCatalog(
  { catalogs }: Pick<Storage, 'catalogs'>,
  appId: number,
): Promise<CompiledCatalog> {
  return inSlices(compileCatalog(await inSlices(readCatalog(await catalogs.load(appId)))));
}
