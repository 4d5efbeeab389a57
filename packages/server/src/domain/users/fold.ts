/**
 * Texts that differ in case alone are the same folded, by Unicode's rules and not by a database's locale: `STRASSE`, `straße`;
 * `Σίσυφος`, `ΣΊΣΥΦΟΣ`.
 */
export function foldCase(text: string): string {
  return text.normalize('NFC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}
