import type { Sheet } from './sheet.ts';
import { defaultTag, isMissing, type Language, stateOf, type TextRow } from './text-row.ts';

export type Progress = { total: number; missing: number; outdated: number; unreviewed: number };
export const NO_PROGRESS: Progress = { total: 0, missing: 0, outdated: 0, unreviewed: 0 };

/** Nothing is missing in the default language: names stand in. */
export function progressOf(
  languages: readonly Language[],
  rows: readonly TextRow[],
  filled: Readonly<Record<string, number>>,
): Map<string, Progress> {
  const from = defaultTag(languages);
  return new Map(
    languages.map((language) => {
      const { tag, isDefault } = language;
      if (isDefault) return [tag, { ...NO_PROGRESS, total: rows.length }];
      const has = filled[tag] ?? 0;
      const count = { outdated: 0, reviewed: 0 };
      for (const row of rows) {
        const state = stateOf(row, language, from);
        if (state) count[state] += 1;
      }
      const missing = Math.max(0, rows.length - has);
      return [tag, { total: rows.length, missing, outdated: count.outdated, unreviewed: has - count.reviewed }];
    }),
  );
}

export function percentOf({ total, missing }: Pick<Progress, 'total' | 'missing'>): number {
  return total === 0 ? 100 : Math.floor(((total - missing) / total) * 100);
}

/** The next or previous row without a text in this language; wraps around at the end. */
export function findMissing(
  sheet: Sheet,
  ids: readonly string[],
  language: Language,
  from: number,
  by: 1 | -1,
): number | undefined {
  for (let steps = 1; steps <= ids.length; steps++) {
    const at = (from + by * steps + ids.length * 2) % ids.length;
    const row = sheet.row(ids[at] ?? '');
    if (row && isMissing(row, language)) return at;
  }
  return undefined;
}
