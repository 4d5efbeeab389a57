import fc from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };

/**
 * Any code point but surrogates. The same as fast-check's unit `binary`, which first puts all million of them into a
 * map; these stay in memory until the process ends.
 */
export const anyCharacter = fc.integer({ min: 0, max: 0x10ffff - SURROGATES.count }).map(
  (place) => String.fromCodePoint(place < SURROGATES.first ? place : place + SURROGATES.count),
  (character) => {
    const [one, ...more] = typeof character === 'string' ? character : '';
    if (one === undefined || more.length > 0 || !one.isWellFormed()) throw new Error('not one character');
    const point = Number(one.codePointAt(0));
    return point < SURROGATES.first ? point : point - SURROGATES.count;
  },
);
