import type { TextChange } from './sheet.ts';
import { isMissing, type Language, sourceOf, type TextRow } from './text-row.ts';

/** A text and its source, one line each, as any translator can handle it. */
export type Line = { id: string; source: string };

/** The missing texts of a language. Multi-line texts are left to the grid: they would take the lines of others. */
export function listMissing(rows: readonly TextRow[], language: Language, languages: readonly Language[]): Line[] {
  return rows
    .filter((row) => isMissing(row, language))
    .map((row) => ({ id: row.id, source: sourceOf(row, languages) }))
    .filter(({ source }) => !/[\r\n]/.test(source));
}

/** Assigns the returned lines to the texts by position; undefined if the number differs. */
export function readList(typed: string, lines: readonly Line[], tag: string): TextChange[] | undefined {
  const given = linesOf(typed);
  if (given.length !== lines.length) return undefined;
  return lines.flatMap(({ id }, index) => {
    const text = given[index] ?? '';
    return text === '' ? [] : [{ id, tag, text }];
  });
}

/** Without empty lines at the end. */
export function linesOf(typed: string): string[] {
  return typed
    .trimEnd()
    .split(/\r?\n/)
    .map((line) => line.trim());
}
