import { isMissing, type Language, type TextRow } from './text-row.ts';

export type Filter = {
  search: string;
  /** The path of a group; undefined: all. */
  group: string | undefined;
  /** 'any' of the languages that are shown, or the tag of one. */
  missing: string | undefined;
  /** Only what is not saved and needs a look. */
  attention: boolean;
};

/** The paths of the rows that fit, in order. */
export function filterRows(rows: readonly TextRow[], filter: Filter, shown: readonly Language[]): string[] {
  const search = filter.search.trim().toLowerCase();
  const asked = filter.missing === 'any' ? shown : shown.filter(({ tag }) => tag === filter.missing);
  return rows
    .filter((row) => filter.group === undefined || row.group === filter.group)
    .filter((row) => filter.missing === undefined || asked.some((language) => isMissing(row, language)))
    .filter((row) => !filter.attention || Object.values(row.marks ?? {}).some(needsAttention))
    .filter((row) => search === '' || holds(row, search))
    .map(({ path }) => path);
}

/** Where the cursor begins in the first row: at what is missing, if that is what was asked for. */
export function firstColumn(row: TextRow | undefined, missing: Filter['missing'], shown: readonly Language[]): number {
  if (!row || missing === undefined) return 0;
  const isAsked = ({ tag }: Language) => missing === 'any' || missing === tag;
  return Math.max(
    0,
    shown.findIndex((language) => isAsked(language) && isMissing(row, language)),
  );
}

function needsAttention({ phase }: { phase: string }): boolean {
  return phase === 'refused' || phase === 'conflict';
}

function holds({ name, parent, path, texts }: TextRow, search: string): boolean {
  return [name, parent, path, ...Object.values(texts)].some((text) => text.toLowerCase().includes(search));
}
