import { inNfc } from '../../nfc.ts';
import type { Steps } from '../slices.ts';
import type {
  AllowedValue,
  Catalog,
  Group,
  GroupDefinition,
  Key,
  KeyDefinition,
  Language,
  Scalar,
  Texts,
} from './catalog.ts';
import { type Affects, type CatalogChange, type ChangeDetail, type ChangeFact, type FactKind, show } from './change.ts';
import { MAX_TEXT } from './check-value.ts';
import type { CatalogDefinition, WantedGroup, WantedKey } from './definition.ts';
import type { PlanMatching } from './plan-matching.ts';
import { toFileConstraint } from './to-file.ts';
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
    new Map(items.filter((each) => each.archived === archived).map(({ name, item }) => [inNfc(name), item]));
  const [live, archived] = [tableOf(false), tableOf(true)];
  return {
    find(name, was = name) {
      const [now, before] = [inNfc(name), inNfc(was)];
      return live.get(now) ?? live.get(before) ?? archived.get(now) ?? archived.get(before);
    },
  };
}

export function compareLanguages(before: Language[], after: Language[]): CatalogChange[] {
  const known = new Map(before.map((language) => [language.tag, language]));
  const changes: CatalogChange[] = [];
  const add = (kind: CatalogChange['kind'], path: string, fact: ChangeFact) =>
    changes.push({ kind, subject: 'language', path, details: [{ fact }] });

  for (const language of after) {
    const old = known.get(language.tag);
    if (!old) add('added', language.name, { what: language.isDefault ? 'tagOfDefault' : 'tag', to: language.tag });
    else if (old.name !== language.name)
      add('renamed', language.name, { what: 'name', from: old.name, to: language.name });
    if (old && language.isDefault && !old.isDefault) add('changed', language.name, { what: 'becomesDefault' });
  }
  const wanted = new Set(after.map((language) => language.tag));
  for (const { tag, name } of before) {
    if (!wanted.has(tag)) add('removed', name, { what: 'notServed' });
  }
  const order = after.map(({ tag }) => tag);
  if (
    isReordered(
      before.map(({ tag }) => tag),
      order,
    )
  ) {
    add('changed', 'languages', { what: 'order', ...listed(order) });
  }
  return changes;
}

/** Whether the elements in both lists are in a different order. */
export function isReordered(before: readonly unknown[], after: readonly unknown[]): boolean {
  const inAfter = new Set(after);
  const inBefore = new Set(before);
  const kept = before.filter((item) => inAfter.has(item));
  return after.filter((item) => inBefore.has(item)).some((item, place) => item !== kept[place]);
}

export function compareGroup(before: Group, after: GroupDefinition, languages: Language[]): ChangeDetail[] {
  return [...nameDetail(before.name, after.name), ...textDetails(before, after, languages)];
}

export function* compareKey(
  before: Key,
  after: KeyDefinition,
  languages: Language[],
  matching: PlanMatching,
): Steps<ChangeDetail[]> {
  const { keyNo } = before;
  const details: ChangeDetail[] = [...nameDetail(before.name, after.name)];
  const changed = (what: FactKind, from: unknown, to: unknown, affects?: Affects): void => {
    if (show(from) === show(to)) return;
    details.push({ fact: { what, from, to }, ...(affects && { breaking: { keyNo, affects } }) });
  };

  const { minSelected: min, maxSelected: max, constraint } = after;
  changed('type', before.type, after.type, everyone);
  changed('multiple', before.multiple, after.multiple, everyone);
  if (before.multiple && after.multiple) {
    changed('min', before.minSelected, min, min > before.minSelected ? ({ length }) => length < min : undefined);
    const isLess = max !== null && (before.maxSelected === null || max < before.maxSelected);
    changed('max', before.maxSelected, max, isLess ? ({ length }) => length > max : undefined);
  }
  changed('default', before.defaultValue, after.defaultValue);
  changed(
    'constraint',
    toFileConstraint(before.constraint) ?? null,
    toFileConstraint(constraint) ?? null,
    // Keys with a list of allowed values are described below.
    before.values || after.values || isWider(before.constraint, constraint)
      ? undefined
      : (chosen) => matching.refusesAny(constraint, chosen),
  );
  // Not pushed: there can be more than a call can take as arguments.
  const ofValues = yield* valueDetails(before, after, languages, matching);
  return [...details, ...ofValues, ...textDetails(before, after, languages)];
}

export function describeKey(key: KeyDefinition): ChangeFact {
  const { type, multiple, minSelected, maxSelected, values, defaultValue } = key;
  const constraint = toFileConstraint(key.constraint);
  const { to, more } = listed(values && type !== 'boolean' ? values.map(({ value }) => value) : []);
  return {
    what: 'key',
    to: {
      type,
      ...(multiple && { multiple, min: minSelected, ...(maxSelected !== null && { max: maxSelected }) }),
      ...(defaultValue !== null && { default: defaultValue }),
      ...(to.length > 0 && { values: to }),
      ...(constraint && { constraint }),
    },
    ...(more !== undefined && { more }),
  };
}

const LISTED = 20;

/** The first few of many. */
export function listed<T>(items: readonly T[]): { to: T[]; more?: number } {
  const more = items.length - LISTED;
  return { to: items.slice(0, LISTED), ...(more > 0 && { more }) };
}

function everyone(): boolean {
  return true;
}

function nameDetail(before: string, after: string): ChangeDetail[] {
  return before === after ? [] : [{ fact: { what: 'name', from: before, to: after } }];
}

/**
 * Whether everything that was allowed still is. Patterns and steps cannot be compared, so a new one counts as narrower.
 */
function isWider(before: Key['constraint'], after: Key['constraint']): boolean {
  if (after.pattern !== undefined && after.pattern !== before.pattern) return false;
  // Steps are counted from min.
  if (after.step !== undefined && (after.step !== before.step || after.min !== before.min)) return false;
  if (after.min !== undefined && (before.min === undefined || after.min > before.min)) return false;
  if (after.max !== undefined && (before.max === undefined || after.max < before.max)) return false;
  return (after.maxLength ?? MAX_TEXT) >= (before.maxLength ?? MAX_TEXT);
}

function* valueDetails(
  before: Key,
  after: KeyDefinition,
  languages: Language[],
  matching: PlanMatching,
): Steps<ChangeDetail[]> {
  const { keyNo } = before;
  if (before.type !== after.type || before.values === null || after.values === null) {
    return yield* describeNewValues(before, after, matching);
  }
  const details: ChangeDetail[] = [];
  const known = new Map(before.values.map((value) => [value.value, value]));
  for (const value of after.values) {
    const old = known.get(value.value);
    if (old) details.push(...compareValue(old, value, languages));
    else details.push({ fact: { what: value.retired ? 'valueAddedRetired' : 'valueAdded', value: value.value } });
    known.delete(value.value);
  }
  for (const value of known.keys()) {
    const affects = (chosen: Scalar[]) => chosen.includes(value);
    details.push({ fact: { what: 'valueRemoved', value }, breaking: { keyNo, affects } });
  }
  const order = after.values.map(({ value }) => value);
  if (
    isReordered(
      before.values.map(({ value }) => value),
      order,
    )
  ) {
    details.push({ fact: { what: 'orderOfValues', ...listed(order) } });
  }
  return details;
}

/** For values that cannot be compared one by one: the type changed, or the key became open or closed. */
function* describeNewValues(before: Key, after: KeyDefinition, matching: PlanMatching): Steps<ChangeDetail[]> {
  const { keyNo } = before;
  if (after.values === null) {
    if (before.values === null) return [];
    const fact: ChangeFact = { what: 'takesAny' };
    if (before.type !== after.type) return [{ fact }];
    const { constraint } = after;
    if (!(yield* matching.refusesListed(constraint, before.values))) return [{ fact }];
    return [{ fact, breaking: { keyNo, affects: (chosen) => matching.refusesAny(constraint, chosen) } }];
  }
  const allowed = new Set(after.values.map(({ value }) => value));
  const fact: ChangeFact = { what: 'takesOnly', ...listed([...allowed]) };
  // A new type breaks everything, which is reported once.
  if (before.type !== after.type) return [{ fact }];
  return [{ fact, breaking: { keyNo, affects: (chosen) => chosen.some((value) => !allowed.has(value)) } }];
}

function compareValue(before: AllowedValue, after: AllowedValue, languages: Language[]): ChangeDetail[] {
  const { value } = after;
  const details: ChangeDetail[] = [];
  // Not breaking: users who have it keep it. This is the gentle way to remove a value.
  if (after.retired && !before.retired) details.push({ fact: { what: 'valueRetired', value } });
  else if (before.retired && !after.retired) details.push({ fact: { what: 'valueBack', value } });
  const { replacement: from = null } = before;
  const { replacement: to = null } = after;
  if (from !== to) details.push({ fact: { what: 'replacement', value, from, to } });
  return [...details, ...compareTexts('text', before.texts, after.texts, languages, value)];
}

type Worded = { texts: Texts; descriptions: Texts };

function textDetails(before: Worded, after: Worded, languages: Language[]): ChangeDetail[] {
  return [
    ...compareTexts('text', before.texts, after.texts, languages),
    ...compareTexts('description', before.descriptions, after.descriptions, languages),
  ];
}

/** Texts of a removed language are not listed one by one: the language itself is. */
function compareTexts(
  what: 'text' | 'description',
  before: Texts,
  after: Texts,
  languages: Language[],
  value?: Scalar,
): ChangeDetail[] {
  return languages
    .filter(({ tag }) => before[tag] !== after[tag])
    .map(({ name: language, tag }) => {
      const texts = { language, from: before[tag] ?? null, to: after[tag] ?? null };
      return { fact: { what, ...(value !== undefined && { value }), ...texts } };
    });
}
