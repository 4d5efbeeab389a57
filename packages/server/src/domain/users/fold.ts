/**
 * Texts that differ only in case fold to the same, by Unicode's rules and not by a database's locale: `STRASSE`,
 * `straße`; `Σίσυφος`, `ΣΊΣΥΦΟΣ`.
 */
export function foldCase(text: string): string {
  // Nearly every id, and most names: searches scan millions of them.
  if (PLAIN.test(text)) return text.toLowerCase();
  return text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}

const PLAIN = /^[ -~]*$/;
