import type { Steps } from '../../slices.ts';
import type { Texts } from '../catalog.ts';
import type { Edit } from '../edit-catalog.ts';
import { canonicalTag } from '../languages.ts';
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

type LanguageSuggestion = {
  tag: string;
  /** In the language itself, as its speakers look for it. */
  name: string;
  englishName: string;
};

/**
 * The name of a language; undefined if the text is not a BCP 47 tag. A language without a known name is called by its
 * tag.
 */
export function suggestLanguage(word: string): LanguageSuggestion | undefined {
  const tag = canonicalTag(word);
  if (tag === undefined) return undefined;
  // Extensions (-u-, -t-, -x-) say how a language is written, not which it is: name it without them.
  const { baseName } = new Intl.Locale(tag);
  const own = new Intl.DisplayNames([baseName], { type: 'language' }).of(baseName) ?? tag;
  const englishName = new Intl.DisplayNames(['en'], { type: 'language' }).of(baseName) ?? tag;
  const [first = '', ...rest] = [...own];
  return { tag, name: first.toLocaleUpperCase(tag) + rest.join(''), englishName };
}
