import type { Steps } from '../slices.ts';
import type { Catalog, Group, Key } from './catalog.ts';
import type { CatalogDefinition, WantedGroup, WantedKey } from './definition.ts';
import { readPath } from './translatable.ts';

export type FoundKey = { key: Key; group: Group };

/** Which existing item each part of a definition refers to; the rest is new. */
export type Matched = { groups: Map<WantedGroup, Group>; keys: Map<WantedKey, FoundKey>; claimed: Set<Key> };

/**
 * Finds the existing items that a definition refers to: only by UID if one is given; else by name, then by former name.
 * Archived items come last, so that an item can be renamed to a name that was used before.
 */
export function* matchItems(current: Catalog, wanted: CatalogDefinition): Steps<Matched> {
  const matched: Matched = { groups: new Map(), keys: new Map(), claimed: new Set() };

  const groupByUid = new Map(current.groups.map((group) => [group.groupUid, group]));
  const groupUids = new Set(wanted.groups.map(({ uid }) => uid));
  const groups = byName(
    current.groups.filter(({ groupUid }) => !groupUids.has(groupUid)).map((group) => ({ ...group, item: group })),
  );
  for (const group of wanted.groups) {
    const { uid, name, was } = group;
    const found = uid === undefined ? groups.find(name, was) : groupByUid.get(uid);
    if (found) matched.groups.set(group, found);
  }

  const keyByUid = new Map<string, FoundKey>();
  for (const group of current.groups) {
    yield;
    for (const key of group.keys) keyByUid.set(key.keyUid, { key, group });
  }
  const keyUids = new Set<string | undefined>();
  for (const { keys } of wanted.groups) for (const { uid } of keys) keyUids.add(uid);
  const namedKeys = new Map<Group | undefined, ByName<FoundKey>>();
  const keysOf = (group: Group | undefined): ByName<FoundKey> => {
    const known = namedKeys.get(group);
    if (known) return known;
    const free = (group?.keys ?? []).filter(({ keyUid }) => !keyUids.has(keyUid));
    const named = byName(
      free.map((key) => ({ name: key.name, archived: key.archived, item: { key, group: group as Group } })),
    );
    namedKeys.set(group, named);
    return named;
  };
  // In any group, by the names before this definition.
  const allGroups = byName(current.groups.map((group) => ({ ...group, item: group })));
  const elsewhere = (was: string | undefined): FoundKey | undefined => {
    const [groupName, keyName] = was === undefined ? [] : (readPath(was) ?? []);
    const group = groupName === undefined ? undefined : allGroups.find(groupName);
    return keyName === undefined ? undefined : keysOf(group).find(keyName);
  };
  for (const group of wanted.groups) {
    const here = keysOf(matched.groups.get(group));
    for (const key of group.keys) {
      yield;
      const { uid, name, was } = key;
      const found = uid === undefined ? findNamed(here, elsewhere(was), name, was) : keyByUid.get(uid);
      if (!found || matched.claimed.has(found.key)) continue;
      matched.keys.set(key, found);
      matched.claimed.add(found.key);
    }
  }
  return matched;
}

/** Live items first; among those, the one with the name before the one that had it. */
function findNamed(
  here: ByName<FoundKey>,
  elsewhere: FoundKey | undefined,
  name: string,
  was: string | undefined,
): FoundKey | undefined {
  const isLive = elsewhere && !elsewhere.key.archived && !elsewhere.group.archived;
  const found = here.find(name, was);
  if (found && !found.key.archived) return found;
  return isLive ? elsewhere : (found ?? elsewhere);
}

type ByName<T> = { find(name: string, was?: string): T | undefined };

function byName<T>(items: readonly { name: string; archived: boolean; item: T }[]): ByName<T> {
  const tableOf = (archived: boolean) =>
    // Among archived items of the same name, the last one wins.
    new Map(items.filter((each) => each.archived === archived).map(({ name, item }) => [name, item]));
  const [live, archived] = [tableOf(false), tableOf(true)];
  return {
    find: (name, was = name) => live.get(name) ?? live.get(was) ?? archived.get(name) ?? archived.get(was),
  };
}
