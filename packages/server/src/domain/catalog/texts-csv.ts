import { mapSteps, type Steps } from '../slices.ts';
import type { Catalog, Language } from './catalog.ts';
import { sourceText, translatable } from './translatable.ts';

/** What Excel and others take for the start of a formula, including full-width characters on some keyboards. */
const FORMULA = /^'*(?:[\t\r\n]|[\s\u200b\ufeff]*[=+\-@＝＋－＠])/u;
export const BYTE_ORDER_MARK = '\ufeff';

/**
 * Texts as CSV (RFC 4180): `path`, `source` (what to translate), and a column for each language. Starts with a byte
 * order mark, without which Excel does not recognize UTF-8. No cell can be read as a formula.
 */
export function* writeTextsCsv(catalog: Catalog, languages: readonly Language[], stamp: string): Steps<string> {
  const byDefault = catalog.languages.find(({ isDefault }) => isDefault);
  const rows = yield* mapSteps(translatable(catalog), (item) =>
    toRow([item.path, sourceText(item, byDefault), ...languages.map(({ tag }) => item.texts[tag] ?? '')]),
  );
  const head = toRow([`path (${stamp})`, 'source', ...languages.map(({ name }) => name)]);
  return BYTE_ORDER_MARK + head + rows.join('');
}

function toRow(cells: readonly string[]): string {
  return `${cells.map(toCell).join(',')}\r\n`;
}

/** A cell that every program reads as plain text. */
export function toCell(text: string): string {
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  // Quote semicolons and tabs too: some programs take them for separators.
  return /^\s|\s$|[",;\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

export function fromCell(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
}
