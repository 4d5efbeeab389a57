import { useState } from 'react';
import { clamp, type Selection, select } from './selection.ts';
import type { Language } from './text-row.ts';

/**
 * The selection, initially in the column of `start`. The same text stays active when other rows or languages are shown
 * around it.
 */
export function useSelection(ids: readonly string[], languages: readonly Language[], start: () => number) {
  const [wanted, setSelection] = useState<Selection>(() => select({ row: 0, column: start() }));
  const [seen, setSeen] = useState({ ids, languages });
  let selection = wanted;
  if (seen.ids !== ids || seen.languages !== languages) {
    setSeen({ ids, languages });
    const id = seen.ids[wanted.active.row];
    const tag = seen.languages[wanted.active.column]?.tag;
    const row = id === undefined ? -1 : ids.indexOf(id);
    const column = languages.findIndex((language) => language.tag === tag);
    selection = select({ row: row < 0 ? 0 : row, column: column < 0 ? wanted.active.column : column });
    setSelection(selection);
  }
  const bounds = { rows: ids.length, columns: languages.length };
  return { selection: clamp(selection, bounds), bounds, setSelection };
}
