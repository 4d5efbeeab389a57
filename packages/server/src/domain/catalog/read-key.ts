import { inNfc } from '../../nfc.ts';
import type { AllowedValue, Constraint, Scalar } from './catalog.ts';
import { constraintProblem, isBlank, isDate, MAX_TEXT, typeProblem } from './check-value.ts';
import type { WantedKey } from './definition.ts';
import type { FileKey } from './file-schema.ts';
import type { Languages } from './languages.ts';
import { type CatalogPatterns, productProblem } from './pattern.ts';
import { MAX_PROBLEMS, type Report, type TextReader } from './source.ts';

type Path = (string | number)[];

/** The parts of the file that reading a key needs. */
export type KeyReading = { readTexts: TextReader; languages: Languages; patterns: CatalogPatterns; report: Report };

/** Characters of one key: a key is read, compared and stored at once, in about 50 ms. */
const MAX_KEY_SIZE = 1_000_000;

export function readKey(key: FileKey, path: Path, reading: KeyReading): WantedKey {
  const { readTexts, report } = reading;
  const isTooLarge = sizeOf(key) > MAX_KEY_SIZE;
  if (isTooLarge) report(path, `is larger than ${MAX_KEY_SIZE} characters: give it fewer values or texts`);
  const multiple = key.multiple === true;
  const constraint = readConstraint(key, [...path, 'constraint'], reading);
  const values = readValues(key, [...path, 'values'], reading);
  const isShownTooLarge = values !== null && shownSizeOf(key, values, reading.languages) > MAX_SHOWN_SIZE;
  if (isShownTooLarge) report([...path, 'values'], SHOWN_TOO_LARGE);
  // What is too large is not compared in all languages.
  else if (values && !isTooLarge) refuseAmbiguous(key, values, [...path, 'values'], reading);
  if (values && key.constraint) report([...path, 'constraint'], 'requires an open key: remove it or `values`', true);
  const { minSelected, maxSelected } = readCounts(key, multiple, values, path, report);
  const wanted: WantedKey = {
    name: inNfc(key.name),
    ...(key.was !== undefined && { was: inNfc(key.was) }),
    type: key.type,
    multiple,
    minSelected,
    maxSelected,
    defaultValue: null,
    values,
    constraint,
    texts: readTexts(key.translations, [...path, 'translations']),
    descriptions: readTexts(key.descriptions, [...path, 'descriptions']),
  };
  if (key.default !== undefined) wanted.defaultValue = readDefault(key.default, wanted, [...path, 'default'], reading);
  return wanted;
}

/** About the key's length in a file. */
function sizeOf({ values = [], default: given }: FileKey): number {
  let size = 0;
  for (const value of [...values, ...[given ?? []].flat()]) {
    const { value: plain, translations = {} } = typeof value === 'object' ? value : { value };
    size += 4 + String(plain).length;
    for (const [language, text] of Object.entries(translations)) size += 6 + language.length + text.length;
  }
  return size;
}

/** Characters of its values in all languages together, as a record of all of them shows them: about 50 ms to write. */
const MAX_SHOWN_SIZE = 5_000_000;
const SHOWN_TOO_LARGE = `are larger than ${MAX_SHOWN_SIZE} characters in all languages together, with the texts shown where one is missing: give the key fewer values or shorter texts`;
/** Of a text with its language, besides the two. */
const AROUND_TEXT = 30;

function shownSizeOf({ type }: FileKey, values: readonly AllowedValue[], { all }: Languages): number {
  const names = new Map(all.map(({ tag, name }) => [tag, name.length]));
  let size = 0;
  for (const { value, texts } of values) {
    const own = Object.entries(texts);
    const { length } = String(value);
    // Any of them may be shown in other languages.
    const longest = type === 'string' ? Math.max(length, ...own.map(([, text]) => text.length)) : length;
    for (const [tag, text] of own) size += (names.get(tag) ?? 0) + text.length + AROUND_TEXT;
    size += (all.length - own.length) * longest;
  }
  return size;
}

/** A boolean without `values` has its two; any other key without them is open. */
function readValues(key: FileKey, path: Path, { readTexts, report }: KeyReading): AllowedValue[] | null {
  if (!key.values) {
    if (key.type !== 'boolean') return null;
    return [true, false].map((value) => ({ value, texts: {}, retired: false }));
  }
  const seen = new Set<Scalar>();
  const values = key.values.map((entry, index) => {
    const at = [...path, index];
    const given = typeof entry === 'object' ? entry : { value: entry };
    const problem = typeProblem(key.type, given.value);
    const place = typeof entry === 'object' ? [...at, 'value'] : at;
    if (problem) report(place, `${problem} to match the type of the key`);
    // No one could see that it was chosen.
    else if (typeof given.value === 'string' && isBlank(given.value)) report(place, 'must not be blank');
    if (seen.has(given.value)) report(at, `the value ${JSON.stringify(given.value)} is a duplicate`);
    seen.add(given.value);
    return {
      value: canonical(given.value),
      texts: readTexts(given.translations, [...at, 'translations']),
      retired: given.retired === true,
      ...(given.replacement !== undefined && { replacement: canonical(given.replacement) }),
    };
  });
  for (const [index, { retired, replacement }] of values.entries()) {
    if (replacement === undefined) continue;
    const at = [...path, index, 'replacement'];
    const other = values.find(({ value }) => value === replacement);
    if (!retired) report(at, 'requires a retired value');
    else if (!other) report(at, `${JSON.stringify(replacement)} is not a value of this key`);
    else if (other.value === values[index]?.value) report(at, 'must be another value');
    else if (other.retired) report(at, `${JSON.stringify(replacement)} is itself retired`);
  }
  if (values.every(({ retired }) => retired)) report(path, 'are all retired: at least one must be offered');
  return values;
}

function refuseAmbiguous(
  { type }: FileKey,
  values: readonly AllowedValue[],
  path: Path,
  { languages, report }: KeyReading,
): void {
  const ambiguous = type === 'string' ? findAmbiguous(values, languages) : [];
  for (const { index, tag, text } of ambiguous.slice(0, MAX_PROBLEMS)) {
    report([...path, index], `has the text "${text}" in ${tag}, which already belongs to another value`);
  }
}

/**
 * Finds texts that two values share in one language: a save with such a text would pick one of
 * them by chance. The other value may be the text itself, have it as its own text, or fall back to it from another
 * language. A retired value may share its text with its replacement.
 */
export function findAmbiguous(
  values: readonly AllowedValue[],
  languages: Languages,
): { index: number; tag: string; text: string }[] {
  const places = new Map(values.map(({ value }, index) => [value, index]));
  // By language, so that a language costs as much as there are texts that it shows: values without any show themselves.
  const live = new Map<string, { index: number; text: string }[]>();
  for (const [index, { texts, retired }] of values.entries()) {
    for (const [tag, text] of retired ? [] : Object.entries(texts)) {
      const ofTag = live.get(tag);
      if (ofTag) ofTag.push({ index, text });
      else live.set(tag, [{ index, text }]);
    }
  }
  /** The last language in which the value had a text. */
  const shown: string[] = [];
  return languages.all.flatMap(({ tag }) => {
    const translated = live.get(tag) ?? [];
    if (translated.length === 0) return [];
    // Of two values with the same own text, the first one has it. A value that only falls back to it conflicts with
    // either.
    const owners = new Map<string, number>();
    for (const { text, index } of translated) {
      if (!owners.has(text)) owners.set(text, index);
      shown[index] = tag;
    }
    for (const fallback of languages.fallbacksOf(tag)) {
      for (const { text, index } of live.get(fallback) ?? []) {
        if (shown[index] !== tag) owners.set(text, index);
        shown[index] = tag;
      }
    }
    return translated.flatMap(({ text, index }) => {
      const isAmbiguous = owners.get(text) !== index || (places.get(text) ?? index) !== index;
      return isAmbiguous ? [{ index, tag, text }] : [];
    });
  });
}

/** -0 becomes 0: values that look the same must be the same. */
function canonical(value: Scalar): Scalar {
  return value === 0 ? 0 : value;
}

const NUMERIC = ['min', 'max', 'step'] as const;

function readConstraint(key: FileKey, path: Path, { patterns, report }: KeyReading): Constraint {
  const given = key.constraint;
  if (!given) return {};
  let isGood = true;
  const refuse = (name: string, message: string) => {
    isGood = false;
    report([...path, name], message);
  };
  const isText = key.type === 'string';
  for (const name of NUMERIC) {
    const bound = given[name];
    if (bound === undefined) continue;
    if (isText || key.type === 'boolean') refuse(name, `is not supported by the type ${key.type}`);
    else if (key.type === 'date') {
      if (name === 'step') refuse(name, 'is not supported by the type date');
      else if (typeof bound !== 'string' || !isDate(bound)) refuse(name, 'must be a date as YYYY-MM-DD');
    } else if (typeof bound !== 'number' || (key.type === 'integer' && !Number.isSafeInteger(bound))) {
      refuse(name, key.type === 'integer' ? 'must be a whole number' : 'must be a number');
    }
  }
  if (given.pattern !== undefined && !isText) refuse('pattern', `is not supported by the type ${key.type}`);
  if (given.max_length !== undefined && !isText) refuse('max_length', `is not supported by the type ${key.type}`);
  if (given.min !== undefined && given.max !== undefined && given.min > given.max) refuse('max', 'is less than min');
  if (given.pattern !== undefined) {
    const problem = patterns.add(given.pattern) ?? productProblem(given.pattern, given.max_length ?? MAX_TEXT);
    if (problem !== undefined) refuse('pattern', problem);
  }
  // An invalid constraint cannot be applied, but the rest can be checked.
  if (!isGood) return {};
  const { max_length: maxLength, ...rest } = given;
  const bounds = NUMERIC.flatMap((name) => (given[name] === undefined ? [] : [[name, canonical(given[name])]]));
  return { ...rest, ...Object.fromEntries(bounds), ...(maxLength !== undefined && { maxLength }) };
}

/** No one types more values than this into a form. */
const MAX_REQUESTED = 100;

function readCounts(key: FileKey, multiple: boolean, values: AllowedValue[] | null, path: Path, report: Report) {
  if (!multiple) {
    for (const name of ['min', 'max'] as const) {
      if (key[name] === undefined) continue;
      report([...path, name], 'requires `multiple: true`; for a range, use `constraint`', true);
    }
    return { minSelected: 1, maxSelected: 1 };
  }
  const minSelected = key.min ?? 0;
  const maxSelected = key.max ?? null;
  if (maxSelected !== null && maxSelected < minSelected) report([...path, 'max'], 'is less than min');
  const available = values?.filter(({ retired }) => !retired).length;
  if (available !== undefined && minSelected > available) {
    report([...path, 'min'], `is more than the number of values (${available})`);
  }
  if (available === undefined && minSelected > MAX_REQUESTED)
    report([...path, 'min'], `must be at most ${MAX_REQUESTED} for an open key`);
  return { minSelected, maxSelected };
}

function readDefault(
  given: Scalar | Scalar[],
  key: WantedKey,
  path: Path,
  { patterns, report }: KeyReading,
): Scalar | Scalar[] | null {
  if (Array.isArray(given) !== key.multiple) {
    report(
      path,
      key.multiple ? 'must be a list, because the key accepts several values' : 'must be one value, not a list',
    );
    return null;
  }
  const scalars = [given].flat();
  for (const [index, value] of scalars.entries()) {
    const problem = typeProblem(key.type, value) ?? notAllowed(key, value, patterns);
    if (problem) report(key.multiple ? [...path, index] : path, problem);
  }
  if (
    new Set(scalars).size < key.minSelected ||
    (key.maxSelected !== null && new Set(scalars).size > key.maxSelected)
  ) {
    report(path, 'has too few or too many values for min and max');
  }
  return Array.isArray(given) ? inCatalogOrder(key, given.map(canonical)) : canonical(given);
}

function notAllowed(key: WantedKey, value: Scalar, patterns: CatalogPatterns): string | undefined {
  if (!key.values) return constraintProblem(key.constraint, value, (...args) => patterns.matches(...args));
  const allowed = key.values.find((entry) => entry.value === value);
  if (!allowed) return 'is not among the values';
  return allowed.retired ? 'is retired' : undefined;
}

/** A set of values as stored: in catalog order, or as given for an open key, without repeats. */
export function inCatalogOrder(key: Pick<WantedKey, 'values'>, values: readonly Scalar[]): Scalar[] {
  const chosen = new Set(values);
  return key.values ? key.values.map(({ value }) => value).filter((value) => chosen.has(value)) : [...chosen];
}
