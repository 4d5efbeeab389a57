import type { Sheet } from './sheet.ts';
import { isMissing, type Language } from './text-row.ts';

export type Progress = { total: number; missing: number };

/** Of the default language nothing is missing: names stand in. */
export function progressOf(
  languages: readonly Language[],
  rows: number,
  filled: Readonly<Record<string, number>>,
): Map<string, Progress> {
  return new Map(
    languages.map(({ tag, isDefault }) => [
      tag,
      { total: rows, missing: isDefault ? 0 : Math.max(0, rows - (filled[tag] ?? 0)) },
    ]),
  );
}

export function percentOf({ total, missing }: Progress): number {
  return total === 0 ? 100 : Math.floor(((total - missing) / total) * 100);
}

/** The next row without a text in this language, or the one before; at the end it begins again. */
export function findMissing(
  sheet: Sheet,
  paths: readonly string[],
  language: Language,
  from: number,
  by: 1 | -1,
): number | undefined {
  for (let steps = 1; steps <= paths.length; steps++) {
    const at = (from + by * steps + paths.length * 2) % paths.length;
    const row = sheet.row(paths[at] ?? '');
    if (row && isMissing(row, language)) return at;
  }
  return undefined;
}
