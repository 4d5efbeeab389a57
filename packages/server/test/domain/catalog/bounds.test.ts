import { expect, test } from 'vitest';
import { readDefinition } from '../../../src/domain/catalog/read-definition.ts';
import { suggestLanguage } from '../../../src/domain/catalog/suggest-language.ts';

const withKey = (key: object) => ({
  languages: [{ name: 'English', tag: 'en' }],
  groups: [{ name: 'g', keys: [{ name: 'k', ...key }] }],
});
const problems = (key: object) => {
  const read = readDefinition(withKey(key));
  return 'problems' in read ? read.problems.map(({ message }) => message).join('\n') : '';
};

test.each([Array(90).fill('(a?){1000}').join('|'), '(x{10}y{20}){300}'.repeat(20), `(${'ab?'.repeat(200)}){1000}`])(
  'a pattern that its repeats make large is refused, not run',
  (pattern) => {
    expect(problems({ type: 'string', constraint: { pattern }, default: 'a'.repeat(1000) })).toMatch(/too large/);
  },
);

test.each(['[A-Za-z0-9 ]{1,200}', '\\+?[0-9]{7,15}', '[^@]+@[^@]{1,255}', '(foo|bar){0,50}'])(
  '%s is fine',
  (pattern) => {
    expect(problems({ type: 'string', constraint: { pattern } })).toBe('');
  },
);

test('a default has no more values than a key can have', () => {
  const values = Array.from({ length: 2000 }, (_, value) => value);
  const list = Array(200_000).fill(1999);
  expect(problems({ type: 'integer', multiple: true, values, default: list })).not.toBe('');
});

test.each(['integer', 'number'])('a bound of the wrong type is told, whatever else stands beside it: %s', (type) => {
  expect(problems({ type, constraint: { min: 'x', step: 5 }, default: 5 })).toMatch(/must be a/);
});

test.each(['de-u-co-phonebk', 'en-t-de', 'de-x-private'])('a language is named without the extensions of %s', (tag) => {
  expect(suggestLanguage(tag)?.name).toMatch(/^(Deutsch|English)/);
});
