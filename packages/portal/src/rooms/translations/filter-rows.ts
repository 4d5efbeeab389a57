import { defaultTag, hasIssue, type Language, type TextIssue, type TextRow } from './text-row.ts';

/** Texts that lack something: in 'any' of the visible languages, or in one, by tag. */
export type Only = { issue: TextIssue; tag: string };

export type Filter = {
  search: string;
  /** The path of a group; undefined: all. */
  group: string | undefined;
  only: Only | undefined;
  /** Only unsaved texts that need attention. */
  attention: boolean;
};

/** The ids of the matching rows, in order. `from`: the tag of the default language, which may be hidden. */
export function filterRows(
  rows: readonly TextRow[],
  { only, ...filter }: Filter,
  shown: readonly Language[],
  from = defaultTag(shown),
): string[] {
  const search = filter.search.trim().toLowerCase();
  const candidates = only?.tag === 'any' ? shown : shown.filter(({ tag }) => tag === only?.tag);
  return rows
    .filter((row) => filter.group === undefined || row.group === filter.group)
    .filter((row) => only === undefined || candidates.some((language) => hasIssue(row, language, only.issue, from)))
    .filter((row) => !filter.attention || Object.values(row.marks ?? {}).some(needsAttention))
    .filter((row) => search === '' || holds(row, search))
    .map(({ id }) => id);
}

/** The column where the cursor starts in the first row: that of the filter. */
export function firstColumn(
  row: TextRow | undefined,
  only: Only | undefined,
  shown: readonly Language[],
  from = defaultTag(shown),
): number {
  if (!row || only === undefined) return 0;
  const isFiltered = ({ tag }: Language) => only.tag === 'any' || only.tag === tag;
  return Math.max(
    0,
    shown.findIndex((language) => isFiltered(language) && hasIssue(row, language, only.issue, from)),
  );
}

function needsAttention({ phase }: { phase: string }): boolean {
  return phase === 'refused' || phase === 'conflict';
}

function holds({ name, parent, path, texts }: TextRow, search: string): boolean {
  return [name, parent, path, ...Object.values(texts)].some((text) => text.toLowerCase().includes(search));
}
