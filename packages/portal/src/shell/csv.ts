/** A table for a spreadsheet. Anything that it would run as a formula is escaped. */
export function toCsv(rows: readonly (readonly (string | number | null)[])[]): string {
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

/** What Excel and others take for the start of a formula, as in the service's own files. */
const FORMULA = /^'*(?:[\t\r\n]|[\s\u200b\ufeff]*[=+\-@＝＋－＠])/u;
/** The same after a semicolon or tab: in many countries, programs take these for separators. */
const INNER_FORMULA = /[;\t] ?(?=[=+\-@＝＋－＠])/gu;

function cell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const safe = (FORMULA.test(value) ? `'${value}` : value).replaceAll(INNER_FORMULA, "$&'");
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
