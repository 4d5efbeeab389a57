import type { TextChange } from './sheet.ts';
import { isMissing, type Language, sourceOf, type TextRow } from './text-row.ts';

/** A text and what it is to be translated from, a line each: as any translator takes and gives it. */
export type Line = { path: string; source: string };

/** What is missing in a language. A text of several lines is left to the grid: it would take the lines of others. */
export function listMissing(rows: readonly TextRow[], language: Language, languages: readonly Language[]): Line[] {
  return rows
    .filter((row) => isMissing(row, language))
    .map((row) => ({ path: row.path, source: sourceOf(row, languages) }))
    .filter(({ source }) => !/[\r\n]/.test(source));
}

/** The lines as they come back, each for the text in its place; undefined when there are more or fewer of them. */
export function readList(typed: string, lines: readonly Line[], tag: string): TextChange[] | undefined {
  const given = linesOf(typed);
  if (given.length !== lines.length) return undefined;
  return lines.flatMap(({ path }, index) => {
    const text = given[index] ?? '';
    return text === '' ? [] : [{ path, tag, text }];
  });
}

/** Without those that are empty at the end, which are nobody's. */
export function linesOf(typed: string): string[] {
  return typed
    .trimEnd()
    .split(/\r?\n/)
    .map((line) => line.trim());
}
