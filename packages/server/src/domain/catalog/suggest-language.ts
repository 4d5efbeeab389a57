import { canonicalTag } from './read-definition.ts';

export type LanguageSuggestion = {
  tag: string;
  /** In the language itself, as its speakers look for it. */
  name: string;
  englishName: string;
};

/** What to call a language; undefined for what is not a BCP 47 tag. One that nobody has named is called by its tag. */
export function suggestLanguage(word: string): LanguageSuggestion | undefined {
  const tag = canonicalTag(word);
  if (tag === undefined) return undefined;
  // Extensions (-u-, -t-, -x-) say how to write a language, not which: it has its name without them.
  const { baseName } = new Intl.Locale(tag);
  const own = new Intl.DisplayNames([baseName], { type: 'language' }).of(baseName) ?? tag;
  const englishName = new Intl.DisplayNames(['en'], { type: 'language' }).of(baseName) ?? tag;
  const [first = '', ...rest] = [...own];
  return { tag, name: first.toLocaleUpperCase(tag) + rest.join(''), englishName };
}
