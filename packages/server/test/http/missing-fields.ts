/** Every way in which a field can be missing, with a word that the message must contain. */
export const MISSING: [why: string, value: unknown, word: RegExp][] = [
  ['absent', undefined, /missing/],
  ['null', null, /null/],
  ['a number', 7, /not a string/],
  ['a boolean', true, /not a string/],
  ['an array', ['x'], /not a string/],
  ['an object', { a: 1 }, /not a string/],
  ['empty', '', /blank/],
  ['blank', ' \t\n\u00a0', /blank/],
  ['256 characters', 'x'.repeat(256), /255/],
  ['256 emoji', '😀'.repeat(256), /255/],
  ['U+0000', 'a\u0000b', /U\+0000/],
  ['a lone surrogate', 'a\ud800b', /surrogate/],
];
