import type { Catalog, Language, Texts } from './catalog.ts';
import { type CatalogDefinition, definitionOf } from './definition.ts';
import { TEXT_LIMIT } from './file-schema.ts';
import { createLanguages } from './languages.ts';
import { canonicalTag, textProblem } from './read-definition.ts';
import { findAmbiguous } from './read-key.ts';
import type { PlacedProblem } from './source.ts';
import type { TextEntry } from './texts-file.ts';
import { listNamed, pathOf, sourceText } from './translatable.ts';

/** A text that somebody else changed since the file was exported, otherwise than the file does. */
export type TextConflict = { path: string; language: string; line: number; inFile: string; inCatalog: string | null };
/** A text whose source is another one now than it was translated from. */
export type OutdatedText = { path: string; language: string; line: number; was: string; is: string };

export type MergedTexts = {
  /** The catalog with the texts of the file. */
  definition: CatalogDefinition;
  problems: PlacedProblem[];
  conflicts: TextConflict[];
  outdated: OutdatedText[];
};

/**
 * Puts the texts of a file into a catalog. With the catalog that the file was exported from, only what
 * was changed in the file is changed in the catalog, and what both changed is a conflict.
 */
export function mergeTexts(
  current: Catalog,
  entries: readonly TextEntry[],
  { base, prefer }: { base?: Catalog; prefer?: 'file' | 'catalog' } = {},
): MergedTexts {
  const definition = structuredClone(definitionOf(current));
  const merged: MergedTexts = { definition, problems: [], conflicts: [], outdated: [] };
  const items = new Map(listNamed(definition).map((item) => [item.path, item]));
  const itemsBefore = base && new Map(listNamed(base).map((item) => [item.path, item]));
  const sources = new Map([...items].map(([path, item]) => [path, sourceText(item, defaultOf(current.languages))]));
  const lines = new Map<string, number>();

  for (const { path, language: word, text, source, line } of entries) {
    const report = (message: string) => merged.problems.push({ line, column: 1, path, message });
    const language = findLanguage(current.languages, word);
    const item = items.get(path);
    if (!item) report(itemsBefore?.has(path) ? 'is not in the catalog any more' : 'is not in the catalog');
    else if (!language) report(`"${word}" is not a language of the catalog`);
    if (!item || !language) continue;

    const { name, tag } = language;
    const spot = `${path} ${tag}`;
    if (lines.has(spot)) report(`has a text in ${name} already, in line ${lines.get(spot)}`);
    lines.set(spot, line);
    const before = item.texts[tag];
    // With a base: left as it was by whoever had the file.
    if (text === before || (itemsBefore && text === itemsBefore.get(path)?.texts[tag])) continue;
    const problem = [...text].length > TEXT_LIMIT ? `is longer than ${TEXT_LIMIT} characters` : textProblem(text);
    if (problem) report(`in ${name} ${problem}`);
    if (itemsBefore && before !== itemsBefore.get(path)?.texts[tag]) {
      if (!prefer) merged.conflicts.push({ path, language: name, line, inFile: text, inCatalog: before ?? null });
      if (prefer !== 'file') continue;
    }
    const is = sources.get(path) as string;
    if (source !== undefined && source !== is) merged.outdated.push({ path, language: name, line, was: source, is });
    (item.texts as Texts)[tag] = text;
  }
  merged.problems.push(...ambiguities(definition, lines));
  return merged;
}

function defaultOf(languages: readonly Language[]): Language | undefined {
  return languages.find(({ isDefault }) => isDefault);
}

/** By name or tag, in any case, also in an older form of the tag. */
export function findLanguage(languages: readonly Language[], word: string): Language | undefined {
  const words = [word, canonicalTag(word)].map((each) => each?.toLowerCase());
  return languages.find(({ name, tag }) => words.includes(name.toLowerCase()) || words.includes(tag.toLowerCase()));
}

function ambiguities(definition: CatalogDefinition, lines: ReadonlyMap<string, number>): PlacedProblem[] {
  const languages = createLanguages(definition.languages);
  return definition.groups.flatMap((group) =>
    group.keys
      .filter(({ type }) => type === 'string')
      .flatMap((key) =>
        findAmbiguous(key.values ?? [], languages).map(({ index, tag, text }) => {
          const path = pathOf(group.name, key.name, String(key.values?.[index]?.value));
          const message = `has the text "${text}" in ${tag}, which stands for another value already`;
          return { line: lines.get(`${path} ${tag}`) ?? 1, column: 1, path, message };
        }),
      ),
  );
}
