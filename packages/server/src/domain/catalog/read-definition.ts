import { mapSteps, type Steps } from '../slices.ts';
import type { Language, Texts } from './catalog.ts';
import { isBlank } from './check-value.ts';
import type { CatalogDefinition, WantedGroup } from './definition.ts';
import type { FileProblem, Report, TextReader } from './file-problem.ts';
import type { CatalogFile } from './file-schema.ts';
import { createLanguages } from './languages.ts';
import { CatalogPatterns } from './pattern.ts';
import { readKey } from './read-key.ts';
import { structureProblems } from './structure-problems.ts';

/** The definition that a parsed file holds, or everything that is wrong with it. `patterns` has those of the catalog that are not in it. */
export function* readDefinition(
  data: unknown,
  patterns = new CatalogPatterns(),
): Steps<{ definition: CatalogDefinition } | { problems: FileProblem[] }> {
  const problems = structureProblems(data);
  if (problems.length > 0) return { problems };
  const file = data as CatalogFile;
  const report: Report = (path, message, atName) => problems.push({ path, message, ...(atName && { atName }) });

  const languages = readLanguages(file.languages, report);
  const readTexts = textReader(languages, report);
  const reading = { readTexts, languages: createLanguages(languages), patterns, report };
  refuseRepeats(file.groups, ['groups'], 'group', report);
  refuseTooMany(file.groups, report);
  const groups: WantedGroup[] = [];
  for (const [index, group] of file.groups.entries()) {
    yield;
    const path = ['groups', index];
    refuseBadName(group.name, [...path, 'name'], report);
    refuseRepeats(group.keys ?? [], [...path, 'keys'], 'key', report);
    const texts = readTexts(group.translations, [...path, 'translations']);
    const keys = yield* mapSteps(group.keys ?? [], (key, at) => {
      refuseBadName(key.name, [...path, 'keys', at, 'name'], report);
      return readKey(key, [...path, 'keys', at], reading);
    });
    groups.push({ name: group.name, ...(group.was !== undefined && { was: group.was }), texts, keys });
  }
  return problems.length > 0 ? { problems } : { definition: { languages, groups } };
}

/** Of all groups together: nobody chooses among so many, and every change is compared with all of them. */
const MAX_KEYS = 20_000;
const MAX_VALUES = 200_000;

/** What a catalog has too much of, as a whole; undefined when it has not. */
export function sizeProblem({ keys, values }: { keys: number; values: number }): string | undefined {
  if (keys > MAX_KEYS) return `have ${keys} keys together: a catalog has at most ${MAX_KEYS}`;
  if (values > MAX_VALUES) return `have ${values} values together: a catalog has at most ${MAX_VALUES}`;
  return undefined;
}

function refuseTooMany(groups: CatalogFile['groups'], report: Report): void {
  const size = { keys: 0, values: 0 };
  for (const { keys = [] } of groups) {
    size.keys += keys.length;
    for (const { values = [] } of keys) size.values += values.length;
  }
  const problem = sizeProblem(size);
  if (problem !== undefined) report(['groups'], problem);
}

function readLanguages(languages: CatalogFile['languages'], report: Report): Language[] {
  const defaults = languages.filter((language) => language.default === true);
  for (const extra of defaults.slice(1)) {
    report(['languages', languages.indexOf(extra), 'default'], 'another language is the default already');
  }
  const taken = new Set<string>();
  const read = languages.map(({ name, tag, default: isDefault }, index) => {
    const path = ['languages', index];
    const canonical = canonicalTag(tag);
    if (canonical === undefined) report([...path, 'tag'], `"${tag}" is not a BCP 47 language tag`);
    refuseBadName(name, [...path, 'name'], report);
    for (const word of new Set([name.toLowerCase(), (canonical ?? tag).toLowerCase()])) {
      // A language is asked for by name or tag, in any case: no word may mean two of them.
      if (taken.has(word)) report(path, `"${word}" already names another language`);
      taken.add(word);
    }
    return { name, tag: canonical ?? tag, isDefault: isDefault === true };
  });
  // Without a word about it, the first one is the default.
  if (defaults.length === 0 && read[0]) read[0].isDefault = true;
  return read;
}

export function canonicalTag(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

function textReader(languages: Language[], report: Report): TextReader {
  const tags = new Map(
    languages.flatMap(({ name, tag }) => [
      [tag.toLowerCase(), tag],
      [name.toLowerCase(), tag],
    ]),
  );
  return (translations = {}, path) => {
    const texts: Texts = {};
    for (const [language, text] of Object.entries(translations)) {
      // A tag may be written in an older form (iw for he), as it may among the languages.
      const tag = tags.get(language.toLowerCase()) ?? tags.get(canonicalTag(language)?.toLowerCase() ?? '');
      if (tag === undefined) {
        report([...path, language], 'is not one of the languages of this file', true);
      } else if (Object.hasOwn(texts, tag)) {
        report([...path, language], 'is a language that has a text already', true);
      } else {
        const problem = textProblem(text);
        if (problem !== undefined) report([...path, language], problem);
        texts[tag] = text;
      }
    }
    return texts;
  };
}

/** Why a text cannot be shown or kept; undefined when it can. */
export function textProblem(text: string): string | undefined {
  if (text.trim() === '') return 'is blank: leave it out instead';
  return text.isWellFormed() && !text.includes('\u0000') ? undefined : 'holds a character that cannot be stored';
}

function refuseBadName(name: string, path: (string | number)[], report: Report): void {
  if (name.trim() !== name || isBlank(name)) report(path, 'must not be blank, nor begin or end with a space');
  else if (!name.isWellFormed() || /\p{Cc}/u.test(name)) report(path, 'holds a character that a name cannot hold');
}

function refuseRepeats(
  items: readonly { name: string; was?: string }[],
  path: (string | number)[],
  what: string,
  report: Report,
): void {
  const names = new Set<string>();
  for (const [index, { name }] of items.entries()) {
    if (names.has(name)) report([...path, index, 'name'], `another ${what} has the name "${name}" already`);
    names.add(name);
  }
  const before = new Set<string>();
  for (const [index, { was }] of items.entries()) {
    if (was === undefined) continue;
    if (names.has(was)) report([...path, index, 'was'], `"${was}" is still the name of a ${what} in this file`);
    if (before.has(was)) report([...path, index, 'was'], `another ${what} was "${was}" already`);
    before.add(was);
  }
}
