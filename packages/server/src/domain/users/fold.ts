/**
 * Texts that differ in case alone are the same folded, by Unicode's rules and not by a database's locale: `STRASSE`, `straße`;
 * `Σίσυφος`, `ΣΊΣΥΦΟΣ`.
 */
export function foldCase(text: string): string {
  // Nearly every id, and most names: searches look through millions of them.
  if (PLAIN.test(text)) return text.toLowerCase();
  return text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}

const PLAIN = /^[ -~]*$/;
