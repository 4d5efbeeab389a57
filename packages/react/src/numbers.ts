type Marks = { decimal: string; digits: string[] };

const known = new Map<string, Marks>();

function marksOf(locale: string): Marks {
  const found = known.get(locale);
  if (found) return found;
  let marks: Marks = { decimal: '.', digits: [...'0123456789'] };
  try {
    const parts = new Intl.NumberFormat(locale).formatToParts(-1.5);
    const digits = [...new Intl.NumberFormat(locale, { useGrouping: false }).format(9876543210)].reverse();
    const decimal = parts.find(({ type }) => type === 'decimal')?.value ?? '.';
    if (digits.length === 10) marks = { decimal, digits };
  } catch {
    // A runtime without this locale.
  }
  known.set(locale, marks);
  return marks;
}

/** In the reader's notation, without thousands separators, which could be mistaken for a decimal separator. */
export function writeNumber(value: number, locale: string): string {
  const { decimal, digits } = marksOf(locale);
  return String(value).replaceAll(/[\d.]/g, (each) => (each === '.' ? decimal : (digits[Number(each)] as string)));
}

/** Direction marks that keyboards and copied texts add. */
const INVISIBLE = /[\u061c\u200e\u200f\u2066-\u2069]/g;
const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?$/i;
/** Thousands, and in India also hundreds of thousands. */
const GROUPED = /^[+-]?[1-9]\d{0,2}(?:G\d{2,3})*G\d{3}(?=\.|$)/;

/**
 * Reads typed text, in any digits and with the separators of the reader's language; NaN if it is not a number or is
 * ambiguous.
 */
export function readNumber(typed: string, locale: string): number {
  const { decimal } = marksOf(locale);
  let text = [...typed.replaceAll(INVISIBLE, '').trim()].map(plainDigit).join('');
  text = text.replace(/^[\u2212\u2012\u2013\ufe63\uff0d]/, '-').replaceAll('\u066b', decimal === ',' ? ',' : '.');
  if (/[GO]/.test(text)) return Number.NaN;
  const other = decimal === ',' ? '.' : ',';
  // G: certainly a thousands separator. O: a decimal separator in other languages.
  const marked = text
    .replaceAll(/[\s'\u2019\u066c]/g, 'G')
    .replaceAll(other, 'O')
    .replaceAll(decimal, '.');
  return finite(withoutGroups(marked));
}

function withoutGroups(text: string): string {
  const grouped = text.replaceAll('O', 'G');
  if (grouped.includes('G') && GROUPED.test(grouped)) return grouped.replaceAll('G', '');
  // 1.5 in German cannot mean anything else.
  return text.includes('.') ? text : text.replace('O', '.');
}

function finite(text: string): number {
  const value = DECIMAL.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) ? value : Number.NaN;
}

const isDigit = (code: number): boolean => /\p{Nd}/u.test(String.fromCodePoint(code));

/** The digits of any script are ten consecutive characters; some have several sets, one after the other. */
function plainDigit(each: string): string {
  const code = each.codePointAt(0) as number;
  if (!isDigit(code)) return each;
  let zero = code;
  while (isDigit(zero - 1)) zero--;
  return String((code - zero) % 10);
}

/** A date of the service, YYYY-MM-DD, in the reader's notation. */
export function writeDate(date: string, locale: string): string {
  try {
    return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(
      new Date(`${date}T00:00:00Z`),
    );
  } catch {
    return date;
  }
}
