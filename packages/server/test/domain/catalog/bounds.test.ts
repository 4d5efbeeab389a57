import { describe, expect, test } from 'vitest';
import { suggestLanguage } from '../../../src/domain/catalog/edits/languages-and-texts.ts';
import { parseCatalogFile } from '../../../src/domain/catalog/parse-file.ts';
import { readDefinition } from '../../../src/domain/catalog/read-definition.ts';
import { finish } from '../../../src/domain/slices.ts';
import { processorTime } from '../../processor-time.ts';

const withKey = (key: object) => ({
  languages: [{ name: 'English', tag: 'en' }],
  groups: [{ name: 'g', keys: [{ name: 'k', ...key }] }],
});
const problems = (key: object) => {
  const read = finish(readDefinition(withKey(key)));
  return 'problems' in read ? read.problems.map(({ message }) => message).join('\n') : '';
};

test.each([Array(90).fill('(a?){1000}').join('|'), '(x{10}y{20}){300}'.repeat(20), `(${'ab?'.repeat(200)}){1000}`])(
  'a pattern that is large because of repeats is rejected without running it',
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

test('a catalog has a maximum number of keys and values, and no key too large to be read at once', () => {
  const read = (groups: object[]) => {
    const found = finish(readDefinition({ ...withKey({ type: 'string' }), groups }));
    return 'problems' in found ? found.problems.map(({ message }) => message).join() : '';
  };
  const keys = (count: number, more: object = {}) =>
    Array.from({ length: count }, (_, at) => ({ name: `k${at}`, type: 'string', ...more }));
  const groups = (count: number, more: object) =>
    Array.from({ length: count }, (_, at) => ({ name: `g${at}`, ...more }));
  expect(read(groups(2, { keys: keys(10_000) }))).toBe('');
  expect(read([...groups(2, { keys: keys(10_000) }), { name: 'more', keys: keys(1) }])).toMatch(/at most 20000/);
  const values = Array.from({ length: 2_000 }, (_, at) => `v${at}`);
  expect(read(groups(1, { keys: keys(101, { values }) }))).toMatch(/at most 200000/);
  const long = values.map((value) => ({ value, translations: { English: `${value} ${'x'.repeat(600)}` } }));
  expect(read(groups(1, { keys: keys(1, { values: long }) }))).toMatch(/larger than 1000000 characters/);
});

test.each(['integer', 'number'])('a bound of the wrong type is reported, regardless of the others: %s', (type) => {
  expect(problems({ type, constraint: { min: 'x', step: 5 }, default: 5 })).toMatch(/must be a/);
});

test.each(['de-u-co-phonebk', 'en-t-de', 'de-x-private'])('a language is named without the extensions of %s', (tag) => {
  expect(suggestLanguage(tag)?.name).toMatch(/^(Deutsch|English)/);
});

describe('the patterns of one catalog', () => {
  const withPatterns = (patterns: string[]) => ({
    languages: [{ name: 'English', tag: 'en' }],
    groups: [
      {
        name: 'g',
        keys: patterns.map((pattern, at) => ({
          name: `k${at}`,
          type: 'string',
          constraint: { pattern },
          default: 'a',
        })),
      },
    ],
  });
  const many = (count: number, make: (at: number) => string) => Array.from({ length: count }, (_, at) => make(at));

  test('are at most 1000 distinct ones; keys may share them', () => {
    const patterns = many(1000, (at) => `a|${at}`);
    expect(finish(readDefinition(withPatterns([...patterns, ...patterns])))).toHaveProperty('definition');
    const text = JSON.stringify(withPatterns([...patterns, 'a|b', 'a|c', 'a|1']), null, 1);
    const parsed = parseCatalogFile(text);
    const line = text.slice(0, text.indexOf('a|b')).split('\n').length;
    expect(parsed).toMatchObject({
      problems: [
        {
          line,
          path: 'groups[0].keys[1000].constraint.pattern',
          message: 'exceeds the maximum of 1000 patterns in a catalog',
        },
        { path: 'groups[0].keys[1001].constraint.pattern' },
      ],
    });
  });

  test.each([
    ['whose size together is large', (at: number) => `a|(xy?z){120}${at}`, /too large together/],
    ['that are all too large', (at: number) => `a|(bcde?f){900}${at}`, /too large/],
    ['that are all wrong', (at: number) => `(a|${at}`, /not a pattern/],
  ])('%s do not take long to compile', (_, make, message) => {
    const read = () => {
      const definition = finish(readDefinition(withPatterns(many(5000, make))));
      expect('problems' in definition && definition.problems[0]?.message).toMatch(message);
    };
    // Compiling every one of them would take a minute.
    expect(processorTime(read)).toBeLessThan(10_000);
  });
});
