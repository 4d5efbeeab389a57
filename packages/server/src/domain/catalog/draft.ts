import type { Catalog, Language } from './catalog.ts';
import type { CatalogDefinition } from './definition.ts';
import type { CatalogFile, FileGroup, FileKey, FileValue } from './file-schema.ts';
import { readDefinition } from './read-definition.ts';
import { invalidCatalog } from './show-path.ts';
import { toFile } from './to-file.ts';

/**
 * A catalog in the form of its file, to change one thing in it: what is there already is known by its UID, and texts
 * stand under tags, so that languages and items can be renamed. What comes of it is checked like any file.
 */
export type Draft = { languages: CatalogFile['languages']; groups: DraftGroup[] };
export type DraftGroup = { uid?: string; group: Omit<FileGroup, 'keys'>; keys: DraftKey[] };
export type DraftKey = { uid?: string; key: FileKey };

export function draftOf(catalog: Catalog): Draft {
  const file = toFile(catalog);
  const tags = new Map(catalog.languages.map(({ name, tag }) => [name, tag]));
  const byTag = <T extends { translations?: Record<string, string> }>(item: T): T => {
    if (!item.translations) return item;
    const texts = Object.entries(item.translations).map(([name, text]) => [tags.get(name) ?? name, text]);
    return { ...item, translations: Object.fromEntries(texts) };
  };
  const toDraftKey = (key: FileKey): FileKey => ({
    ...byTag(key),
    ...(key.values && { values: key.values.map((value) => (typeof value === 'object' ? byTag(value) : value)) }),
  });
  // In the same order as in the file, which leaves out what is archived.
  const groups = catalog.groups.filter((group) => !group.archived);
  return {
    languages: file.languages,
    groups: groups.map(({ groupUid, keys }, index) => {
      const { keys: fileKeys = [], ...group } = file.groups[index] as FileGroup;
      return {
        uid: groupUid,
        group: byTag(group),
        keys: keys
          .filter((key) => !key.archived)
          .map(({ keyUid }, at) => ({ uid: keyUid, key: toDraftKey(fileKeys[at] as FileKey) })),
      };
    }),
  };
}

/** The definition that a draft makes; what is wrong within `base` is told as seen from there. */
export function readDraft(draft: Draft, base: readonly (string | number)[]): CatalogDefinition {
  const read = readDefinition({
    languages: draft.languages,
    // A group whose keys are no list has them with it still, to be told so.
    groups: draft.groups.map(({ group, keys }) => ({ keys: keys.map(({ key }) => key), ...group })),
  });
  if ('problems' in read) throw invalidCatalog(read.problems, base);
  const { languages, groups } = read.definition;
  return {
    languages,
    groups: groups.map((group, index) => ({
      ...withUid(group, draft.groups[index]?.uid),
      keys: group.keys.map((key, at) => withUid(key, draft.groups[index]?.keys[at]?.uid)),
    })),
  };
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
