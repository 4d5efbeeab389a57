import { canonicalTag } from '../catalog/languages.ts';
import { isObject } from '../strict-json.ts';
import builtIn from './page-texts.json' with { type: 'json' };

type TextName = keyof typeof builtIn.en;
/** The preference page's own texts, with placeholders in braces; labels and values come from the catalog. */
export type PageTexts = Record<TextName, string>;

const BUILT_IN: Record<string, PageTexts> = builtIn;
const { en } = builtIn;
const NAMES = Object.keys(en) as TextName[];
const MAX_TEXT = 500;
const MAX_LANGUAGES = 100;

/** The page's texts, with the tag of their language. */
export type LocalizedPageWords = PageTexts & { tag: string };

export class PageWords {
  readonly #all: Map<string, LocalizedPageWords>;

  /** `own`: by tag, as readPageTexts returns them. */
  constructor(own: Readonly<Record<string, PageTexts>> = {}) {
    const all = Object.entries({ ...BUILT_IN, ...own });
    this.#all = new Map(all.map(([tag, texts]) => [tag.toLowerCase(), { ...texts, tag }]));
  }

  get tags(): string[] {
    return [...this.#all.values()].map(({ tag }) => tag);
  }

  /** In this language, else in its base language, else in English. */
  find(tag = 'en'): LocalizedPageWords {
    const wanted = tag.toLowerCase();
    return (this.#all.get(wanted) ?? this.#all.get(baseOf(wanted)) ?? this.#all.get('en')) as LocalizedPageWords;
  }
}

export function baseOf(tag: string): string {
  return (tag.split('-', 1)[0] as string).toLowerCase();
}

export function fill(text: string, values: Record<string, string>): string {
  return text.replaceAll(/\{(\w{1,20})\}/g, (found, name: string) => values[name] ?? found);
}

/**
 * Reads a file of page texts: {"fr": {"title": "…", …}}. An existing language may change some of its texts; a new one
 * must have all of them. Problems go to `problems`.
 */
export function readPageTexts(text: string, problems: string[]): Record<string, PageTexts> {
  const file = readObject(text);
  if (!file || Object.keys(file).length > MAX_LANGUAGES) {
    problems.push(`must be a JSON object such as {"fr": {"title": "…"}}, with at most ${MAX_LANGUAGES} languages`);
    return {};
  }
  const own: Record<string, PageTexts> = {};
  for (const [tag, given] of Object.entries(file)) {
    const canonical = canonicalTag(tag);
    if (canonical === undefined) problems.push(`"${tag.slice(0, 50)}" is not a language tag such as fr or pt-BR`);
    else if (!isObject(given)) problems.push(`${canonical} must be an object of texts`);
    else {
      own[canonical] = { ...(BUILT_IN[canonical] as PageTexts), ...(given as PageTexts) };
      checkTexts(canonical, given, problems);
    }
  }
  return own;
}

function checkTexts(tag: string, given: Record<string, unknown>, problems: string[]): void {
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(en, name)) problems.push(`${tag}.${name.slice(0, 50)} is not a text of the page`);
  }
  for (const name of NAMES) {
    const text = given[name];
    if (text === undefined && tag in BUILT_IN) continue;
    if (text === undefined) problems.push(`${tag}.${name} is missing; in English: "${en[name]}"`);
    else if (typeof text !== 'string' || text.trim() === '' || text.length > MAX_TEXT)
      problems.push(`${tag}.${name} must be a text of 1 to ${MAX_TEXT} characters`);
    else if (placeholders(text) !== placeholders(en[name]))
      problems.push(
        `${tag}.${name} must have the placeholders ${placeholders(en[name]) || '(none)'}; in English: "${en[name]}"`,
      );
  }
}

function placeholders(text: string): string {
  return (text.match(/\{\w{1,20}\}/g) ?? []).toSorted().join(' ');
}

function readObject(text: string): Record<string, unknown> | undefined {
  try {
    const read: unknown = JSON.parse(text);
    return isObject(read) ? read : undefined;
  } catch {
    return undefined;
  }
}
