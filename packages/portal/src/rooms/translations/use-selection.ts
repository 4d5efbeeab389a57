import { useState } from 'react';
import { clamp, type Selection, select } from './selection.ts';
import type { Language } from './text-row.ts';

/**
 * The selection, initially in the column of `start`. The same text stays active when other rows or languages are shown
 * around it.
 */
export function useSelection(paths: readonly string[], languages: readonly Language[], start: () => number) {
  const [wanted, setSelection] = useState<Selection>(() => select({ row: 0, column: start() }));
  const [seen, setSeen] = useState({ paths, languages });
  let selection = wanted;
  if (seen.paths !== paths || seen.languages !== languages) {
    setSeen({ paths, languages });
    const path = seen.paths[wanted.active.row];
    const tag = seen.languages[wanted.active.column]?.tag;
    const row = path === undefined ? -1 : paths.indexOf(path);
    const column = languages.findIndex((language) => language.tag === tag);
    selection = select({ row: row < 0 ? 0 : row, column: column < 0 ? wanted.active.column : column });
    setSelection(selection);
  }
  const bounds = { rows: paths.length, columns: languages.length };
  return { selection: clamp(selection, bounds), bounds, setSelection };
}
