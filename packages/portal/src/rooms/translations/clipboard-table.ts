/** Cells as spreadsheets put them on the clipboard: tabs between columns, line breaks between rows. */

const QUOTED = /"((?:[^"]|"")*)"(?=\t|\r?\n|\r|$)/y;
const PLAIN = /[^\t\r\n]*/y;

export function readTable(text: string): string[][] {
  const rows: string[][] = [[]];
  let at = 0;
  while (at <= text.length) {
    const { cell, end } = readCell(text, at);
    rows.at(-1)?.push(cell);
    if (end >= text.length) break;
    at = end + 1;
    if (text[end] === '\t') continue;
    if (text[end] === '\r' && text[at] === '\n') at += 1;
    // The line break after the last row does not start another.
    if (at >= text.length) break;
    rows.push([]);
  }
  return rows;
}

function readCell(text: string, at: number): { cell: string; end: number } {
  QUOTED.lastIndex = at;
  const [whole, quoted] = QUOTED.exec(text) ?? [];
  // Quotes belong to the text, unless the cell had to be quoted.
  if (whole !== undefined && quoted !== undefined && /[\t\r\n]|""/.test(quoted)) {
    return { cell: quoted.replaceAll('""', '"').replaceAll('\r\n', '\n'), end: at + whole.length };
  }
  PLAIN.lastIndex = at;
  const [plain = ''] = PLAIN.exec(text) ?? [];
  return { cell: plain, end: at + plain.length };
}

export function writeTable(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => row.map(writeCell).join('\t')).join('\n');
}

function writeCell(cell: string): string {
  return /[\t\r\n]|^"/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
