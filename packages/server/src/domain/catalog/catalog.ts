import type { CatalogItem, StoredCatalog } from '../../storage/port.ts';

/** What an application offers to choose from, archived parts included, as of one revision. */
export type Catalog = {
  revision: number;
  languages: Language[];
  groups: Group[];
};

export type Language = { name: string; tag: string; isDefault: boolean };

/** Texts by language tag. */
export type Texts = Record<string, string>;

export type Group = GroupDefinition & { groupUid: string; archived: boolean; keys: Key[] };
export type Key = KeyDefinition & { keyUid: string; keyNo: number; archived: boolean };

export type GroupDefinition = { name: string; texts: Texts };

export const VALUE_TYPES = ['boolean', 'string', 'integer', 'number', 'date'] as const;
export type ValueType = (typeof VALUE_TYPES)[number];
export type Scalar = boolean | string | number;

export type KeyDefinition = {
  name: string;
  type: ValueType;
  /** Takes several values, kept as an array. */
  multiple: boolean;
  minSelected: number;
  /** null: as many as there are. */
  maxSelected: number | null;
  defaultValue: Scalar | Scalar[] | null;
  /** null: an open key, which takes any value that its type and constraint allow. */
  values: AllowedValue[] | null;
  constraint: Constraint;
  texts: Texts;
};

export type AllowedValue = {
  value: Scalar;
  texts: Texts;
  /** Kept by those who have it, refused to others. */
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

/** What a group's versions hold beside its identity: its place among the groups, and its keys in order by their numbers. */
type StoredGroup = GroupDefinition & { archived: boolean; position: number; keys: number[] };
/** A key's place is told by its group, so that one key moved does not make new versions of all behind it. */
type StoredKey = KeyDefinition & { archived: boolean };

export function readCatalog(stored: StoredCatalog): Catalog {
  const keys = new Map<string, Key[]>();
  for (const item of stored.items) {
    if (item.kind !== 'key') continue;
    const key: Key = {
      keyUid: item.itemUid,
      keyNo: item.keyNo as number,
      ...(JSON.parse(item.document) as StoredKey),
    };
    const siblings = keys.get(item.groupUid as string);
    if (siblings) siblings.push(key);
    else keys.set(item.groupUid as string, [key]);
  }
  const placed = stored.items
    .filter((item) => item.kind === 'group')
    .map((item) => {
      const { position, keys: order, ...group } = JSON.parse(item.document) as StoredGroup;
      const inOrder = sortKeys(keys.get(item.itemUid) ?? [], order);
      return { position, group: { groupUid: item.itemUid, ...group, keys: inOrder } };
    });
  placed.sort(
    (a, b) => archivedLast(a.group, b.group) || a.position - b.position || byText(a.group.groupUid, b.group.groupUid),
  );
  return {
    revision: stored.revision,
    languages: JSON.parse(stored.languages) as Language[],
    groups: placed.map(({ group }) => group),
  };
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

/** Every group and key as an item to store, in a form that is equal exactly when the version is. */
export function toItems(catalog: Catalog): CatalogItem[] {
  return catalog.groups.flatMap((group, place) => {
    const { groupUid, keys, name, texts, archived } = group;
    // What is archived has no place: it must not get a new version whenever something is added before it.
    const position = archived ? 0 : place;
    const order = keys.filter((key) => !key.archived).map((key) => key.keyNo);
    const stored: StoredGroup = { name, texts: sorted(texts), archived, position, keys: order };
    return [
      { itemUid: groupUid, kind: 'group' as const, groupUid: null, keyNo: null, document: JSON.stringify(stored) },
      ...keys.map((key) => toKeyItem(key, groupUid)),
    ];
  });
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
    archived: key.archived,
  };
  return { itemUid: key.keyUid, kind: 'key', groupUid, keyNo: key.keyNo, document: JSON.stringify(stored) };
}

function sorted<T extends object>(record: T): T {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => byText(a, b))) as T;
}
