import { mapSteps, type Steps } from '../slices.ts';
import type { Catalog, Group, Key } from './catalog.ts';
import { cleanTexts } from './clean-texts.ts';
import { definitionOf } from './definition.ts';
import { type CatalogPlan, planCatalog } from './plan.ts';

type Placed = { key: Key; group: Group };

/**
 * The catalog after publishing a draft: exactly what the draft shows, matched by UID and not by name. Items that the
 * draft archives are archived in the draft's version; items that were never published and are already archived are
 * dropped. Items that were published meanwhile, and that the draft does not know, are archived.
 */
export function* planDraft(current: Catalog, draft: Catalog): Steps<CatalogPlan> {
  const { next, changes, notes } = yield* planCatalog(current, yield* definitionOf(draft));
  return { next: { ...next, groups: yield* draftedGroups(current, draft) }, changes, notes };
}

function* draftedGroups(current: Catalog, draft: Catalog): Steps<Group[]> {
  const published = placesOf(current);
  const groupsBefore = new Map(current.groups.map((group) => [group.groupUid, group]));
  const numbered = numberKeys(published, draft);
  const groups = new Map<string, Group>();
  const placed = new Set<string>();
  for (const group of draft.groups) {
    yield;
    const before = groupsBefore.get(group.groupUid);
    const keys = group.keys.flatMap((key) => {
      const known = published.get(key.keyUid);
      const isOffered = isLive({ key, group });
      if (!isOffered && !(known && isLive(known))) return [];
      placed.add(key.keyUid);
      return [numbered(key)];
    });
    if (group.archived && !before && keys.length === 0) continue;
    const shown = group.archived && before?.archived ? before : group;
    groups.set(group.groupUid, { ...shown, keys });
  }
  for (const group of current.groups) {
    yield;
    const drafted = groups.get(group.groupUid) ?? { ...group, archived: true, keys: [] };
    const left = group.keys.filter(({ keyUid }) => !placed.has(keyUid));
    // Keys in a group unknown to the draft keep their state, so that restoring the group restores them.
    const isKnown = groups.has(group.groupUid);
    const keys = left.map((key) => (isKnown && isLive({ key, group }) ? { ...key, archived: true } : key));
    groups.set(group.groupUid, { ...drafted, keys: [...drafted.keys, ...keys] });
  }
  const tags = new Set(draft.languages.map(({ tag }) => tag));
  const losesTexts = current.languages.some(({ tag }) => !tags.has(tag));
  return yield* mapSteps(groups.values(), (group) => {
    if (losesTexts) return { ...cleanTexts(group, tags), keys: group.keys.map((key) => cleanTexts(key, tags)) };
    const before = groupsBefore.get(group.groupUid);
    return before && isSame(before, group) ? before : group;
  });
}

function placesOf({ groups }: Catalog): Map<string, Placed> {
  return new Map(groups.flatMap((group) => group.keys.map((key) => [key.keyUid, { key, group }] as const)));
}

/** Keys of a draft get the numbers that selections refer to when they are published. */
function numberKeys(published: ReadonlyMap<string, Placed>, draft: Catalog): (key: Key) => Key {
  let last = [...published.values()].reduce((most, { key }) => Math.max(most, key.keyNo), 0);
  const numbers = new Map<string, number>();
  const added = draft.groups.flatMap(({ keys }) => keys).filter(({ keyUid }) => !published.has(keyUid));
  for (const { keyUid } of added.sort((a, b) => a.keyNo - b.keyNo)) numbers.set(keyUid, ++last);
  return (key) => {
    const keyNo = published.get(key.keyUid)?.key.keyNo ?? (numbers.get(key.keyUid) as number);
    return key.keyNo === keyNo ? key : { ...key, keyNo };
  };
}

function isLive({ key, group }: Placed): boolean {
  return !key.archived && !group.archived;
}

function isSame(before: Group, after: Group): boolean {
  const { keys: keysBefore, ...ownBefore } = before;
  const { keys, ...own } = after;
  return (
    keys.length === keysBefore.length &&
    keys.every((key, index) => key === keysBefore[index]) &&
    JSON.stringify(ownBefore) === JSON.stringify(own)
  );
}
