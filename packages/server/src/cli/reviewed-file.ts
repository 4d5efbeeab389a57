import type { Language } from '../domain/catalog/catalog.ts';
import { readTextsFile } from '../domain/catalog/import-texts.ts';
import { languageFinder } from '../domain/catalog/merge-texts.ts';
import { type PlacedProblem, showProblem } from '../domain/catalog/source.ts';
import type { ReviewedText } from '../domain/catalog/text-states.ts';
import type { Input } from './read-input.ts';

/** The translations in an exported file as a reviewer read them, each with its source; or why there are none. */
export async function readReviewedFile(
  { name, text: content }: Input,
  languages: readonly Language[],
): Promise<{ texts: ReviewedText[] } | { problems: string[] }> {
  const read = await readTextsFile(content, name);
  const show = (problems: Iterable<PlacedProblem>) => Array.from(problems, (problem) => showProblem(name, problem));
  if ('problems' in read) return { problems: show(read.problems) };
  const find = languageFinder(languages);
  const texts: ReviewedText[] = [];
  // One line, or one column, is one problem, however many texts it has.
  const problems = new Map<string, PlacedProblem>();
  for (const { path, language: word, text, source, line, problem } of read.file.entries) {
    const language = find(word);
    const report = (once: string, message: string) =>
      problems.has(once) || problems.set(once, { line, column: 1, path, message });
    if (problem !== undefined) report(`line ${line}`, problem);
    else if (!language) report(`language ${word}`, `"${word}" is not a language of the catalog`);
    else if (source === undefined) report('source', 'has no source text: use a file written by `catalog export`');
    // The source itself is not a translation.
    else if (!language.isDefault) texts.push({ path, language: language.tag, text, source });
  }
  return problems.size > 0 ? { problems: show(problems.values()) } : { texts };
}
