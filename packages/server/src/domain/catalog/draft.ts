import type { Catalog, Group, Key, Language } from './catalog.ts';
import { type CatalogDefinition, definitionOf, type WantedGroup } from './definition.ts';
import type { CatalogFile, FileGroup, FileKey, FileValue } from './file-schema.ts';
import { CatalogPatterns } from './pattern.ts';
import { readDefinition } from './read-definition.ts';
import { invalidCatalog } from './show-path.ts';
import { toFile } from './to-file.ts';

/**
 * A catalog in the form of its file, to change one thing in it: what is there already is known by its UID, and texts
 * stand under tags, so that languages and items can be renamed. What comes of it is checked like any file. A group is
 * closed until somebody opens it: what was not touched needs no checking, and a catalog can be large.
 */
export type Draft = { catalog: Catalog; languages: CatalogFile['languages']; groups: (ClosedGroup | OpenGroup)[] };
export type ClosedGroup = { uid: string; closed: Group };
export type OpenGroup = { uid?: string; group: Omit<FileGroup, 'keys'>; keys: DraftKey[] };
export type DraftKey = { uid?: string; key: FileKey };

export function draftOf(catalog: Catalog): Draft {
  return {
    catalog,
    languages: toFile({ ...catalog, groups: [] }).languages,
    groups: catalog.groups.filter((group) => !group.archived).map((group) => ({ uid: group.groupUid, closed: group })),
  };
}

export function openGroup(draft: Draft, index: number): OpenGroup {
  const group = draft.groups[index] as ClosedGroup | OpenGroup;
  if (!('closed' in group)) return group;
  const open = writeGroup(draft.catalog, group.closed);
  draft.groups[index] = open;
  return open;
}

/** A group that is not archived, as the file has it. */
export function writeGroup(catalog: Catalog, group: Group): OpenGroup {
  const tags = new Map(catalog.languages.map(({ name, tag }) => [name, tag]));
  const byTag = <T extends { translations?: Record<string, string> }>(item: T): T => {
    if (!item.translations) return item;
    const texts = Object.entries(item.translations).map(([name, text]) => [tags.get(name) ?? name, text]);
    return { ...item, translations: Object.fromEntries(texts) };
  };
  const writeKey = (key: FileKey): FileKey => ({
    ...byTag(key),
    ...(key.values && { values: key.values.map((value) => (typeof value === 'object' ? byTag(value) : value)) }),
  });
  const { keys = [], ...written } = toFile({ ...catalog, groups: [group] }).groups[0] as FileGroup;
  // In the same order as in the file, which leaves out what is archived.
  const uids = group.keys.filter((key) => !key.archived).map(({ keyUid }) => keyUid);
  return {
    uid: group.groupUid,
    group: byTag(written),
    keys: uids.map((uid, index) => ({ uid, key: writeKey(keys[index] as FileKey) })),
  };
}

/** The definition that a draft makes; what is wrong within `base` is told as seen from there. */
export function readDraft(draft: Draft, base: readonly (string | number)[]): CatalogDefinition {
  const read = readDefinition(
    { languages: draft.languages, groups: draft.groups.map(toFileGroup) },
    patternsOf(draft.groups.flatMap((group) => ('closed' in group ? group.closed.keys : []))),
  );
  if ('problems' in read) throw invalidCatalog(read.problems, base);
  const { languages, groups } = read.definition;
  return { languages, groups: groups.map((group, index) => identify(draft, group, index)) };
}

function patternsOf(keys: readonly Key[]): CatalogPatterns {
  const patterns = new CatalogPatterns();
  for (const { archived, constraint } of keys) {
    if (!archived && constraint.pattern !== undefined) patterns.keep(constraint.pattern);
  }
  return patterns;
}

function toFileGroup(group: ClosedGroup | OpenGroup): unknown {
  // Of a closed one the name alone matters: another must not have it.
  if ('closed' in group) return { name: group.closed.name };
  // A group whose keys are no list has them with it still, to be told so.
  return { keys: group.keys.map(({ key }) => key), ...group.group };
}

function identify(draft: Draft, read: WantedGroup, index: number): WantedGroup {
  const group = draft.groups[index] as ClosedGroup | OpenGroup;
  if ('closed' in group) return definitionOf({ ...draft.catalog, groups: [group.closed] }).groups[0] as WantedGroup;
  return { ...withUid(read, group.uid), keys: read.keys.map((key, at) => withUid(key, group.keys[at]?.uid)) };
}

function withUid<T>(item: T, uid: string | undefined): T & { uid?: string } {
  return { ...item, ...(uid !== undefined && { uid }) };
}

/** A value with its texts at hand: one that had none may be a plain value. */
export function toFileValue(value: NonNullable<FileKey['values']>[number]): FileValue {
  return typeof value === 'object' ? value : { value };
}

export function findLanguage(languages: readonly Pick<Language, 'name' | 'tag'>[], word: string): string | undefined {
  const wanted = word.toLowerCase();
  return languages.find(({ name, tag }) => name.toLowerCase() === wanted || tag.toLowerCase() === wanted)?.tag;
}
