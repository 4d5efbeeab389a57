import type { AllowedValue, Key, Language, Scalar } from '../catalog/catalog.ts';
import { constraintProblem, findAllowed, MAX_TEXT, type Matches, typeProblem } from '../catalog/check-value.ts';
import type { PlacedKey } from '../catalog/compile.ts';
import type { Languages } from '../catalog/languages.ts';
import { compilePattern, countSteps, type PatternCheck } from '../catalog/pattern.ts';
import { inCatalogOrder } from '../catalog/read-key.ts';
import { type FieldError, InnkeeperError } from '../errors.ts';
import type { Service } from '../service.ts';

/** One choice as sent, with its key and language found. */
export type WantedSelection = {
  placed: PlacedKey;
  /** What to save; with `remove`, what to add to the current list. */
  values: readonly unknown[];
  /** What to remove from the current list. */
  remove?: readonly unknown[] | undefined;
  language: Language | undefined;
  /** The values cannot be checked, because something else was refused. */
  isUnreadable?: boolean;
  /** The language its texts were shown in, if known without `language`. */
  shownIn?: Language | undefined;
  /** Tags, one of which the current record must have; '*': there must be a record; 'none': there must not be one. */
  ifMatch?: '*' | 'none' | readonly string[] | undefined;
  /** Its position in the request, and the prefix of field names in errors: `options[2].`, or nothing. */
  place: number;
  field: string;
};

type CheckedValue = { value: Scalar | Scalar[] } | { problems: FieldError[] };

/** Further distinct values are not even read: no key has so many. */
const MAX_VALUES = 2_000;
/**
 * Characters of a list as JSON: what one request can send. Otherwise `add` could grow it without limit, and each change
 * is stored with the whole list.
 */
const MAX_LIST = 65_536;
/** Maximum invalid values, and allowed values, in a response, so that it is never much larger than its request. */
const MAX_PROBLEMS = 10;
const MAX_ALLOWED = 100;

type Circumstances = {
  languages: Languages;
  language: Language | undefined;
  held: readonly Scalar[];
  matches?: Matches | undefined;
  /** Of the same request, which may name a key many times. */
  translated?: TranslatedValues | undefined;
};

/** Values by the text shown in a language, each with the name of its key and language. */
export type TranslatedValues = Map<string, ReadonlyMap<unknown, AllowedValue>>;

/**
 * The canonical value of what was sent for a key: checked by type without coercion, translated
 * values of `language` replaced by the values they stand for, in catalog order and without repeats. A retired value is
 * allowed only for a user who has it: `held`.
 */
export function checkSelection(key: Key, sent: readonly unknown[], circumstances: Circumstances): CheckedValue {
  if (!key.multiple && sent.length > 1) return { problems: [countProblem(key, sent.length, 1)] };

  const choices = new Choices(key, circumstances);
  const problems: FieldError[] = [];
  const values: Scalar[] = [];
  const seen = new Set<unknown>();
  for (const [index, value] of sent.entries()) {
    // Repeats count as one value.
    if (seen.has(value)) continue;
    seen.add(value);
    if (seen.size > MAX_VALUES) return { problems: [countProblem(key, seen.size, MAX_VALUES)] };
    const checked = checkOne(key, value, choices, circumstances.matches);
    if ('value' in checked) values.push(checked.value);
    else problems.push({ field: `value[${index}]`, ...checked });
    if (problems.length === MAX_PROBLEMS) break;
  }
  if (problems.length > 0) return { problems };

  const distinct = key.multiple ? inCatalogOrder(key, values) : values;
  const tooMany = key.maxSelected !== null && distinct.length > key.maxSelected;
  if (tooMany || distinct.length < key.minSelected) {
    return { problems: [countProblem(key, distinct.length, key.maxSelected ?? MAX_VALUES)] };
  }
  return { value: key.multiple ? distinct : (distinct[0] as Scalar) };
}

/**
 * Changes the list of a key with several values: `add` is checked like saved values, `remove` only by type, so that
 * values no longer in the key can be removed too. `min` and `max` apply to the result.
 */
export function changeList(
  key: Key,
  list: readonly Scalar[],
  { add, remove }: { add: readonly unknown[]; remove: readonly unknown[] },
  circumstances: Circumstances,
): CheckedValue {
  const added = checkSelection({ ...key, minSelected: 0, maxSelected: null }, add, circumstances);
  if ('problems' in added) {
    return {
      problems: added.problems.map((problem) => ({ ...problem, field: problem.field.replace('value', 'add') })),
    };
  }
  const adds = new Set<unknown>([added.value].flat());
  const removes = new Set<unknown>();
  const choices = new Choices(key, circumstances);
  const problems: FieldError[] = [];
  for (const [index, value] of remove.entries()) {
    const meant = choices.find(value)?.value ?? value;
    const problem = typeProblem(key.type, meant) ?? (adds.has(meant) ? 'is in `add` too' : undefined);
    if (problem !== undefined) problems.push({ field: `remove[${index}]`, message: problem });
    if (problems.length === MAX_PROBLEMS) break;
    removes.add(meant);
  }
  if (problems.length > 0) return { problems };
  const changed = inCatalogOrder(key, [...list.filter((value) => !removes.has(value)), ...[added.value].flat()]);
  const atMost = Math.min(key.maxSelected ?? MAX_VALUES, MAX_VALUES);
  if (add.length > 0 && JSON.stringify(changed).length > MAX_LIST) {
    return { problems: [{ field: 'add', message: `must leave a list of at most ${MAX_LIST} characters` }] };
  }
  if (changed.length >= key.minSelected && changed.length <= atMost) return { value: changed };
  const { message } = countProblem(key, changed.length, atMost);
  return {
    problems: [{ field: add.length > 0 ? 'add' : 'remove', message: message.replace('must contain', 'must leave') }],
  };
}

function countProblem(key: Key, count: number, atMost: number): FieldError {
  if (!key.multiple) return { field: 'value', message: 'must contain exactly one value' };
  const [bound, limit] = count > atMost ? ['at most', atMost] : ['at least', key.minSelected];
  return { field: 'value', message: `must contain ${bound} ${limit === 1 ? 'one value' : `${limit} values`}` };
}

function checkOne(
  key: Key,
  sent: unknown,
  choices: Choices,
  matches: Matches | undefined,
): { value: Scalar } | { message: string; allowed?: unknown } {
  if (!key.values) {
    const problem = typeProblem(key.type, sent) ?? constraintProblem(key.constraint, sent as Scalar, matches);
    if (problem) return { message: problem, allowed: describeOpen(key) };
    return { value: sent === 0 ? 0 : (sent as Scalar) };
  }
  const found = choices.find(sent);
  if (found && choices.isOffered(found)) return { value: found.value };
  const { allowed } = choices;
  if (!found) return { message: typeProblem(key.type, sent) ?? 'is not among the allowed values', allowed };
  const instead = found.replacement === undefined ? '' : `; choose ${JSON.stringify(found.replacement)} instead`;
  return { message: `is retired${instead}`, allowed };
}

/**
 * What one user can choose for a key. A key and a list may have thousands of values each, so that nothing here may take
 * longer for each value of the list: what depends on the key alone is made once.
 */
class Choices {
  readonly #key: Key;
  readonly #circumstances: Circumstances;
  readonly #translated: TranslatedValues;
  #held: ReadonlySet<Scalar> | undefined;
  #allowed: Scalar[] | undefined;

  constructor(key: Key, circumstances: Circumstances) {
    this.#key = key;
    this.#circumstances = circumstances;
    this.#translated = circumstances.translated ?? new Map();
  }

  /** By value, or with a language by the text shown in that language. */
  find(sent: unknown): AllowedValue | undefined {
    const found = findAllowed(this.#key.values, sent);
    const { language } = this.#circumstances;
    if (found || !language || this.#key.type !== 'string' || typeof sent !== 'string') return found;
    const name = `${language.tag} ${this.#key.keyNo}`;
    const known = this.#translated.get(name) ?? listTranslated(this.#key, this.#circumstances);
    this.#translated.set(name, known);
    return known.get(sent);
  }

  isOffered({ value, retired }: AllowedValue): boolean {
    if (!retired) return true;
    this.#held ??= new Set(this.#circumstances.held);
    return this.#held.has(value);
  }

  /** The first ones, for an error. */
  get allowed(): Scalar[] {
    this.#allowed ??= (this.#key.values ?? [])
      .filter((each) => this.isOffered(each))
      .slice(0, MAX_ALLOWED)
      .map(({ value }) => value);
    return this.#allowed;
  }
}

/** By the text shown in the language: the first of several, a text of its own before one of another language. */
function listTranslated({ values }: Key, { languages, language }: Circumstances): Map<unknown, AllowedValue> {
  const found = new Map<unknown, AllowedValue>();
  if (!language || !values) return found;
  const add = (text: string | undefined, value: AllowedValue) => {
    if (text !== undefined && !found.has(text)) found.set(text, value);
  };
  for (const each of values) add(each.texts[language.tag], each);
  for (const each of values) {
    if (each.texts[language.tag] !== undefined) continue;
    add(languages.textFor(each.texts, language, String(each.value)).text, each);
  }
  return found;
}

/** Maximum values whose texts are listed before the user is known to exist: about 5 ms. */
export const MAX_LISTED_INLINE = 20_000;

/** How many texts may be listed to find the wanted values by them, one key and language after another. */
export function countListed(wanted: readonly WantedSelection[]): number {
  const listed = new Set<string>();
  let count = 0;
  for (const { placed, values, language, remove = [], isUnreadable } of wanted) {
    const { key } = placed;
    if (!key.values || !language || key.type !== 'string' || isUnreadable) continue;
    const name = `${language.tag} ${key.keyNo}`;
    if (listed.has(name) || values.length + remove.length === 0) continue;
    listed.add(name);
    count += key.values.length;
  }
  return count;
}

function describeOpen(key: Key): Record<string, unknown> {
  const { maxLength = MAX_TEXT, ...constraint } = key.constraint;
  return { type: key.type, ...constraint, ...(key.type === 'string' && { max_length: maxLength }) };
}

/** Texts to match against a key's pattern. */
type Matched = Pick<WantedSelection, 'placed' | 'values'>;

/** Maximum steps on the HTTP thread: about 10 ms. Typical input takes a hundredth of it. */
export const MAX_STEPS_INLINE = 500_000;

/** Matches here, for at most this many steps in total; for further texts, returns `beyond` (check-value.ts). */
export function matchWithin(steps: number, beyond: true | undefined): Matches {
  let left = steps;
  return (pattern, text) => {
    if (left >= 0) left -= countSteps(pattern, text);
    return left < 0 ? beyond : compilePattern(pattern).test(text);
  };
}

/** Maximum steps for one request at all: two seconds. */
const MAX_STEPS_OF_REQUEST = 100_000_000;

/** How many steps it takes to match the wanted values against the patterns of their keys. */
export function countMatching(wanted: readonly Matched[]): number {
  return wanted.reduce(
    (sum, each) =>
      checksOf(each).reduce((steps, { pattern, text }, at) => steps + countSteps(pattern, text, at === 0), sum),
    0,
  );
}

/** Matches everything on a worker thread; the returned function only looks up the results. */
export async function matchOnThread(service: Service, appId: number, wanted: readonly Matched[]): Promise<Matches> {
  if (countMatching(wanted) > MAX_STEPS_OF_REQUEST) {
    const message = 'There are too many long texts with patterns in this request: save fewer of them at once.';
    throw new InnkeeperError('valueNotAllowed', {
      fields: [{ field: 'value', message: 'is too large' }],
      message,
    });
  }
  const checks = wanted.flatMap(checksOf);
  const results = await service.work.run('matchPatterns', checks, { appId });
  const known = new Map(checks.map(({ pattern, text }, index) => [`${pattern}\0${text}`, results[index]]));
  return (pattern, text) => known.get(`${pattern}\0${text}`);
}

/** The texts to match against a pattern: no longer than the key allows, each once. */
function checksOf({ placed: { key }, values }: Matched): PatternCheck[] {
  const { pattern, maxLength = MAX_TEXT } = key.constraint;
  if (pattern === undefined || key.values !== null || (!key.multiple && values.length > 1)) return [];
  // In characters it may be half as long.
  const texts = values.filter((value) => typeof value === 'string').filter((text) => text.length <= maxLength * 2);
  return [...new Set(texts)].slice(0, MAX_VALUES).map((text) => ({ pattern, text }));
}

/**
 * Maximum fields in a response, and those that list what is allowed, so that it is never much larger than its request.
 */
const MAX_FIELDS = 200;
const FIELDS_WITH_ALLOWED = 10;

/** Collects the problems of all parts of a request, in any order, and reports them at once. */
export class Refusals {
  readonly #found: { place: number; error: InnkeeperError }[] = [];
  #lastPlace = -1;

  /** undefined: it was refused, or skipped because enough refusals were collected. */
  attempt<T>(place: number, work: () => T): T | undefined {
    if (this.#found.length >= MAX_FIELDS && place > this.#lastPlace) return undefined;
    try {
      return work();
    } catch (error) {
      if (!(error instanceof InnkeeperError)) throw error;
      this.refuse(place, error);
      return undefined;
    }
  }

  refuse(place: number, error: InnkeeperError): void {
    if (this.#found.length >= MAX_FIELDS && place > this.#lastPlace) return;
    this.#found.push({ place, error });
    this.#lastPlace = Math.max(this.#lastPlace, place);
  }

  /** Throws the first error of the first invalid part, with the fields of all. */
  throwIfAny(): void {
    const [first, ...others] = this.#found.sort((a, b) => a.place - b.place).map(({ error }) => error);
    if (!first) return;
    if (others.length === 0) throw first;
    const fields = [first, ...others].flatMap((error) => error.fields ?? []).slice(0, MAX_FIELDS);
    const { error, message, headers, more } = first;
    throw new InnkeeperError(error, { message, headers, more, fields: fields.map(withoutMostAllowed) });
  }
}

function withoutMostAllowed(field: FieldError, index: number): FieldError {
  if (index < FIELDS_WITH_ALLOWED) return field;
  const { allowed: _, ...rest } = field;
  return rest;
}
