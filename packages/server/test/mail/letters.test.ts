import { expect, test } from 'vitest';
import letters from '../../src/domain/mail/letters.json' with { type: 'json' };

const placeholders = (letter: object): string[] =>
  [...new Set(JSON.stringify(letter).match(/\{\w+\}/g) ?? [])].toSorted((a, b) => a.localeCompare(b));

test.each(Object.entries(letters))(
  'letters in %s name all that the English ones name',
  (_, { letters: translated }) => {
    for (const [kind, english] of Object.entries(letters.en.letters)) {
      const letter = Object.entries(translated).find(([name]) => name === kind)?.[1] ?? {};
      expect([kind, ...placeholders(letter)]).toEqual([kind, ...placeholders(english)]);
    }
  },
);
