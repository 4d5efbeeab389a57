import type { Block } from './selection.ts';
import type { TextChange } from './sheet.ts';

export type Pasted = {
  changes: TextChange[];
  /** Empty cells of the clipboard: they delete no text. */
  empty: number;
  /** Cells of the clipboard without a matching row or language. */
  outside: number;
};

/** Pastes a table at the top left of the selection; a single cell fills the whole selection. */
export function planPaste(
  table: readonly (readonly string[])[],
  block: Block,
  { ids, tags }: { ids: readonly string[]; tags: readonly string[] },
): Pasted {
  const pasted: Pasted = { changes: [], empty: 0, outside: 0 };
  const isSingle = table.length === 1 && table[0]?.length === 1;
  const put = (row: number, column: number, text: string) => {
    const [id, tag] = [ids[row], tags[column]];
    if (text.trim() === '') pasted.empty += 1;
    else if (id === undefined || tag === undefined) pasted.outside += 1;
    else pasted.changes.push({ id, tag, text });
  };
  if (isSingle) {
    for (let row = block.top; row <= block.bottom; row++) {
      for (let column = block.left; column <= block.right; column++) put(row, column, table[0]?.[0] ?? '');
    }
    return pasted;
  }
  for (const [down, cells] of table.entries()) {
    for (const [across, text] of cells.entries()) put(block.top + down, block.left + across, text);
  }
  return pasted;
}
