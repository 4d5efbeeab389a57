import { randomUUIDv7 } from 'node:crypto';
import { mapSteps, type Steps } from '../slices.ts';
import type { Catalog, Group, Key, Language } from './catalog.ts';
import type { CatalogChange, ChangeFact } from './change.ts';
import { compareGroup, compareKey, compareLanguages, describeKey, isReordered, listed } from './compare.ts';
import type { CatalogDefinition, WantedGroup, WantedKey } from './definition.ts';
import { pathOf, translatable } from './translatable.ts';

export type CatalogPlan = {
  /** What the catalog becomes; its revision is the one after the current. */
  next: Catalog;
  changes: CatalogChange[];
  notes: PlanNote[];
};

/** New keys are numbered from here, or after the last one. */
export type PlanOptions = { keyNosFrom?: number };

/** What does as it says and may not be what was meant. */
export type PlanNote = { path: string; text: string };

/** Texts that a language has not got yet: how many, and the paths of the first. */
export type MissingTexts = { language: string; total: number; count: number; missing: string[] };

/** In two hundred languages, all of them would be more than fits into memory. */
const MISSING_NAMED = 1_000;

/** What it takes to make the catalog what the definition wants. Pure: nothing is written. */
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

  const known = createMatcher(current.groups, ({ groupUid }) => groupUid, wanted.groups);
  const kept = new Set<Group>();
  const groups: Group[] = [];
  for (const group of wanted.groups) {
    yield;
    const before = known(group);
    if (before) kept.add(before);
    else notes.push(...noteUnknownName(group, 'group', pathOf(group.name)));
    groups.push(yield* planGroup(before, group, { languages: wanted.languages, changes, notes, nextKeyNo }));
  }
  const order = groups.map(({ groupUid }) => groupUid);
  for (const group of current.groups) {
    if (!kept.has(group)) groups.push(yield* archiveGroup(group, changes));
  }
  if (isReordered(liveUids(current.groups), order)) {
    const fact: ChangeFact = { what: 'order', ...listed(wanted.groups.map(({ name }) => name)) };
    changes.push({ kind: 'changed', subject: 'group', path: 'groups', details: [{ fact }] });
  }

  return { next: { revision: current.revision + 1, languages: wanted.languages, groups }, changes, notes };
}

/** A name that `was` there nowhere: misspelt, perhaps, and what was to be renamed is archived. */
function noteUnknownName({ was }: { was?: string }, what: 'group' | 'key', path: string): PlanNote[] {
  return was === undefined ? [] : [{ path, text: `was ${was}: no ${what} had that name here, so this one is new` }];
}

function liveUids(groups: Group[]): string[] {
  return groups.filter((group) => !group.archived).map(({ groupUid }) => groupUid);
}

/**
 * Finds what is meant of what there is: by UID, by name, by the name it had. What is archived is looked
 * at last, so that something can be renamed to a name that was used before.
 */
function createMatcher<T extends { name: string; archived: boolean }>(
  items: readonly T[],
  uidOf: (item: T) => string,
  wanted: readonly { uid?: string }[],
): (wanted: { uid?: string; name: string; was?: string }) => T | undefined {
  const claimed = new Set(wanted.flatMap(({ uid }) => (uid === undefined ? [] : [uid])));
  const byUid = new Map(items.map((item) => [uidOf(item), item]));
  const free = items.filter((item) => !claimed.has(uidOf(item)));
  const live = new Map(free.filter((item) => !item.archived).map((item) => [item.name, item]));
  // Of several with one name, the one that came last.
  const archived = new Map(free.filter((item) => item.archived).map((item) => [item.name, item]));
  return ({ uid, name, was = name }) =>
    (uid === undefined ? undefined : byUid.get(uid)) ??
    live.get(name) ??
    live.get(was) ??
    archived.get(name) ??
    archived.get(was);
}

/** What is gathered on the way. */
type Planning = { languages: Language[]; changes: CatalogChange[]; notes: PlanNote[]; nextKeyNo: () => number };

function* planGroup(before: Group | undefined, wanted: WantedGroup, planning: Planning): Steps<Group> {
  const { languages, changes, notes } = planning;
  const change: CatalogChange = { kind: 'added', subject: 'group', path: pathOf(wanted.name), details: [] };
  if (before) {
    change.details = compareGroup(before, wanted, languages);
    change.kind = before.archived ? 'restored' : before.name === wanted.name ? 'changed' : 'renamed';
  }
  const keyChanges: CatalogChange[] = [];
  const keysBefore = before?.keys ?? [];
  const known = createMatcher(keysBefore, ({ keyUid }) => keyUid, wanted.keys);
  const kept = new Set<Key>();
  const keys: Key[] = [];
  for (const key of wanted.keys) {
    yield;
    const keyBefore = known(key);
    if (keyBefore) kept.add(keyBefore);
    else notes.push(...noteUnknownName(key, 'key', pathOf(wanted.name, key.name)));
    keys.push(planKey(keyBefore, key, wanted.name, { ...planning, changes: keyChanges }));
  }
  const live = keysBefore.filter((key) => !key.archived).map(({ keyNo }) => keyNo);
  const order = keys.map(({ keyNo }) => keyNo);
  if (isReordered(live, order)) {
    change.details.push({ fact: { what: 'orderOfKeys', ...listed(wanted.keys.map(({ name }) => name)) } });
  }
  for (const key of keysBefore) {
    if (!kept.has(key)) keys.push(archiveKey(key, wanted.name, keyChanges));
  }
  if (!before || before.archived || change.details.length > 0) changes.push(change);
  for (const keyChange of keyChanges) changes.push(keyChange);
  if (before && isSameGroup(before, wanted, keys)) return before;
  return {
    groupUid: before?.groupUid ?? wanted.uid ?? randomUUIDv7(),
    name: wanted.name,
    texts: wanted.texts,
    archived: false,
    keys,
  };
}

function planKey(
  before: Key | undefined,
  wanted: WantedKey,
  groupName: string,
  { languages, changes, nextKeyNo }: Planning,
): Key {
  if (before && isSameKey(before, wanted)) return before;
  const { was: _, uid: _uid, ...definition } = wanted;
  const change: CatalogChange = { kind: 'added', subject: 'key', path: pathOf(groupName, wanted.name), details: [] };
  if (before) {
    change.keyNo = before.keyNo;
    change.details = compareKey(before, wanted, languages);
    change.kind = before.archived ? 'restored' : before.name === wanted.name ? 'changed' : 'renamed';
  } else {
    change.details = [{ fact: describeKey(wanted) }];
  }
  if (!before || before.archived || change.details.length > 0) changes.push(change);
  return {
    ...definition,
    keyUid: before?.keyUid ?? wanted.uid ?? randomUUIDv7(),
    keyNo: before?.keyNo ?? nextKeyNo(),
    archived: false,
  };
}

/**
 * Whether it is wanted as it is, told by what both share: an edit leaves alone what it is not about, and of
 * thousands of keys one alone has to be compared. What is equal in other objects is compared in words.
 */
function isSameKey(before: Key, wanted: WantedKey): boolean {
  return (
    !before.archived &&
    before.texts === wanted.texts &&
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
    before.name === wanted.name &&
    before.keys.length === keys.length &&
    before.keys.every((key, index) => key === keys[index])
  );
}

function* archiveGroup(group: Group, changes: CatalogChange[]): Steps<Group> {
  yield;
  if (group.archived && group.keys.every((key) => key.archived)) return group;
  if (!group.archived) changes.push({ kind: 'archived', subject: 'group', path: pathOf(group.name), details: [] });
  const keys = yield* mapSteps(group.keys, (key) => archiveKey(key, group.name, changes));
  return { ...group, archived: true, keys };
}

function archiveKey(key: Key, groupName: string, changes: CatalogChange[]): Key {
  if (key.archived) return key;
  const { keyNo } = key;
  const breaking = { keyNo, touches: () => true, onlyWhenChosen: true };
  const details = [{ fact: { what: 'notOffered' } as const, breaking }];
  changes.push({ kind: 'archived', subject: 'key', path: pathOf(groupName, key.name), keyNo, details });
  return { ...key, archived: true };
}

/** The default language needs no text of its own: names stand in for it. */
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
