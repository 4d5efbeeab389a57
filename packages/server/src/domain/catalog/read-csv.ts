import { CsvError, parse } from 'csv-parse/sync';
import type { PlacedProblem } from './source.ts';
import {
  BYTE_ORDER_MARK,
  fromCell,
  MAX_TEXTS,
  type ReadTexts,
  type TextEntry,
  tooManyTexts,
  withinLimits,
} from './texts-file.ts';

/** The path, the source, and the maximum number of languages. */
const MAX_COLUMNS = 202;

/** A catalog has at most 100,000 texts per language; the rest are line breaks within texts. */
const MAX_LINES = 200_000;

const HEAD = /^"?path(?: \(([^()",;\t]+)\))?"?([,;\t])/i;

/**
 * Reads what writeTextsCsv wrote, also after a spreadsheet saved it with semicolons or tabs, or with its columns moved.
 */
export function readTextsCsv(text: string): ReadTexts {
  const bare = withoutBlankEnd(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  const [, stamp, delimiter] = HEAD.exec(bare) ?? [];
  if (delimiter === undefined) {
    return problem(1, 'the first line must name the columns: path, then languages, separated by commas');
  }
  const problemOfSize = findExcess(bare, delimiter);
  if (problemOfSize) return problemOfSize;
  let rows: { record: string[]; info: { lines: number } }[];
  try {
    rows = parse(bare, {
      delimiter,
      info: true,
      skip_empty_lines: true,
      // A line with too few or too many cells is one problem; the others are read.
      relax_column_count: true,
      max_record_size: 4_000_000,
    }) as unknown as typeof rows;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return problem(
      (error as { lines?: number }).lines ?? 1,
      error.message.replace(/^[A-Z](?=[a-z])/, (c) => c.toLowerCase()),
    );
  }
  const [head, ...body] = rows;
  const columns = (head?.record ?? []).map((cell) => fromCell(cell).trim());
  const seen = new Set<string>();
  const repeated = columns.find((column) => seen.size === seen.add(column).size);
  if (repeated !== undefined) return problem(1, `duplicate column "${repeated}"`);
  const sourceColumn = columns.findIndex((column, index) => index > 0 && column.toLowerCase() === 'source');

  const entries: TextEntry[] = [];
  let line = (head?.info.lines ?? 1) + 1;
  for (const { record, info } of body) {
    const cells = record.map(fromCell);
    if (record.length !== columns.length) {
      const problem = `has ${record.length} ${record.length === 1 ? 'column' : 'columns'} instead of ${columns.length}`;
      entries.push({ ...withinLimits({ path: cells[0] ?? '', language: '', text: '', line }), problem });
      line = info.lines + 1;
      continue;
    }
    for (const [index, language] of columns.entries()) {
      const text = cells[index] ?? '';
      // An empty cell means not translated yet; it never deletes a text.
      if (index === 0 || index === sourceColumn || text === '') continue;
      const source = sourceColumn < 0 ? undefined : cells[sourceColumn];
      entries.push(
        withinLimits({ path: cells[0] ?? '', language, text, ...(source !== undefined && { source }), line }),
      );
    }
    if (entries.length > MAX_TEXTS) return problem(line, tooManyTexts);
    line = info.lines + 1;
  }
  return { file: { ...(stamp !== undefined && { stamp }), entries } };
}

/** Editors and spreadsheets leave blank lines at the end. */
function withoutBlankEnd(text: string): string {
  let end = text.length;
  while (end > 0 && ' \r\n'.includes(text[end - 1] as string)) end--;
  const newline = text.indexOf('\n', end);
  return newline < 0 ? text : text.slice(0, newline + 1);
}

/** Checked before parsing: a parser allocates an array per row and a string per cell. */
function findExcess(text: string, delimiter: string): { problems: PlacedProblem[] } | undefined {
  const [comma, quote, newline] = [delimiter.charCodeAt(0), '"'.charCodeAt(0), 10];
  let [isQuoted, line, columns] = [false, 1, 1];
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === quote) isQuoted = !isQuoted;
    else if (char === newline) {
      line++;
      if (!isQuoted) columns = 1;
    } else if (char === comma && !isQuoted && ++columns > MAX_COLUMNS) {
      return problem(line, `has more than ${MAX_COLUMNS} columns`);
    }
    if (line > MAX_LINES) return problem(line, `has more than ${MAX_LINES} lines: split it into several files`);
  }
  return undefined;
}

function problem(line: number, message: string): { problems: PlacedProblem[] } {
  return { problems: [{ line, column: 1, path: '', message }] };
}
