/** Escapes that are the UTF-8 of a character, and everything that is not an escape. */
const DECODABLE = (() => {
  const hex = '[\\da-f]';
  const next = `%[89ab]${hex}`;
  const characters = [
    `%[0-7]${hex}`,
    `%(?:c[2-9a-f]|d${hex})${next}`,
    `%(?:e0%[ab]${hex}|e[1-9a-cef]${next}|ed%[89]${hex})${next}`,
    `%(?:f0%[9ab]${hex}|f[1-3]${next}|f4%8${hex})${next}${next}`,
  ];
  return new RegExp(`^(?:[^%]|${characters.join('|')})*$`, 'i');
})();

/**
 * Whether decodeURIComponent can decode a text. Its exceptions take 10 µs each, and a request can have thousands of
 * malformed parts.
 */
export function isDecodable(text: string): boolean {
  return DECODABLE.test(text);
}
