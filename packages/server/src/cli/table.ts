import { stripVTControlCharacters } from 'node:util';

/** If the last column is narrower than this, leave wrapping to the terminal. */
const LEAST_TEXT_WIDTH = 24;

/**
 * A table in which each column is as wide as its widest cell. The last column is not padded; given the width of a
 * terminal, it wraps within its column.
 */
export function layOut(
  rows: readonly (readonly string[])[],
  {
    indent = 0,
    gap = 3,
    lineWidth = process.stdout.columns,
  }: { indent?: number; gap?: number; lineWidth?: number } = {},
): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.slice(0, -1).entries()) {
      widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
    }
  }
  const lines = rows.flatMap((row) => {
    const cells = row
      .slice(0, -1)
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell) + gap));
    const before = ' '.repeat(indent) + cells.join('');
    const [first = '', ...more] = breakText(
      row.at(-1) ?? '',
      (lineWidth ?? Number.POSITIVE_INFINITY) - widthOf(before),
    );
    return [before + first, ...more.map((line) => ' '.repeat(widthOf(before)) + line)];
  });
  return lines.map((line) => line.trimEnd()).join('\n');
}

/** A name can contain anything; on a terminal it must neither break the line nor act as an escape sequence. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    character === ZERO_WIDTH_JOINER ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

/** Joins the parts of an emoji. */
const ZERO_WIDTH_JOINER = '\u200d';

function breakText(text: string, width: number): string[] {
  if (width < LEAST_TEXT_WIDTH || widthOf(text) <= width) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && widthOf(`${line} ${word}`) > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

const WIDE =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])/u;

/** Terminal cells: East Asian characters and emoji take two. */
function widthOf(styled: string): number {
  const text = stripVTControlCharacters(styled);
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}
