import { mapSteps, type Steps } from '../slices.ts';
import type { AllowedValue, Catalog, Language } from './catalog.ts';
import { type CatalogDefinition, definitionOf, type WantedGroup } from './definition.ts';
import { TEXT_LIMIT } from './file-schema.ts';
import { canonicalTag, createLanguages } from './languages.ts';
import { textProblem } from './read-definition.ts';
import { findAmbiguous } from './read-key.ts';
import type { PlacedProblem } from './source.ts';
import type { TextEntry } from './texts-file.ts';
import { named, pathOf, sourceText } from './translatable.ts';

/** No one reads more. */
const MAX_AMBIGUITIES = 1_000;
/** Characters of all changes together: each has its source before and now, the same in every language. */
const MAX_CHARACTERS = 64 * 1024 ** 2;

/** A text that was changed in the catalog since the export, and differently in the file. */
export type TextConflict = { path: string; language: string; line: number; inFile: string; inCatalog: string | null };
/** A text whose source has changed since it was translated. */
export type OutdatedText = { path: string; language: string; line: number; was: string; is: string };

/** A text in the file that differs from the catalog. */
export type MergedText = {
  path: string;
  tag: string;
  line: number;
  text: string;
  /** The current text in the catalog. */
  before: string | null;
  /** The text at the time of the export, if known. */
  exported?: string | null;
  /** Both sides changed it since. */
  isConflict: boolean;
  /** The source it was translated from and the current one, if they differ. */
  source?: { was: string; is: string };
};

/** Why a text of the file cannot be imported; with its language, if the catalog has it. */
export type TextProblem = PlacedProblem & { tag?: string };

export type MergedTexts = {
  /** The catalog with the texts of the file. */
  definition: CatalogDefinition;
  /** Texts in the file that equal the catalog's, or those of the export. */
  same: number;
  /** The changes in the file, including conflicts, whichever side was preferred. */
  texts: MergedText[];
  problems: TextProblem[];
  conflicts: TextConflict[];
  outdated: OutdatedText[];
};

/**
 * Merges the texts of a file into a catalog. If the catalog it was exported from is given, only texts that were changed
 * in the file are changed, and texts changed on both sides are conflicts.
 */
export function* mergeTexts(
  current: Catalog,
  entries: readonly TextEntry[],
  { base, prefer }: { base?: Catalog; prefer?: 'file' | 'catalog' } = {},
): Steps<MergedTexts> {
  const definition = yield* copyTexts(yield* definitionOf(current));
  const merged: MergedTexts = { definition, same: 0, texts: [], problems: [], conflicts: [], outdated: [] };
  const items = new Map(yield* mapSteps(named(definition), (item) => [item.path, item] as const));
  const itemsBefore = base && new Map(yield* mapSteps(named(base), (item) => [item.path, item] as const));
  const byDefault = current.languages.find(({ isDefault }) => isDefault);
  const sources = new Map(yield* mapSteps(items, ([path, item]) => [path, sourceText(item, byDefault)] as const));
  const lines = new Map<string, number>();
  const languages = new Map<string, Language | undefined>();
  const findLanguage = languageFinder(current.languages);
  let characters = 0;

  // A line or column is one problem, however many texts it has.
  const reported = new Set<string>();
  const reportOnce = (key: string, problem: TextProblem) => {
    if (reported.size < reported.add(key).size) merged.problems.push(problem);
  };

  for (const { path, language: word, text, source, line, problem: unreadable } of entries) {
    yield;
    if (unreadable !== undefined) {
      merged.problems.push({ line, column: 1, path, message: unreadable });
      continue;
    }
    if (!languages.has(word)) languages.set(word, findLanguage(word));
    const language = languages.get(word);
    const report = (message: string) =>
      merged.problems.push({ line, column: 1, path, message, ...(language && { tag: language.tag }) });
    const item = items.get(path);
    if (!item) {
      const message = itemsBefore?.has(path) ? 'is no longer in the catalog' : 'is not in the catalog';
      reportOnce(`${line} ${path}`, { line, column: 1, path, message });
    } else if (!language) {
      reportOnce(word, { line, column: 1, path, message: `"${word}" is not a language of the catalog` });
    }
    if (!item || !language) continue;

    const { name, tag } = language;
    const spot = `${path} ${tag}`;
    if (lines.has(spot)) {
      report(`already has a text in ${name}, in line ${lines.get(spot)}`);
      continue;
    }
    lines.set(spot, line);
    const before = item.texts[tag];
    const exported = itemsBefore?.get(path)?.texts[tag];
    // With a base: unchanged in the file.
    if (text === before || (itemsBefore && text === exported)) {
      merged.same += 1;
      continue;
    }
    const isTooLong = text.length > TEXT_LIMIT && [...text].length > TEXT_LIMIT;
    const problem = isTooLong ? `is longer than ${TEXT_LIMIT} characters` : textProblem(text);
    if (problem) {
      report(`in ${name} ${problem}`);
      continue;
    }
    const isConflict = itemsBefore !== undefined && before !== exported;
    const is = sources.get(path) as string;
    const isOutdated = source !== undefined && source !== is;
    const written = [path, text, before, exported, ...(isOutdated ? [source, is] : [])];
    characters += written.reduce((sum, each) => sum + (each?.length ?? 0), 0);
    if (characters > MAX_CHARACTERS) {
      const message = 'and the following texts make the changes too large: split the file into several';
      merged.problems.unshift({ line, column: 1, path, message, tag });
      break;
    }
    merged.texts.push({
      ...{ path, tag, line, text, before: before ?? null, isConflict },
      ...(itemsBefore && { exported: exported ?? null }),
      ...(isOutdated && { source: { was: source, is } }),
    });
    if (isConflict) {
      if (!prefer) merged.conflicts.push({ path, language: name, line, inFile: text, inCatalog: before ?? null });
      if (prefer !== 'file') continue;
    }
    if (isOutdated) merged.outdated.push({ path, language: name, line, was: source, is });
    item.texts[tag] = text;
  }
  return { ...merged, problems: [...merged.problems, ...(yield* ambiguities(definition, lines))] };
}

/** A copy whose texts can be changed. */
function* copyTexts({ languages, groups }: CatalogDefinition): Steps<CatalogDefinition> {
  const copied: WantedGroup[] = [];
  for (const group of groups) {
    const keys = yield* mapSteps(group.keys, (key) => ({
      ...key,
      texts: { ...key.texts },
      descriptions: { ...key.descriptions },
      values: key.values?.map((value) => ({ ...value, texts: { ...value.texts } })) ?? null,
    }));
    copied.push({ ...group, texts: { ...group.texts }, descriptions: { ...group.descriptions }, keys });
  }
  return { languages, groups: copied };
}

/** By name or tag, in any case, including deprecated forms of a tag. */
export function languageFinder(languages: readonly Language[]): (word: string) => Language | undefined {
  const { find } = createLanguages(languages);
  return (word) => find(word) ?? find(canonicalTag(word) ?? word);
}

/** Texts that two values now share, reported at the one that is in the file. */
function* ambiguities(definition: CatalogDefinition, lines: ReadonlyMap<string, number>): Steps<TextProblem[]> {
  const languages = createLanguages(definition.languages);
  const problems: TextProblem[] = [];
  for (const group of definition.groups) {
    for (const key of group.keys) {
      yield;
      const values = key.values ?? [];
      const ambiguous = key.type === 'string' ? findAmbiguous(values, languages) : [];
      if (ambiguous.length === 0) continue;
      const paths = values.map(({ value }) => pathOf(group.name, key.name, String(value)));
      // In each language, the first value in the file with each text.
      const alike = new Map<string, Map<string, string>>();
      for (const { index, tag, text } of ambiguous) {
        yield;
        const ofTag = alike.get(tag) ?? firstInFile(values, paths, { tag, lines });
        alike.set(tag, ofTag);
        const own = paths[index] as string;
        const path = lines.has(`${own} ${tag}`) ? own : (ofTag.get(text) ?? own);
        const message = `has the text "${text}" in ${tag}, which already belongs to another value`;
        if (problems.length === MAX_AMBIGUITIES) return problems;
        problems.push({ line: lines.get(`${path} ${tag}`) ?? 1, column: 1, path, message, tag });
      }
    }
  }
  return problems;
}

/** The paths of the first values in the file by their text in a language. */
function firstInFile(
  values: readonly AllowedValue[],
  paths: readonly string[],
  { tag, lines }: { tag: string; lines: ReadonlyMap<string, number> },
): Map<string, string> {
  const found = new Map<string, string>();
  for (const [at, path] of paths.entries()) {
    const text = values[at]?.texts[tag];
    if (text !== undefined && !found.has(text) && lines.has(`${path} ${tag}`)) found.set(text, path);
  }
  return found;
}
