import { mapSteps, type Steps } from '../slices.ts';
import type { Catalog, Language } from './catalog.ts';
import { TEXT_LIMIT } from './file-schema.ts';
import type { PlacedProblem } from './source.ts';
import { sourceText, translatable } from './translatable.ts';

/** Translations on their way to translators and back: one text of one item in one language, with its position. */
export type TextEntry = {
  path: string;
  /** As named in the file: by name or tag. */
  language: string;
  text: string;
  /** What it was translated from, if the file says so. */
  source?: string;
  line: number;
  /** Why the line cannot be read; other lines can. */
  problem?: string;
};

export type TextsFile = {
  /** The revision it was exported from, as `CLIENT_ID@REVISION`, if the file says so. */
  stamp?: string;
  entries: TextEntry[];
};

/** Ten times what the largest catalogs have; without a limit, a file of one-letter texts could fill the memory. */
export const MAX_TEXTS = 500_000;
export const tooManyTexts = `contains more than ${MAX_TEXTS} texts: split it into several files`;

export type ReadTexts = { file: TextsFile } | { problems: PlacedProblem[] };

/** `123_abc@12` */
export function stampOf(clientId: string, revision: number): string {
  return `${clientId}@${revision}`;
}

/** What Excel and others take for the start of a formula, including full-width characters on some keyboards. */
const FORMULA = /^'*(?:[\t\r\n]|[\s\u200b\ufeff]*[=+\-@＝＋－＠])/u;
/**
 * The same within a cell: in many countries, programs take semicolons or tabs for separators, and then neither commas
 * nor quotes within a field, nor a line break within those.
 */
const INNER_FORMULA = /[;\t\r\n] ?'*(?=[=+\-@＝＋－＠])/gu;
const ESCAPED_INNER_FORMULA = /([;\t\r\n] ?'*)'(?=[=+\-@＝＋－＠])/gu;
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
  const inner = text.replaceAll(INNER_FORMULA, "$&'");
  const harmless = FORMULA.test(text) ? `'${inner}` : inner;
  // Quote semicolons and tabs too: some programs take them for separators.
  return /^\s|\s$|[",;\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

export function fromCell(cell: string): string {
  const text = cell.replaceAll(ESCAPED_INNER_FORMULA, '$1');
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text;
}

/** Characters of a language's name or tag, and of a path: no catalog has longer ones. */
const MAX_LANGUAGE = 255;
const MAX_PATH = 20_000;

/** Cuts what is too long for any catalog, off the HTTP thread: cut, it is still too long to be found in one. */
export function withinLimits(entry: TextEntry): TextEntry {
  const { text, line } = entry;
  const [path, language] = [cut(entry.path, MAX_PATH), cut(entry.language, MAX_LANGUAGE)];
  if (text.length > 2 * TEXT_LIMIT) {
    const problem = `in ${language} is longer than ${TEXT_LIMIT} characters`;
    return { path, language, text: '', line, problem };
  }
  return path === entry.path && language === entry.language ? entry : { ...entry, path, language };
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
