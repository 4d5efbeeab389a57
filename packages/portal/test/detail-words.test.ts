import { expect, test } from 'vitest';
import { readDetail } from '../src/draft/detail-words.ts';

test.each([
  ['tag de, the default', 'tagDefault', { tag: 'de' }],
  ['tag de', 'tag', { tag: 'de' }],
  ['was old name', 'was', { name: 'old name' }],
  ['order of keys: a, b', 'order', { list: 'a, b' }],
  ['min: 0 → 2', 'min', { from: '0', to: '2' }],
  ['value removed: "a\nb"', 'valueRemoved', { value: '"a\nb"' }],
  ['replacement of "a": none → "b"', 'replacement', { value: '"a"', from: 'none', to: '"b"' }],
  ['takes only 1, 2', 'takesOnly', { list: '1, 2' }],
])('what the service says of a change is read: %s', (text, words, slots) => {
  expect(readDetail(text)).toMatchObject({ words, slots });
});

test('what it says in the words of people stays as it is', () => {
  expect(readDetail('Deutsch: none → "Küche"')).toBeUndefined();
});
