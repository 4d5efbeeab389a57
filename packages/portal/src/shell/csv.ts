/** A table for a spreadsheet. Anything that it would run as a formula is escaped. */
export function toCsv(rows: readonly (readonly (string | number | null)[])[]): string {
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

/** What Excel and others take for the start of a formula, as in the service's own files. */
const FORMULA = /^'*(?:[\t\r\n]|[\s\u200b\ufeff]*[=+\-@＝＋－＠])/u;
/**
 * The same within a cell: in many countries, programs take semicolons or tabs for separators, and then neither commas
 * nor quotes within a field, nor a line break within those.
 */
const INNER_FORMULA = /[;\t\r\n] ?(?=[=+\-@＝＋－＠])/gu;

function cell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const safe = (FORMULA.test(value) ? `'${value}` : value).replaceAll(INNER_FORMULA, "$&'");
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
