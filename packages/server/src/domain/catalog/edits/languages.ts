import { type Draft, openGroup, toFileValue } from '../draft.ts';
import type { Edit } from '../edit-catalog.ts';
import { canonicalTag } from '../read-definition.ts';

/** The whole list, in order. A language is known by its tag: one that is no longer named takes its texts along. */
export function setLanguages(languages: unknown): Edit {
  return (draft) => {
    draft.languages = languages as Draft['languages'];
    dropTexts(draft, new Set(tagsOf(languages)));
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

function dropTexts(draft: Draft, kept: ReadonlySet<string>): void {
  const clean = <T extends { translations?: Record<string, string> }>({ translations, ...item }: T) => {
    const texts = Object.entries(translations ?? {}).filter(([tag]) => kept.has(tag));
    return { ...item, ...(texts.length > 0 && { translations: Object.fromEntries(texts) }) } as T;
  };
  for (const index of draft.groups.keys()) {
    const group = openGroup(draft, index);
    group.group = clean(group.group);
    for (const key of group.keys) {
      const values = key.key.values?.map((value) => (typeof value === 'object' ? clean(toFileValue(value)) : value));
      key.key = { ...clean(key.key), ...(values && { values }) };
    }
  }
}
