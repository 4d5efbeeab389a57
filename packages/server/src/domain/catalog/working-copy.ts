import type { Steps } from '../slices.ts';
import type { Catalog, Group, Key, Language } from './catalog.ts';
import { type CatalogDefinition, type WantedGroup, type WantedKey, wantedGroupOf, wantedKeyOf } from './definition.ts';
import type { CatalogFile, FileGroup, FileKey, FileValue } from './file-schema.ts';
import { createLanguages } from './languages.ts';
import { CatalogPatterns, type KnownMatches } from './pattern.ts';
import { knownOf, readDefinition, sizeProblem } from './read-definition.ts';
import { invalidCatalog } from './source.ts';
import { toFileKey, toFileLanguages, wording } from './to-file.ts';

/**
 * A catalog in the form of its file, for changing one thing in it. Existing items are identified by UID, and texts by
 * language tag, so that languages and items can be renamed. The result is checked like any file. A group or key is
 * closed until something opens it: unchanged items need no checking, and a catalog can be large.
 */
export type WorkingCopy = {
  catalog: Catalog;
  languages: CatalogFile['languages'];
  groups: (ClosedGroup | OpenGroup)[];
};
export type ClosedGroup = { uid: string; closed: Group };
export type OpenGroup = { uid?: string; group: Omit<FileGroup, 'keys'>; keys: (ClosedKey | OpenKey)[] };
export type ClosedKey = { uid: string; closed: Key };
export type OpenKey = { uid?: string; key: FileKey };

export function workingCopyOf(catalog: Catalog): WorkingCopy {
  return {
    catalog,
    languages: toFileLanguages(catalog.languages),
    groups: catalog.groups.filter((group) => !group.archived).map((group) => ({ uid: group.groupUid, closed: group })),
  };
}

export function openGroup(copy: WorkingCopy, index: number): OpenGroup {
  const group = copy.groups[index] as ClosedGroup | OpenGroup;
  if (!('closed' in group)) return group;
  const written = { name: group.closed.name, ...wording(group.closed, byTag(copy.catalog)) };
  const keys = group.closed.keys.filter((key) => !key.archived).map((key) => ({ uid: key.keyUid, closed: key }));
  const open = { uid: group.uid, group: written, keys };
  copy.groups[index] = open;
  return open;
}

export function openKey(copy: WorkingCopy, { keys }: OpenGroup, index: number): OpenKey {
  const key = keys[index] as ClosedKey | OpenKey;
  if (!('closed' in key)) return key;
  const open = { uid: key.uid, key: toFileKey(key.closed, byTag(copy.catalog)) };
  keys[index] = open;
  return open;
}

/** In a copy, texts are by tag. */
function byTag({ languages }: Catalog): Language[] {
  return languages.map((language) => ({ ...language, name: language.tag }));
}

export function nameOf(item: ClosedGroup | OpenGroup | ClosedKey | OpenKey): string {
  if ('closed' in item) return item.closed.name;
  return 'group' in item ? item.group.name : item.key.name;
}

/** The definition of a copy; problems within `base` are reported relative to it. */
export function* readWorkingCopy(
  copy: WorkingCopy,
  base: readonly (string | number)[],
  known?: KnownMatches,
): Steps<CatalogDefinition> {
  refuseGrowth(copy);
  const file = { languages: copy.languages, groups: copy.groups.map(toFileGroup) };
  const read = yield* readDefinition(file, {
    patterns: yield* patternsOf(copy, known),
    known: knownOf(copy.catalog),
  });
  if ('problems' in read) throw invalidCatalog(read.problems, base);
  const { languages, groups: readGroups } = read.definition;
  const groups: WantedGroup[] = [];
  for (const [index, group] of readGroups.entries()) groups.push(yield* identifyGroup(copy.groups[index], group));
  return { languages, groups };
}

/** Closed items count too. A catalog that was already too large can be edited, but not grow. */
function refuseGrowth({ catalog, groups }: WorkingCopy): void {
  const before = sizeOf(catalog.groups.filter((group) => !group.archived).map(({ keys }) => keys));
  const after = sizeOf(
    groups.map((group) =>
      'closed' in group ? group.closed.keys : group.keys.map((key) => ('closed' in key ? key.closed : key.key)),
    ),
  );
  const problem = after.keys > before.keys || after.values > before.values ? sizeProblem(after) : undefined;
  if (problem !== undefined) throw invalidCatalog([{ path: ['groups'], message: problem }]);
}

function sizeOf(groups: readonly (readonly (Key | FileKey)[])[]): { keys: number; values: number } {
  const size = { keys: 0, values: 0 };
  for (const key of groups.flat()) {
    if ('archived' in key && key.archived) continue;
    size.keys++;
    // Input was not checked yet and can be anything.
    if (Array.isArray(key?.values)) size.values += key.values.length;
  }
  return size;
}

/** The keys that are checked with the copy. */
export function openKeys({ groups }: WorkingCopy): FileKey[] {
  return groups.flatMap((group) =>
    'closed' in group ? [] : group.keys.flatMap((key) => ('closed' in key ? [] : [key.key])),
  );
}

/** Patterns of closed items: they count together with those that are checked. */
function* patternsOf({ groups }: WorkingCopy, known: KnownMatches | undefined): Steps<CatalogPatterns> {
  const patterns = new CatalogPatterns(known);
  const keys = groups.flatMap((group) =>
    'closed' in group ? group.closed.keys : group.keys.flatMap((key) => ('closed' in key ? [key.closed] : [])),
  );
  for (const { archived, constraint } of keys) {
    yield;
    if (!archived && constraint.pattern !== undefined) patterns.keep(constraint.pattern);
  }
  return patterns;
}

function toFileGroup(group: ClosedGroup | OpenGroup): unknown {
  // Of a closed item only the name matters: no other may have it.
  if ('closed' in group) return { name: group.closed.name };
  const keys = group.keys.map((key) => ('closed' in key ? { name: key.closed.name, type: key.closed.type } : key.key));
  // If a group's keys are not a list, leave them in place, so that the check reports them.
  return { keys, ...group.group };
}

function* identifyGroup(group: ClosedGroup | OpenGroup | undefined, read: WantedGroup): Steps<WantedGroup> {
  if (group && 'closed' in group) return yield* wantedGroupOf(group.closed);
  yield;
  return { ...withUid(read, group?.uid), keys: read.keys.map((key, at) => identifyKey(group?.keys[at], key)) };
}

function identifyKey(key: ClosedKey | OpenKey | undefined, read: WantedKey): WantedKey {
  return key && 'closed' in key ? wantedKeyOf(key.closed) : withUid(read, key?.uid);
}

function withUid<T>(item: T, uid: string | undefined): T & { uid?: string } {
  return { ...item, ...(uid !== undefined && { uid }) };
}

/** A value as an object that can have texts; it may have been plain. */
export function toFileValue(value: NonNullable<FileKey['values']>[number]): FileValue {
  return typeof value === 'object' ? value : { value };
}

/** A lookup from names to tags, for many words. */
export function tagFinder(languages: readonly Pick<Language, 'name' | 'tag'>[]): (word: string) => string | undefined {
  const { find } = createLanguages(languages.map((language) => ({ ...language, isDefault: false })));
  return (word) => find(word)?.tag;
}
