import { inNfc } from '../../nfc.ts';
import type { Language } from './catalog.ts';

/** The languages of one catalog: finding and choosing one, and the fallback for missing texts. */
export type Languages = {
  all: readonly Language[];
  byDefault: Language | undefined;
  /** By name or tag, in any case, or by a longer tag: `de-AT` finds `de` (RFC 4647 lookup). */
  find(nameOrTag: string): Language | undefined;
  /** What Accept-Language asks for, else the default. Instead of a tag, it may have a name, percent-encoded. */
  negotiate(acceptLanguage: string | undefined): Language | undefined;
  /** The languages whose texts are shown where one of this language is missing, in order: its bases, then the default. */
  fallbacksOf(tag: string): readonly string[];
  /** The text in that language, else in its base language, else in the default, else the name. */
  textFor<Text = string>(
    texts: Readonly<Record<string, Text>>,
    language: Language | undefined,
    name: Text,
  ): { text: Text; language: string | null };
};

export function createLanguages(all: readonly Language[]): Languages {
  const byDefault = all.find((language) => language.isDefault) ?? all[0];
  const byWord = new Map(
    all.flatMap((language) => [
      [fold(language.tag), language],
      [fold(language.name), language],
    ]),
  );
  const byTag = new Map(all.map((language) => [language.tag, language]));
  const byLowerTag = new Map(all.map((language) => [language.tag.toLowerCase(), language]));
  const bases = new Map<string, readonly string[]>();
  // A tag can have fifty bases, and most are not languages of the catalog: texts are looked up for every value.
  const basesOf = (tag: string) => {
    const known = bases.get(tag) ?? basesAmong(byTag, tag);
    bases.set(tag, known);
    return known;
  };
  const longestTag = Math.max(0, ...all.map(({ tag }) => tag.length));

  return {
    all,
    byDefault,
    find(nameOrTag) {
      const word = fold(nameOrTag);
      return byWord.get(word) ?? (TAG.test(word) ? findPrefix(byLowerTag, word, longestTag) : undefined);
    },
    negotiate(acceptLanguage) {
      for (const range of acceptLanguage === undefined ? [] : readRanges(acceptLanguage)) {
        if (range === '*') return byDefault;
        const language = findPrefix(byLowerTag, range, longestTag) ?? byWord.get(nameOf(range));
        if (language) return language;
      }
      return byDefault;
    },
    fallbacksOf: (tag) => [...basesOf(tag), ...(byDefault ? [byDefault.tag] : [])],
    textFor(texts, language, name) {
      const own = language && texts[language.tag];
      if (own !== undefined) return { text: own, language: byTag.get(language?.tag ?? '')?.name ?? null };
      for (const tag of language?.tag.includes('-') ? basesOf(language.tag) : []) {
        const text = texts[tag];
        if (text !== undefined) return { text, language: byTag.get(tag)?.name ?? null };
      }
      const text = byDefault && texts[byDefault.tag];
      if (text !== undefined) return { text, language: (byDefault as Language).name };
      return { text: name, language: null };
    },
  };
}

/** The form of a language tag, after folding: subtags of letters and digits. */
const TAG = /^[a-z]{1,8}(?:-[a-z0-9]{1,8})*$/;

/**
 * RFC 4647 3.4: finds the language of a range or of its longest prefix. A prefix does not end with a single-letter
 * subtag, such as the `x` of private use. Anything longer than every tag is skipped.
 */
function findPrefix(byTag: ReadonlyMap<string, Language>, range: string, longest: number): Language | undefined {
  let end = range.length <= longest ? range.length : range.lastIndexOf('-', longest);
  for (; end > 0; end = range.lastIndexOf('-', end - 1)) {
    const language = byTag.get(range.slice(0, end));
    if (language && (end === range.length || range[end - 2] !== '-')) return language;
  }
  return undefined;
}

/** Of `zh-Hant-TW`: `zh-Hant` and `zh`, if they are languages too. */
function basesAmong(byTag: ReadonlyMap<string, Language>, tag: string): string[] {
  const found: string[] = [];
  for (let end = tag.lastIndexOf('-'); end > 0; end = tag.lastIndexOf('-', end - 1)) {
    const base = tag.slice(0, end);
    if (byTag.has(base)) found.push(base);
  }
  return found;
}

/** Language ranges of RFC 4647, the most preferred first. Reads at most 50: real headers are short. */
function readRanges(header: string): string[] {
  return header
    .split(',', 50)
    .map((part) => {
      const [range = '', ...parameters] = part.trim().toLowerCase().split(';');
      const q = parameters.map((parameter) => /^\s*q=([\d.]+)\s*$/.exec(parameter)?.[1]).find(Boolean);
      return { range: range.trim(), q: q === undefined ? 1 : Number(q) };
    })
    .filter(({ range, q }) => range !== '' && q > 0)
    .sort((a, b) => b.q - a.q)
    .map(({ range }) => range);
}

/** The name of a language that is not ASCII, as `@innkeeper/client` sends it. */
function nameOf(range: string): string {
  try {
    return fold(decodeURIComponent(range));
  } catch {
    return '';
  }
}

/** Ignores case, and how accents are encoded. */
export function fold(word: string): string {
  return inNfc(word).toLowerCase();
}

/** Characters. Node's check takes quadratic time in the number of subtags. */
export const MAX_TAG = 100;

/** In the usual case, `de-AT`; undefined if it cannot be a tag. */
export function canonicalTag(tag: string): string | undefined {
  if (tag.length > MAX_TAG) return undefined;
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}
