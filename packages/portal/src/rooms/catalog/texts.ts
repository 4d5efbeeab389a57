import type { TreeLanguage } from '../../draft/queries.ts';
import { isBlank } from './form-problems.ts';

type Texts = Record<string, string> | undefined;

/** The text in the language, else in its base language, else in the default, else the name. */
export function labelIn(
  { name, translations }: { name: string; translations?: Texts },
  language: TreeLanguage | undefined,
  languages: readonly TreeLanguage[],
): string {
  const tags = language ? withBases(language.tag) : [];
  const wanted = [...tags.map((tag) => languages.find((each) => each.tag === tag)), defaultOf(languages)];
  for (const each of wanted) {
    const text = each && translations?.[each.name];
    if (text !== undefined) return text;
  }
  return name;
}

export function defaultOf(languages: readonly TreeLanguage[]): TreeLanguage | undefined {
  return languages.find((language) => language.default) ?? languages[0];
}

/** The languages to fall back to, in order: the first that has a text is shown. */
export function insteadOf(language: TreeLanguage, languages: readonly TreeLanguage[]): TreeLanguage[] {
  const wanted = withBases(language.tag).map((tag) => languages.find((each) => each.tag === tag));
  const known = new Set([...wanted, defaultOf(languages)].filter((each) => each !== undefined));
  known.delete(language);
  return [...known];
}

/** `zh-Hant-TW`, `zh-Hant`, `zh`. */
function withBases(tag: string): string[] {
  const parts = tag.split('-');
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('-'));
}

const RTL_SCRIPTS = new Set(['Arab', 'Hebr', 'Thaa', 'Syrc', 'Nkoo', 'Adlm', 'Rohg', 'Mand', 'Samr']);

export function directionOf(tag: string): 'rtl' | 'ltr' {
  try {
    const { script } = new Intl.Locale(tag).maximize();
    return script !== undefined && RTL_SCRIPTS.has(script) ? 'rtl' : 'ltr';
  } catch {
    return 'ltr';
  }
}

/** An API name, derived from the label. */
export function nameFrom(label: string): string {
  return label
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 60);
}

type Typed = Readonly<Record<string, string>>;

/**
 * One allowed value per line: its label, and an API value derived from it. The same line in another language is that
 * value's text there. By language name.
 */
export function valuesFrom(typed: Typed, languages: readonly TreeLanguage[]) {
  const byDefault = defaultOf(languages);
  const lines = linesOf(typed, byDefault);
  const seen = new Set<string>();
  return lines.flatMap((text, index) => {
    if (isBlank(text)) return [];
    const name = nameFrom(text) || text;
    // Two labels can lead to the same name: then each is its own value.
    const value = seen.has(name) ? text : name;
    seen.add(value);
    const texts = languages.map((language) => [language.name, linesOf(typed, language)[index] ?? ''] as const);
    const translations = texts.filter(
      ([each, line]) => !isBlank(line) && !(each === byDefault?.name && line === value),
    );
    return [translations.length === 0 ? value : { value, translations: Object.fromEntries(translations) }];
  });
}

/** A text on two lines: it would be ambiguous which value, and which translation, is meant. */
export function repeatedLine(typed: Typed, language: TreeLanguage | undefined): string | undefined {
  const lines = linesOf(typed, language);
  return lines.find((line, index) => !isBlank(line) && lines.indexOf(line) < index);
}

/** Whether a language has a text on a line where the default language has no value. */
export function hasStrayLine(typed: Typed, language: TreeLanguage, languages: readonly TreeLanguage[]): boolean {
  const values = linesOf(typed, defaultOf(languages));
  return linesOf(typed, language).some((line, index) => !isBlank(line) && isBlank(values[index] ?? ''));
}

function linesOf(typed: Typed, language: TreeLanguage | undefined): string[] {
  return (typed[language?.name ?? ''] ?? '').split('\n').map((line) => line.trim());
}
