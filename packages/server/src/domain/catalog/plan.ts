import { randomUUIDv7 } from 'node:crypto';
import { mapSteps, type Steps } from '../slices.ts';
import type { AllowedValue, Catalog, Group, Key, Language, Texts } from './catalog.ts';
import type { CatalogChange, ChangeFact } from './change.ts';
import {
  compareGroup,
  compareKey,
  compareLanguages,
  describeKey,
  type FoundKey,
  isReordered,
  listed,
  type Matched,
  matchItems,
} from './compare.ts';
import { type CatalogDefinition, definitionOf, type WantedGroup, type WantedKey } from './definition.ts';
import { PlanMatching } from './plan-matching.ts';
import { pathOf, translatable } from './translatable.ts';

export type CatalogPlan = {
  /** The resulting catalog; its revision is the next one. */
  next: Catalog;
  changes: CatalogChange[];
  notes: PlanNote[];
};

/** New keys are numbered from here, or after the last one. */
type PlanOptions = { keyNosFrom?: number };

/** Something valid that may not be what was meant. */
export type PlanNote = { path: string; text: string };

/** Texts that a language lacks: how many, and the paths of the first. */
export type MissingTexts = { language: string; total: number; count: number; missing: string[] };

/** With two hundred languages, all of them would not fit into memory. */
const MISSING_NAMED = 1_000;

/** Plans the changes that make the catalog match the definition. Writes nothing. */
export function* planCatalog(
  current: Catalog,
  wanted: CatalogDefinition,
  { keyNosFrom = 1 }: PlanOptions = {},
): Steps<CatalogPlan> {
  const changes: CatalogChange[] = compareLanguages(current.languages, wanted.languages);
  const notes: PlanNote[] = [];
  let lastKeyNo = keyNosFrom - 1;
  for (const { keys } of current.groups) for (const { keyNo } of keys) lastKeyNo = Math.max(lastKeyNo, keyNo);
  const nextKeyNo = () => ++lastKeyNo;

  const tags = new Set(wanted.languages.map(({ tag }) => tag));
  const losesTexts = current.languages.some(({ tag }) => !tags.has(tag));
  const matched = yield* matchItems(current, wanted);
  const matching = new PlanMatching();
  const planning = { languages: wanted.languages, tags, losesTexts, matched, changes, notes, nextKeyNo, matching };
  const kept = new Set(matched.groups.values());
  const groups: Group[] = [];
  for (const group of wanted.groups) groups.push(yield* planGroup(matched.groups.get(group), group, planning));
  const order = groups.map(({ groupUid }) => groupUid);
  for (const group of current.groups) {
    if (!kept.has(group)) groups.push(yield* archiveGroup(group, planning));
  }
  if (isReordered(liveUids(current.groups), order)) {
    const fact: ChangeFact = { what: 'order', ...listed(wanted.groups.map(({ name }) => name)) };
    changes.push({ kind: 'changed', subject: 'group', path: 'groups', details: [{ fact }] });
  }

  return { next: { revision: current.revision + 1, languages: wanted.languages, groups }, changes, notes };
}

/** `was` names nothing that exists: perhaps a typo, and what should have been renamed is archived. */
function noteUnknownName({ was }: { was?: string }, what: 'group' | 'key', path: string): PlanNote[] {
  return was === undefined ? [] : [{ path, text: `was ${was}: no ${what} had that name here, so this one is new` }];
}

function liveUids(groups: Group[]): string[] {
  return groups.filter((group) => !group.archived).map(({ groupUid }) => groupUid);
}

/** Collected along the way. */
type Planning = {
  languages: Language[];
  tags: ReadonlySet<string>;
  /** A language is removed with its texts, also from archived items. */
  losesTexts: boolean;
  matched: Matched;
  changes: CatalogChange[];
  notes: PlanNote[];
  nextKeyNo: () => number;
  matching: PlanMatching;
};

function* planGroup(before: Group | undefined, wanted: WantedGroup, planning: Planning): Steps<Group> {
  yield;
  const { languages, changes, notes, matched, tags } = planning;
  const change: CatalogChange = { kind: 'added', subject: 'group', path: pathOf(wanted.name), details: [] };
  if (before) {
    change.details = compareGroup(before, wanted, languages);
    change.kind = before.archived ? 'restored' : before.name === wanted.name ? 'changed' : 'renamed';
  } else notes.push(...noteUnknownName(wanted, 'group', pathOf(wanted.name)));
  const keyChanges: CatalogChange[] = [];
  const planningKeys = { ...planning, changes: keyChanges };
  const keys: Key[] = [];
  for (const key of wanted.keys) {
    yield;
    const found = matched.keys.get(key);
    if (!found) notes.push(...noteUnknownName(key, 'key', pathOf(wanted.name, key.name)));
    keys.push(yield* planKey(found, key, { name: wanted.name, before }, planningKeys));
  }
  const keysBefore = before?.keys ?? [];
  const live = keysBefore.filter((key) => !key.archived).map(({ keyNo }) => keyNo);
  const order = keys.map(({ keyNo }) => keyNo);
  if (isReordered(live, order)) {
    change.details.push({ fact: { what: 'orderOfKeys', ...listed(wanted.keys.map(({ name }) => name)) } });
  }
  for (const key of keysBefore) {
    if (matched.claimed.has(key)) continue;
    if (!key.archived && !before?.archived) keyChanges.push(archivedKey(key, wanted.name));
    keys.push(leaveKey(key.archived ? key : { ...key, archived: true }, planning));
  }
  if (!before || before.archived || change.details.length > 0) changes.push(change);
  for (const keyChange of keyChanges) changes.push(keyChange);
  if (before && !planning.losesTexts && isSameGroup(before, wanted, keys)) return before;
  const { name, texts, descriptions } = cleanTexts(wanted, tags);
  const groupUid = before?.groupUid ?? wanted.uid ?? randomUUIDv7();
  return { groupUid, name, texts, descriptions, archived: false, keys };
}

function* planKey(
  found: FoundKey | undefined,
  wanted: WantedKey,
  group: { name: string; before: Group | undefined },
  { languages, tags, losesTexts, changes, nextKeyNo, matching }: Planning,
): Steps<Key> {
  const before = found?.key;
  const isOffered = found && !found.key.archived && !found.group.archived;
  const isMoved = found && found.group !== group.before;
  const isSame = before && isSameKey(before, wanted);
  if (isSame && isOffered && !isMoved && !losesTexts) return before;
  const change: CatalogChange = { kind: 'added', subject: 'key', path: pathOf(group.name, wanted.name), details: [] };
  if (before) {
    change.keyNo = before.keyNo;
    change.details = yield* compareKey(before, wanted, languages, matching);
    if (isMoved) change.details.unshift({ fact: { what: 'group', from: found.group.name, to: group.name } });
    change.kind = !isOffered ? 'restored' : before.name === wanted.name && !isMoved ? 'changed' : 'renamed';
  } else {
    change.details = [{ fact: describeKey(wanted) }];
  }
  if (!isOffered || change.details.length > 0) changes.push(change);
  const { was: _, uid: _uid, ...definition } = cleanTexts(wanted, tags);
  if (isSame && definition.texts === before.texts && definition.values === before.values) {
    if (definition.descriptions === before.descriptions) return before;
  }
  return {
    ...definition,
    keyUid: before?.keyUid ?? wanted.uid ?? randomUUIDv7(),
    keyNo: before?.keyNo ?? nextKeyNo(),
    archived: false,
  };
}

/**
 * Whether a key is unchanged, judged by shared objects: an edit leaves the other keys alone, so only one in thousands
 * has to be compared. Equal content in different objects is found by the full comparison.
 */
function isSameKey(before: Key, wanted: WantedKey): boolean {
  return (
    !before.archived &&
    before.texts === wanted.texts &&
    before.descriptions === wanted.descriptions &&
    before.values === wanted.values &&
    before.constraint === wanted.constraint &&
    before.defaultValue === wanted.defaultValue &&
    before.name === wanted.name &&
    before.type === wanted.type &&
    before.multiple === wanted.multiple &&
    before.minSelected === wanted.minSelected &&
    before.maxSelected === wanted.maxSelected
  );
}

function isSameGroup(before: Group, wanted: WantedGroup, keys: readonly Key[]): boolean {
  return (
    !before.archived &&
    before.texts === wanted.texts &&
    before.descriptions === wanted.descriptions &&
    before.name === wanted.name &&
    before.keys.length === keys.length &&
    before.keys.every((key, index) => key === keys[index])
  );
}

/** With the keys in it, except those moved to another group. */
function* archiveGroup(group: Group, planning: Planning): Steps<Group> {
  yield;
  const { changes, matched } = planning;
  const left = group.keys.filter((key) => !matched.claimed.has(key));
  const keys = yield* mapSteps(left, (key) => leaveKey(key, planning));
  if (!group.archived) {
    changes.push({ kind: 'archived', subject: 'group', path: pathOf(group.name), details: [] });
    for (const key of left) if (!key.archived) changes.push(archivedKey(key, group.name));
  }
  const cleaned = planning.losesTexts ? cleanTexts(group, planning.tags) : group;
  const isSame = group.archived && cleaned === group && keys.length === group.keys.length;
  return isSame && keys.every((key, index) => key === group.keys[index]) ? group : { ...cleaned, archived: true, keys };
}

/** A key that the definition does not name: unchanged, but without texts of removed languages. */
function leaveKey(key: Key, { losesTexts, tags }: Planning): Key {
  return losesTexts ? cleanTexts(key, tags) : key;
}

function archivedKey({ name, keyNo }: Key, groupName: string): CatalogChange {
  const breaking = { keyNo, affects: () => true, onlyWhenChosen: true };
  const details = [{ fact: { what: 'notOffered' } as const, breaking }];
  return { kind: 'archived', subject: 'key', path: pathOf(groupName, name), keyNo, details };
}

/** The default language needs no texts: names stand in for them. */
export function* findMissingTexts(catalog: Catalog): Steps<MissingTexts[]> {
  const found = catalog.languages
    .filter((language) => !language.isDefault)
    .map(({ name, tag }) => ({ tag, language: name, count: 0, missing: [] as string[] }));
  let total = 0;
  for (const { path, texts } of translatable(catalog)) {
    yield;
    total++;
    for (const each of found) {
      if (texts[each.tag] !== undefined) continue;
      if (each.count++ < MISSING_NAMED) each.missing.push(path);
    }
  }
  return found.map(({ tag: _, ...each }) => ({ ...each, total }));
}

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

type Worded = { texts: Texts; descriptions: Texts; values?: AllowedValue[] | null };

/** Drops texts in other languages than these; returns the same object if there are none. */
function cleanTexts<T extends Worded>(item: T, tags: ReadonlySet<string>): T {
  const texts = only(item.texts, tags);
  const descriptions = only(item.descriptions, tags);
  const values = item.values && cleanValues(item.values, tags);
  if (texts === item.texts && descriptions === item.descriptions && values === item.values) return item;
  return { ...item, texts, descriptions, ...(values && { values }) };
}

function cleanValues(values: AllowedValue[], tags: ReadonlySet<string>): AllowedValue[] {
  const cleaned = values.map((value) => {
    const texts = only(value.texts, tags);
    return texts === value.texts ? value : { ...value, texts };
  });
  return cleaned.every((value, index) => value === values[index]) ? values : cleaned;
}

function only(texts: Texts, tags: ReadonlySet<string>): Texts {
  const entries = Object.entries(texts);
  const kept = entries.filter(([tag]) => tags.has(tag));
  return kept.length === entries.length ? texts : Object.fromEntries(kept);
}
