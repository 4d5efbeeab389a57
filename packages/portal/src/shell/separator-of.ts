/** The separator in numbers as the reader's language writes them. */
export function separatorOf(type: 'group' | 'decimal', language: string): string {
  const parts = new Intl.NumberFormat(language).formatToParts(1_000_000.5);
  return parts.find((part) => part.type === type)?.value ?? '';
}
