import { inNfc } from '../../nfc.ts';
import { checkShape, type Structure, TYPE_WORDS } from '../../schema.ts';
import { mapSteps, type Steps } from '../slices.ts';
import type { Catalog, Language, Texts } from './catalog.ts';
import { isBlank } from './check-value.ts';
import type { CatalogDefinition, WantedGroup } from './definition.ts';
import { type CatalogFile, CatalogFileSchema } from './file-schema.ts';
import { canonicalTag, createLanguages, fold } from './languages.ts';
import { CatalogPatterns } from './pattern.ts';
import { readKey } from './read-key.ts';
import { type FileProblem, MAX_PROBLEMS, type Report, type TextReader } from './source.ts';
import { pathOf, readPath } from './translatable.ts';

/** What a definition may keep from its catalog, as plain data. */
export type Known = {
  /**
   * Names of groups and keys with a character that new names must not have. 'any': the caller with the catalog checks
   * them.
   */
  names: readonly string[] | 'any';
  /** Only a catalog without languages can stay without them. */
  hasLanguages: boolean;
};
type IsKnown = (kind: 'group' | 'key', name: string) => boolean;
const RESERVED = /[./=]/;

export function knownOf({ languages, groups }: Catalog): Known {
  const named = groups.flatMap(({ name, keys }) => [`group ${name}`, ...keys.map((key) => `key ${key.name}`)]);
  return { names: named.filter((name) => RESERVED.test(name)), hasLanguages: languages.length > 0 };
}

/**
 * The definition in a parsed file, or everything that is wrong with it. `patterns` has those of the catalog that are
 * not in the file.
 */
export function* readDefinition(
  data: unknown,
  {
    patterns = new CatalogPatterns(),
    known: { names, hasLanguages } = { names: [], hasLanguages: false },
  }: { patterns?: CatalogPatterns; known?: Known } = {},
): Steps<{ definition: CatalogDefinition } | { problems: FileProblem[] }> {
  const { problems, unreadable } = checkStructure(data);
  const isReadable = readability(unreadable);
  // After the last problem reported, nothing was checked.
  if (problems.length >= MAX_PROBLEMS || !isReadable([], ['languages'], ['groups'])) return { problems };
  const file = data as CatalogFile;
  const list = new Set(names);
  const isKnown: IsKnown = (kind, name) => names === 'any' || list.has(`${kind} ${name}`);
  const reported = new Set(problems.map(({ path }) => JSON.stringify(path)));
  const report: Report = (path, message, atName) => {
    if (!reported.has(JSON.stringify(path))) problems.push({ path, message, ...(atName && { atName }) });
  };

  const languages = readLanguages(file.languages, isReadable, report);
  if (file.languages.length === 0 && (file.groups.length > 0 || hasLanguages))
    report(['languages'], 'must name at least one language');
  const readTexts = textReader(languages, possibleLanguages(file.languages, isReadable), isReadable, report);
  const reading = { readTexts, languages: createLanguages(languages), patterns, report };
  const named = file.groups.map((group, index) => (isReadable(['groups', index, 'name']) ? group : undefined));
  refuseRepeats(named, ['groups'], 'group', report);
  refuseTooMany(file.groups, isReadable, report);
  const groups: WantedGroup[] = [];
  for (const [index, group] of file.groups.entries()) {
    yield;
    const path = ['groups', index];
    if (!isReadable(path)) continue;
    if (isReadable([...path, 'name'])) refuseBadItemName('group', group.name, [...path, 'name'], isKnown, report);
    const sent = isReadable([...path, 'keys']) ? (group.keys ?? []) : [];
    const isKeyNamed = (at: number) => isReadable([...path, 'keys', at], [...path, 'keys', at, 'name']);
    refuseRepeats(
      sent.map((key, at) => (isKeyNamed(at) ? key : undefined)),
      [...path, 'keys'],
      'key',
      report,
    );
    const texts = readTexts(group.translations, [...path, 'translations']);
    const descriptions = readTexts(group.descriptions, [...path, 'descriptions']);
    const keys = yield* mapSteps(sent, (key, at) => {
      const place = [...path, 'keys', at];
      if (isKeyNamed(at)) refuseBadItemName('key', key.name, [...place, 'name'], isKnown, report);
      // The key's rules depend on all of its members.
      return isReadable.throughout(place) ? [readKey(key, place, reading)] : [];
    });
    if (!isReadable.throughout(path)) continue;
    const { name, was } = group;
    groups.push({
      name: inNfc(name),
      ...(was !== undefined && { was: inNfc(was) }),
      texts,
      descriptions,
      keys: keys.flat(),
    });
  }
  if (unreadable.length === 0) refuseMovedTwice(groups, isKnown, report);
  return problems.length > 0 ? { problems } : { definition: { languages, groups } };
}

/** In all groups together: no one chooses among so many, and every change is compared with all of them. */
const MAX_KEYS = 20_000;
const MAX_VALUES = 200_000;

/** What a catalog as a whole has too much of; undefined if it is within the limits. */
export function sizeProblem({ keys, values }: { keys: number; values: number }): string | undefined {
  if (keys > MAX_KEYS) return `have ${keys} keys together: a catalog has at most ${MAX_KEYS}`;
  if (values > MAX_VALUES) return `have ${values} values together: a catalog has at most ${MAX_VALUES}`;
  return undefined;
}

function refuseTooMany(groups: CatalogFile['groups'], isReadable: Readable, report: Report): void {
  const size = { keys: 0, values: 0 };
  for (const [index, group] of groups.entries()) {
    if (!isReadable(['groups', index], ['groups', index, 'keys'])) continue;
    for (const key of group.keys ?? []) {
      size.keys++;
      // Unreadable parts can be anything.
      if (Array.isArray(key?.values)) size.values += key.values.length;
    }
  }
  const problem = sizeProblem(size);
  if (problem !== undefined) report(['groups'], problem);
}

type Path = (string | number)[];
type Readable = { (...paths: Path[]): boolean; throughout(path: Path): boolean };

/** Whether something can be read; `throughout`, including everything in it. */
function readability(unreadable: readonly Path[]): Readable {
  // The usual case, asked once per text.
  if (unreadable.length === 0) return Object.assign(() => true, { throughout: () => true });
  const exact = new Set(unreadable.map((path) => JSON.stringify(path)));
  const within = new Set(
    unreadable.flatMap((path) => path.map((_, index) => JSON.stringify(path.slice(0, index + 1)))),
  );
  const isReadable = (...paths: Path[]) => !paths.some((path) => exact.has(JSON.stringify(path)));
  return Object.assign(isReadable, { throughout: (path: Path) => !within.has(JSON.stringify(path)) });
}

/** The languages that can be read. */
function readLanguages(languages: CatalogFile['languages'], isReadable: Readable, report: Report): Language[] {
  const sound = languages
    .map((language, index) => ({ language, path: ['languages', index] }))
    .filter(({ path }) => isReadable.throughout(path));
  const defaults = sound.filter(({ language }) => language.default === true);
  for (const { path } of defaults.slice(1)) report([...path, 'default'], 'another language is already the default');
  const taken = new Set<string>();
  const read = sound.flatMap(({ language: { name, tag: given, default: isDefault }, path }) => {
    const tag = canonicalTag(given);
    if (tag === undefined) report([...path, 'tag'], `"${given}" is not a BCP 47 language tag`);
    refuseBadName(name, [...path, 'name'], report);
    for (const word of new Set([fold(name), ...(tag === undefined ? [] : [fold(tag)])])) {
      // Languages are found by name or tag, in any case, with accents encoded either way: no word may match two of
      // them.
      if (taken.has(word)) report(path, `"${word}" already names another language`);
      taken.add(word);
    }
    return tag === undefined ? [] : [{ name, tag, isDefault: isDefault === true }];
  });
  // If none is marked, the first one is the default.
  if (defaults.length === 0 && read[0]) read[0].isDefault = true;
  return read;
}

/**
 * Also those that are wrong in some way: texts in them are not wrong for that. Undefined if a language has no name or
 * tag that can be read, and may be any.
 */
function possibleLanguages(languages: CatalogFile['languages'], isReadable: Readable): Language[] | undefined {
  const isNamed = languages.every((_, index) => {
    const path = ['languages', index];
    return isReadable(path, [...path, 'name'], [...path, 'tag']);
  });
  if (!isNamed || languages.length === 0) return undefined;
  return languages.map(({ name, tag: given }) => {
    // A common mistake is en_US for en-US.
    const tag = canonicalTag(given.replaceAll('_', '-')) ?? given;
    return { name, tag, isDefault: false };
  });
}

/** A tag may be in a deprecated form (iw for he), as in the list of languages. */
function finder(languages: Language[]): (nameOrTag: string) => Language | undefined {
  const { find } = createLanguages(languages);
  return (nameOrTag) => find(nameOrTag) ?? find(canonicalTag(nameOrTag) ?? '');
}

function textReader(
  languages: Language[],
  possible: Language[] | undefined,
  isReadable: Readable,
  report: Report,
): TextReader {
  const find = finder(languages);
  const isPossible = possible ? finder(possible) : () => true;
  const tags = new Map<string, string | undefined>();
  const tagOf = (language: string): string | undefined => {
    if (!tags.has(language)) tags.set(language, find(language)?.tag);
    return tags.get(language);
  };
  return (translations = {}, path) => {
    const texts: Texts = {};
    if (!isReadable(path)) return texts;
    for (const [language, text] of Object.entries(translations)) {
      const place = [...path, language];
      if (!isReadable(place)) continue;
      const tag = tagOf(language);
      if (tag === undefined) {
        if (!isPossible(language)) report(place, 'is not one of the languages of this file', true);
      } else if (Object.hasOwn(texts, tag)) {
        report(place, 'already has a text in this language', true);
      } else {
        const problem = textProblem(text);
        if (problem !== undefined) report(place, problem);
        texts[tag] = text;
      }
    }
    return texts;
  };
}

/** Why a text cannot be shown or stored; undefined if it can. */
export function textProblem(text: string): string | undefined {
  if (text.trim() === '') return 'is blank: remove it instead';
  return text.isWellFormed() && !text.includes('\u0000') ? undefined : 'contains a character that cannot be stored';
}

function refuseBadName(name: string, path: Path, report: Report): void {
  if (name.trim() !== name || isBlank(name)) report(path, 'must not be blank, nor begin or end with a space');
  else if (!name.isWellFormed() || /\p{Cc}/u.test(name)) report(path, 'contains an invalid character');
}

function refuseBadItemName(kind: 'group' | 'key', name: string, path: Path, isKnown: IsKnown, report: Report): void {
  refuseBadName(name, path, report);
  // `group.key`, `group/key` and `group.key=value` are references elsewhere.
  if (RESERVED.test(name) && !isKnown(kind, name)) report(path, 'must not contain ".", "/" or "="');
}

/** Unreadable names are undefined. */
function refuseRepeats(
  items: readonly ({ name: string; was?: string } | undefined)[],
  path: Path,
  what: string,
  report: Report,
): void {
  const names = new Set<string>();
  for (const [index, item] of items.entries()) {
    if (!item) continue;
    const name = inNfc(item.name);
    if (names.has(name)) report([...path, index, 'name'], `another ${what} already has the name "${name}"`);
    names.add(name);
  }
  const before = new Set<string>();
  for (const [index, item] of items.entries()) {
    if (typeof item?.was !== 'string') continue;
    const was = inNfc(item.was);
    if (names.has(was)) report([...path, index, 'was'], `"${was}" is still the name of a ${what} in this file`);
    if (before.has(was)) report([...path, index, 'was'], `another ${what} was "${was}" already`);
    before.add(was);
  }
}

/** A key of another group can be moved here once, and only if that group no longer has it. */
function refuseMovedTwice(groups: readonly WantedGroup[], isKnown: IsKnown, report: Report): void {
  const paths = new Set(groups.flatMap(({ name, was = name, keys }) => keys.map((key) => pathOf(was, key.name))));
  const taken = new Set<string>();
  for (const [index, group] of groups.entries()) {
    for (const [at, { was }] of group.keys.entries()) {
      const names = was === undefined ? undefined : readPath(was);
      // A key's name from before `/` was reserved.
      if (!names || isKnown('key', was as string)) continue;
      const path = pathOf(...names);
      const place = ['groups', index, 'keys', at, 'was'];
      if (paths.has(path)) report(place, `"${was}" is still a key in this file`);
      if (taken.has(path)) report(place, `another key was "${was}" already`);
      taken.add(path);
    }
  }
}

/** People write the file in YAML. */
const words = { ...TYPE_WORDS, object: 'a mapping', string: 'a string (quote it if it looks like another type)' };

/** Lists where parsed data does not have the catalog file's shape. */
export function checkStructure(data: unknown): Structure {
  return checkShape(CatalogFileSchema, data, { max: MAX_PROBLEMS, words });
}
