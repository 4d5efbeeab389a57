import type { Steps } from '../../slices.ts';
import type { Texts } from '../catalog.ts';
import type { Edit } from '../edit-catalog.ts';
import { canonicalTag } from '../read-definition.ts';
import { openGroup, openKey, toFileValue, type WorkingCopy } from '../working-copy.ts';

/**
 * Sets the whole list, in order. Languages are identified by tag: one that is missing from the list is removed with its
 * texts.
 */
export function setLanguages(languages: unknown): Edit {
  return function* (copy) {
    copy.languages = languages as WorkingCopy['languages'];
    yield* dropTexts(copy, new Set(tagsOf(languages)));
    return [];
  };
}

function tagsOf(languages: unknown): string[] {
  if (!Array.isArray(languages)) return [];
  return languages.flatMap((language) => {
    const tag: unknown = language?.tag;
    return typeof tag === 'string' ? [canonicalTag(tag) ?? tag] : [];
  });
}

function* dropTexts(copy: WorkingCopy, kept: ReadonlySet<string>): Steps<void> {
  const clean = <T extends { translations?: Texts; descriptions?: Texts }>(item: T): T => {
    const cleaned = { ...item };
    for (const member of ['translations', 'descriptions'] as const) {
      const texts = Object.entries(item[member] ?? {}).filter(([tag]) => kept.has(tag));
      if (texts.length > 0) cleaned[member] = Object.fromEntries(texts);
      else delete cleaned[member];
    }
    return cleaned;
  };
  for (const index of copy.groups.keys()) {
    const group = openGroup(copy, index);
    group.group = clean(group.group);
    for (const at of group.keys.keys()) {
      yield;
      const key = openKey(copy, group, at);
      const values = key.key.values?.map((value) => (typeof value === 'object' ? clean(toFileValue(value)) : value));
      key.key = { ...clean(key.key), ...(values && { values }) };
    }
  }
}
