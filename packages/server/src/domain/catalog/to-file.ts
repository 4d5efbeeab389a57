import { mapSteps, type Steps } from '../slices.ts';
import type { AllowedValue, Catalog, Key, Language, Scalar, Texts } from './catalog.ts';
import type { CatalogFile, FileGroup, FileKey, FileValue } from './file-schema.ts';

/** The file that produces this catalog: applying it changes nothing. Archived parts are omitted. */
export function* toFile(catalog: Catalog): Steps<CatalogFile> {
  const groups: FileGroup[] = [];
  for (const { name, texts, descriptions, keys, archived } of catalog.groups) {
    yield;
    if (archived) continue;
    const live = keys.filter((key) => !key.archived);
    groups.push({
      name,
      ...wording({ texts, descriptions }, catalog.languages),
      keys: yield* mapSteps(live, (key) => toFileKey(key, catalog.languages)),
    });
  }
  return { languages: toFileLanguages(catalog.languages), groups };
}

export function toFileLanguages(languages: readonly Language[]): CatalogFile['languages'] {
  return languages.map(({ name, tag, isDefault }) => ({ name, tag, ...(isDefault && { default: true }) }));
}

/** undefined if nothing is limited. */
export function toFileConstraint({ min, max, step, pattern, maxLength }: Key['constraint']): FileKey['constraint'] {
  const constraint = {
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(step !== undefined && { step }),
    ...(pattern !== undefined && { pattern }),
    ...(maxLength !== undefined && { max_length: maxLength }),
  };
  return Object.keys(constraint).length > 0 ? constraint : undefined;
}

export function toFileKey(key: Key, languages: Language[]): FileKey {
  const constraint = toFileConstraint(key.constraint);
  return {
    name: key.name,
    type: key.type,
    ...(key.multiple && { multiple: true, min: key.minSelected }),
    ...(key.multiple && key.maxSelected !== null && { max: key.maxSelected }),
    ...(key.defaultValue !== null && { default: key.defaultValue }),
    ...wording(key, languages),
    ...(key.values && !isPlainBoolean(key) && { values: key.values.map((value) => toFileValue(value, languages)) }),
    ...(constraint && { constraint }),
  };
}

/** Whether a boolean has just its two default values. */
function isPlainBoolean({ type, values }: Key): boolean {
  const [first, second] = values ?? [];
  return (
    type === 'boolean' &&
    values?.length === 2 &&
    first?.value === true &&
    second?.value === false &&
    values.every(isPlain)
  );
}

function isPlain({ texts, retired }: AllowedValue): boolean {
  return !retired && Object.keys(texts).length === 0;
}

function toFileValue(value: AllowedValue, languages: Language[]): Scalar | FileValue {
  if (isPlain(value)) return value.value;
  return {
    value: value.value,
    ...translations(value.texts, languages),
    ...(value.retired && { retired: true }),
    ...(value.replacement !== undefined && { replacement: value.replacement }),
  };
}

type FileTexts = Record<string, string>;

/** The texts of a group or key. */
export function wording(
  { texts, descriptions }: { texts: Texts; descriptions: Texts },
  languages: Language[],
): { translations?: FileTexts; descriptions?: FileTexts } {
  const described = byName(descriptions, languages);
  return { ...translations(texts, languages), ...(described && { descriptions: described }) };
}

function translations(texts: Texts, languages: Language[]): { translations?: FileTexts } {
  const named = byName(texts, languages);
  return named ? { translations: named } : {};
}

/** In the order of the languages. Texts of languages that the catalog no longer has remain only in older revisions. */
function byName(texts: Texts, languages: Language[]): Record<string, string> | undefined {
  const entries = languages.flatMap(({ name, tag }) => (texts[tag] === undefined ? [] : [[name, texts[tag]] as const]));
  return entries.length > 0 ? Object.fromEntries(entries) : undefined;
}
