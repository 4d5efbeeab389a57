import type { Catalog, Group, Key, Language } from './catalog.ts';
import { type CatalogDefinition, type WantedGroup, type WantedKey, wantedGroupOf, wantedKeyOf } from './definition.ts';
import type { CatalogFile, FileGroup, FileKey, FileValue } from './file-schema.ts';
import { CatalogPatterns } from './pattern.ts';
import { readDefinition } from './read-definition.ts';
import { invalidCatalog } from './show-path.ts';
import { toFile } from './to-file.ts';

/**
 * A catalog in the form of its file, to change one thing in it: what is there already is known by its UID, and texts
 * stand under tags, so that languages and items can be renamed. What comes of it is checked like any file. A group or
 * key is closed until somebody opens it: what was not touched needs no checking, and a catalog can be large.
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
    languages: toFile({ ...catalog, groups: [] }).languages,
    groups: catalog.groups.filter((group) => !group.archived).map((group) => ({ uid: group.groupUid, closed: group })),
  };
}

export function openGroup(copy: WorkingCopy, index: number): OpenGroup {
  const group = copy.groups[index] as ClosedGroup | OpenGroup;
  if (!('closed' in group)) return group;
  const { keys: _, ...written } = writeGroup(copy.catalog, { ...group.closed, keys: [] });
  const keys = group.closed.keys.filter((key) => !key.archived).map((key) => ({ uid: key.keyUid, closed: key }));
  const open = { uid: group.uid, group: written, keys };
  copy.groups[index] = open;
  return open;
}

export function openKey(copy: WorkingCopy, { keys }: OpenGroup, index: number): OpenKey {
  const key = keys[index] as ClosedKey | OpenKey;
  if (!('closed' in key)) return key;
  const alone = { groupUid: '', name: '', texts: {}, archived: false, keys: [key.closed] };
  const open = { uid: key.uid, key: writeGroup(copy.catalog, alone).keys?.[0] as FileKey };
  keys[index] = open;
  return open;
}

/** As the file has it, with texts under tags. */
function writeGroup(catalog: Catalog, group: Group): FileGroup {
  const languages = catalog.languages.map((language) => ({ ...language, name: language.tag }));
  return toFile({ ...catalog, languages, groups: [group] }).groups[0] as FileGroup;
}

export function nameOf(item: ClosedGroup | OpenGroup | ClosedKey | OpenKey): string {
  if ('closed' in item) return item.closed.name;
  return 'group' in item ? item.group.name : item.key.name;
}

/** The definition that a copy makes; what is wrong within `base` is told as seen from there. */
export function readWorkingCopy(copy: WorkingCopy, base: readonly (string | number)[]): CatalogDefinition {
  const read = readDefinition({ languages: copy.languages, groups: copy.groups.map(toFileGroup) }, patternsOf(copy));
  if ('problems' in read) throw invalidCatalog(read.problems, base);
  const { languages, groups } = read.definition;
  return { languages, groups: groups.map((group, index) => identifyGroup(copy.groups[index], group)) };
}

/** Of what is closed: they count with those that are checked. */
function patternsOf({ groups }: WorkingCopy): CatalogPatterns {
  const patterns = new CatalogPatterns();
  const keys = groups.flatMap((group) =>
    'closed' in group ? group.closed.keys : group.keys.flatMap((key) => ('closed' in key ? [key.closed] : [])),
  );
  for (const { archived, constraint } of keys) {
    if (!archived && constraint.pattern !== undefined) patterns.keep(constraint.pattern);
  }
  return patterns;
}

function toFileGroup(group: ClosedGroup | OpenGroup): unknown {
  // Of what is closed the name alone matters: another must not have it.
  if ('closed' in group) return { name: group.closed.name };
  const keys = group.keys.map((key) => ('closed' in key ? { name: key.closed.name, type: key.closed.type } : key.key));
  // A group whose keys are no list has them with it still, to be told so.
  return { keys, ...group.group };
}

function identifyGroup(group: ClosedGroup | OpenGroup | undefined, read: WantedGroup): WantedGroup {
  if (group && 'closed' in group) return wantedGroupOf(group.closed);
  return { ...withUid(read, group?.uid), keys: read.keys.map((key, at) => identifyKey(group?.keys[at], key)) };
}

function identifyKey(key: ClosedKey | OpenKey | undefined, read: WantedKey): WantedKey {
  return key && 'closed' in key ? wantedKeyOf(key.closed) : withUid(read, key?.uid);
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
