import type { CatalogItem, StoredCatalog } from '../../storage/port.ts';
import type { Steps } from '../slices.ts';

/** What an application offers to choose from, including archived parts, as of one revision. */
export type Catalog = {
  revision: number;
  languages: Language[];
  groups: Group[];
};

export type Language = { name: string; tag: string; isDefault: boolean };

/** Texts by language tag. */
export type Texts = Record<string, string>;

/** Archiving a group does not change its keys: restoring it restores those that were live. */
export type Group = GroupDefinition & { groupUid: string; archived: boolean; keys: Key[] };
/** `archived` is the key's own state: a key in an archived group cannot be chosen either. */
export type Key = KeyDefinition & { keyUid: string; keyNo: number; archived: boolean };

export type GroupDefinition = { name: string; texts: Texts; descriptions: Texts };

export const VALUE_TYPES = ['boolean', 'string', 'integer', 'number', 'date'] as const;
export type ValueType = (typeof VALUE_TYPES)[number];
export type Scalar = boolean | string | number;

export type KeyDefinition = {
  name: string;
  type: ValueType;
  /** Accepts several values, stored as an array. */
  multiple: boolean;
  minSelected: number;
  /** null: no limit. */
  maxSelected: number | null;
  defaultValue: Scalar | Scalar[] | null;
  /** null: an open key, which accepts any value that its type and constraint allow. */
  values: AllowedValue[] | null;
  constraint: Constraint;
  texts: Texts;
  descriptions: Texts;
};

export type AllowedValue = {
  value: Scalar;
  texts: Texts;
  /** Kept by users who have it, refused to others. */
  retired: boolean;
  /** What to choose instead of a retired value. */
  replacement?: Scalar;
};

export type Constraint = {
  min?: number | string;
  max?: number | string;
  step?: number;
  pattern?: string;
  maxLength?: number;
};

/**
 * The stored version of a group: besides its definition, its position among the groups and the numbers of its keys in
 * order.
 */
type StoredGroup = Stored<GroupDefinition> & { archived: boolean; position: number; keys: number[] };
/** The group stores the order of its keys, so that moving one key does not create new versions of all that follow. */
type StoredKey = Stored<KeyDefinition> & { archived: boolean };
/** Without descriptions if there are none, as in versions from before descriptions existed. */
type Stored<T> = Omit<T, 'descriptions'> & { descriptions?: Texts };

export function readCatalog(stored: StoredCatalog): Steps<Catalog> {
  const empty = { revision: stored.revision, languages: [], groups: [] };
  return withItems(empty, { languages: JSON.parse(stored.languages) as Language[], items: stored.items });
}

/**
 * A catalog with new versions of some items. All other items stay the same objects, so that a comparison can skip them.
 */
export function* withItems(
  catalog: Catalog,
  { languages, items, removed = [] }: { languages: Language[]; items: readonly CatalogItem[]; removed?: string[] },
): Steps<Catalog> {
  const gone = new Set(removed);
  const newKeys = new Map<string, Key[]>();
  const newGroups = new Map<string, StoredGroup>();
  for (const item of items) {
    yield;
    gone.add(item.itemUid);
    if (item.kind === 'group') newGroups.set(item.itemUid, JSON.parse(item.document) as StoredGroup);
    else listIn(newKeys, item.groupUid as string).push(readKeyItem(item));
  }
  const placed: PlacedGroup[] = [];
  for (const [index, group] of catalog.groups.entries()) {
    yield;
    const { groupUid } = group;
    const replaced = newGroups.get(groupUid);
    if (!replaced && gone.has(groupUid)) continue;
    const added = newKeys.get(groupUid) ?? [];
    const kept = gone.size > 0 ? group.keys.filter(({ keyUid }) => !gone.has(keyUid)) : group.keys;
    const isSame = !replaced && added.length === 0 && kept.length === group.keys.length;
    // The position of an archived group is not kept.
    const position = group.archived ? 0 : index;
    if (isSame) {
      placed.push({ position, group });
      continue;
    }
    const order = group.keys.map(({ keyNo }) => keyNo);
    placed.push(placeGroup(groupUid, replaced ?? { ...group, position, keys: order }, [...kept, ...added]));
  }
  const known = new Set(catalog.groups.map(({ groupUid }) => groupUid));
  for (const [groupUid, group] of newGroups) {
    yield;
    if (!known.has(groupUid)) placed.push(placeGroup(groupUid, group, newKeys.get(groupUid) ?? []));
  }
  placed.sort(
    (a, b) => archivedLast(a.group, b.group) || a.position - b.position || byText(a.group.groupUid, b.group.groupUid),
  );
  return { revision: catalog.revision, languages, groups: placed.map(({ group }) => group) };
}

type PlacedGroup = { position: number; group: Group };

function placeGroup(groupUid: string, stored: StoredGroup, keys: Key[]): PlacedGroup {
  const { position, keys: order, name, texts, descriptions = {}, archived } = stored;
  return { position, group: { groupUid, name, texts, descriptions, archived, keys: sortKeys(keys, order) } };
}

function readKeyItem({ itemUid, keyNo, document }: CatalogItem): Key {
  return { keyUid: itemUid, keyNo: keyNo as number, descriptions: {}, ...(JSON.parse(document) as StoredKey) };
}

function listIn<T>(lists: Map<string, T[]>, name: string): T[] {
  const list = lists.get(name) ?? [];
  lists.set(name, list);
  return list;
}

function sortKeys(keys: Key[], order: readonly number[]): Key[] {
  const places = new Map(order.map((keyNo, place) => [keyNo, place]));
  const placeOf = ({ keyNo }: Key) => places.get(keyNo) ?? Number.MAX_SAFE_INTEGER;
  return keys.sort((a, b) => archivedLast(a, b) || placeOf(a) - placeOf(b) || a.keyNo - b.keyNo);
}

function archivedLast(a: { archived: boolean }, b: { archived: boolean }): number {
  return Number(a.archived) - Number(b.archived);
}

function byText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Every group and key as an item to store. Two items are equal exactly if their versions are. */
export function* toItems(catalog: Catalog): Steps<CatalogItem[]> {
  const items: CatalogItem[] = [];
  for (const [place, group] of catalog.groups.entries()) {
    yield;
    items.push(toGroupItem(group, place));
    for (const key of group.keys) {
      yield;
      items.push(toKeyItem(key, group.groupUid));
    }
  }
  return items;
}

/**
 * An item that differs between two catalogs, by its definition or, for a key, by its group; `before` is undefined for a
 * new one.
 */
export type ChangedItem = { item: CatalogItem; before: CatalogItem | undefined };

/** What to store to get from one catalog to the other. Skips items that are the same object in both. */
export function* changedItems(before: Catalog, after: Catalog): Steps<ChangedItem[]> {
  const groups = new Map(before.groups.map((group, place) => [group.groupUid, { group, place }]));
  const shared = new Set(after.groups);
  const keys = new Map<string, { key: Key; groupUid: string }>();
  for (const group of before.groups) {
    yield;
    if (shared.has(group)) continue;
    for (const key of group.keys) keys.set(key.keyUid, { key, groupUid: group.groupUid });
  }
  const changed: ChangedItem[] = [];
  const add = (item: CatalogItem, old: CatalogItem | undefined) => {
    if (!old || !isSameItem(item, old)) changed.push({ item, before: old });
  };
  for (const [place, group] of after.groups.entries()) {
    yield;
    const { groupUid } = group;
    const old = groups.get(groupUid);
    if (old?.group === group && (old.place === place || group.archived)) continue;
    add(toGroupItem(group, place), old && toGroupItem(old.group, old.place));
    if (old?.group === group) continue;
    for (const key of group.keys) {
      yield;
      const oldKey = keys.get(key.keyUid);
      if (oldKey?.key === key && oldKey.groupUid === groupUid) continue;
      add(toKeyItem(key, groupUid), oldKey && toKeyItem(oldKey.key, oldKey.groupUid));
    }
  }
  return changed;
}

function isSameItem(item: CatalogItem, before: CatalogItem): boolean {
  return item.document === before.document && item.groupUid === before.groupUid;
}

function toGroupItem({ groupUid, keys, name, texts, descriptions, archived }: Group, place: number): CatalogItem {
  // Archived items have no position: adding something before them must not create new versions.
  const position = archived ? 0 : place;
  const order = keys.filter((key) => !key.archived).map((key) => key.keyNo);
  const written = { name, texts: sorted(texts), ...storedDescriptions(descriptions) };
  const stored: StoredGroup = { ...written, archived, position, keys: order };
  return { itemUid: groupUid, kind: 'group', groupUid: null, keyNo: null, document: JSON.stringify(stored) };
}

function storedDescriptions(descriptions: Texts): { descriptions?: Texts } {
  return Object.keys(descriptions).length > 0 ? { descriptions: sorted(descriptions) } : {};
}

function toKeyItem(key: Key, groupUid: string): CatalogItem {
  const stored: StoredKey = {
    name: key.name,
    type: key.type,
    multiple: key.multiple,
    minSelected: key.minSelected,
    maxSelected: key.maxSelected,
    defaultValue: key.defaultValue,
    values:
      key.values?.map(({ value, texts, retired, replacement }) => ({
        value,
        texts: sorted(texts),
        retired,
        ...(replacement !== undefined && { replacement }),
      })) ?? null,
    constraint: sorted(key.constraint),
    texts: sorted(key.texts),
    ...storedDescriptions(key.descriptions),
    archived: key.archived,
  };
  return { itemUid: key.keyUid, kind: 'key', groupUid, keyNo: key.keyNo, document: JSON.stringify(stored) };
}

function sorted<T extends object>(record: T): T {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => byText(a, b))) as T;
}
