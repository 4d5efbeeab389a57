import { stripVTControlCharacters } from 'node:util';

/** Rows under one another, each column as wide as its widest cell; the last one runs free. */
export function layOut(rows: readonly (readonly string[])[], { indent = 0, gap = 3 } = {}): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
  }
  const showRow = (row: readonly string[]) =>
    row.map(
      (cell, column) => cell + ' '.repeat(column < row.length - 1 ? (widths[column] ?? 0) - widthOf(cell) + gap : 0),
    );
  return rows.map((row) => (' '.repeat(indent) + showRow(row).join('')).trimEnd()).join('\n');
}

/** A name can hold anything; on a terminal it must neither break the line nor give orders to the terminal. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character === '\u200d' ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

const graphemes = new Intl.Segmenter();
const WIDE =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])/u;

/** Terminal cells: east Asian characters and emoji take two. */
function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(stripVTControlCharacters(text))) width += WIDE.test(segment) ? 2 : 1;
  return width;
}
