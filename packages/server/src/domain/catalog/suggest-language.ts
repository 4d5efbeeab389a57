import { canonicalTag } from './read-definition.ts';

export type LanguageSuggestion = {
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
