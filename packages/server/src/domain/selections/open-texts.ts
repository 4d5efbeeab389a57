import type { SelectionRecord, WantedChange } from '../../storage/port.ts';
import type { Key, Scalar } from '../catalog/catalog.ts';
import type { Languages } from '../catalog/languages.ts';

/** Free text is in one language; any other value means the same in all. */
export function isOpenText(key: Pick<Key, 'type' | 'values'>): boolean {
  return key.type === 'string' && key.values === null;
}

/** A text, or the texts of a key with several values. */
export type OpenText = string | string[];
export type OpenTexts = Record<string, OpenText>;

/** All texts of a record by language tag; none if it is not free text. */
export function textsOf({ value, language, texts }: Pick<SelectionRecord, 'value' | 'language' | 'texts'>): OpenTexts {
  if (language === null) return {};
  const others = texts === null ? {} : (JSON.parse(texts) as OpenTexts);
  return { ...others, [language]: JSON.parse(value) as OpenText };
}

/** The record for these texts: its value is the text in the default language, or the one in `last` if there is none. */
export function holdTexts(
  all: OpenTexts,
  last: string,
  { byDefault }: Languages,
): { value: string; language: string; texts: string | null } {
  const language = byDefault && all[byDefault.tag] !== undefined ? byDefault.tag : last;
  const others = Object.entries(all).filter(([tag]) => tag !== language);
  const sorted = Object.fromEntries(others.sort(([a], [b]) => (a < b ? -1 : 1)));
  return {
    value: JSON.stringify(all[language]),
    language,
    texts: others.length === 0 ? null : JSON.stringify(sorted),
  };
}

/**
 * Sets the text in one language and keeps those in other existing languages, if they have the same form. Without the
 * current record, the save is conditional on there being no text in another language.
 */
export function setText(
  change: WantedChange,
  key: Key,
  text: Scalar | Scalar[],
  tag: string | undefined,
  { languages, record, isKnown }: { languages: Languages; record: SelectionRecord | undefined; isKnown: boolean },
): WantedChange {
  if (tag === undefined) return change;
  if (languages.all.length === 1) return { ...change, language: tag };
  if (!isKnown) return { ...change, language: tag, expected: 'own-text' };
  const before = record ? textsOf(record) : {};
  const kept = languages.all.flatMap(({ tag: other }) => {
    const held = before[other];
    return held !== undefined && Array.isArray(held) === key.multiple ? [[other, held] as const] : [];
  });
  const all: OpenTexts = Object.fromEntries(kept);
  const from = all[tag] === undefined ? null : JSON.stringify(all[tag]);
  all[tag] = text as OpenText;
  return {
    ...change,
    ...holdTexts(all, tag, languages),
    expected: record ? { selectionId: record.selectionId, version: record.version } : null,
    text: { language: tag, from, to: JSON.stringify(text) },
  };
}
