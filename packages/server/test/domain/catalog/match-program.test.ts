import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, test } from 'vitest';
import { compilePattern, countSteps } from '../../../src/domain/catalog/pattern.ts';
import { readDefinition } from '../../../src/domain/catalog/read-definition.ts';
import { finish } from '../../../src/domain/slices.ts';
import { processorTime } from '../../processor-time.ts';

/** Patterns over a small alphabet, so that texts often match. */
const pattern = fc.letrec<{ all: string; part: string }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(
      'a',
      'b',
      '.',
      '[ab]',
      '[^a]',
      '\\w',
      '\\W',
      '\\d',
      '\\b',
      '\\B',
      '^',
      '\\A',
      '$',
      '(?i:A)',
      '\\p{L}',
      'é',
      '𝒳',
      '\\n',
    ),
    fc
      .tuple(tie('all'), fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '{2,}', '*?', ''))
      .map(([all, n]) => `(?:${all})${n}`),
    tie('all').map((all) => `(${all})`),
  ),
  all: fc.oneof(
    { maxDepth: 4 },
    tie('part'),
    fc.tuple(tie('part'), tie('part')).map((both) => both.join('')),
    fc.tuple(tie('part'), tie('part')).map((both) => both.join('|')),
  ),
})).all;
const text = fc.string({ unit: fc.constantFrom('a', 'A', 'b', '1', ' ', '\n', 'é', '𝒳', '_'), maxLength: 12 });

test('matches what re2js matches', () => {
  fc.assert(
    fc.property(pattern, fc.array(text, { minLength: 1, maxLength: 8 }), (written, texts) => {
      const compiled = compilePattern(written);
      const theirs = RE2JS.compile(written);
      for (const each of texts) expect([each, compiled.test(each)]).toEqual([each, theirs.matches(each)]);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ['\\bé', 'é', false],
  ['(?m)^a$\\n^b$', 'a\nb', true],
  ['(?s).*', 'a\nb', true],
  ['.*', 'a\nb', false],
  ['', '', true],
  ['', 'a', false],
  ['^a|b', 'b', true],
  ['^a|b', 'ab', false],
  ['^a?$', '', true],
  ['(?i)^A', 'a', true],
  ['(?i)straße', 'STRAßE', true],
  ['[\\p{L} ]{1,500}', 'Ünïcode 漢字', true],
])('%j on %j: %s', (written, each, expected) => expect(compilePattern(written).test(each)).toBe(expected));

test.each(['*^', '(?i)+^', '\\Q\\E?^', '(?s)\\Q\\E{2}^', '^(', '^**', '^[b-a]', '^)(', '^\\Qa)'])(
  'says of %s what re2js says',
  (written) => {
    const messageOf = (compile: () => unknown) => {
      try {
        compile();
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(messageOf(() => compilePattern(written))).toBe(messageOf(() => RE2JS.compile(written)));
  },
);

test('the size of a pattern is that of its program', () => {
  for (const written of ['^a$', '\\Aa*', '[^a]{9}', '^(a|b)+']) {
    expect(compilePattern(written).size).toBe(RE2JS.compile(written).programSize());
  }
});

test('a published pattern that takes long to compile is never matched at once, and not refused', () => {
  const slow = `(?i)[${'B-\u{1e942}'.repeat(331)}]`;
  // More than a line of an import may match at once, and few enough for 40 in a request.
  expect(countSteps(slow, 'a')).toBeGreaterThan(2_000_000);
  expect(countSteps(slow, 'a')).toBeLessThan(2_500_000 + 200 * slow.length);
  expect(countSteps(slow, 'a', false)).toBeLessThan(500_000);
  expect(countSteps(`(?i)[${'B-\u{1e942}'}]`, 'a')).toBeGreaterThan(500_000);
  expect(countSteps('[\\p{L}\\p{M}\\p{N} ]+', 'a')).toBeLessThan(50_000);
});

const WORST = `.*a${'((.{9}){10}){11}'.repeat(4)}`;
const keyWith = (constraint: object, rest: object = {}) => ({
  languages: [{ name: 'English', tag: 'en' }],
  groups: [{ name: 'g', keys: [{ name: 'k', type: 'string', constraint, ...rest }] }],
});
const problemsOf = (file: object) => {
  const read = finish(readDefinition(file));
  return 'problems' in read ? read.problems.map(({ message }) => message).join('\n') : '';
};

describe('the cost of one text', () => {
  test('the size of a pattern and the length of its texts are bounded together', () => {
    expect(problemsOf(keyWith({ pattern: WORST }))).toMatch(
      /too large for texts of up to 4000 characters: set max_length to at most 8/,
    );
    expect(problemsOf(keyWith({ pattern: WORST, max_length: 500 }))).toBe('');
    for (const usual of ['.*\\d.{7,99}', '[A-Za-z0-9 ]{1,200}', '[^@]+@[^@]{1,255}', '(foo|bar){0,50}']) {
      expect(problemsOf(keyWith({ pattern: usual }))).toBe('');
    }
  });

  test.each([
    [WORST, 810, 'a'],
    ['.*\\d.{7,99}', 4_000, '1'],
    ['(.*){200}x', 4_000, 'a'],
    ['(.?.?.?){120}.?', 4_000, 'a'],
  ])('the worst text for %s takes less than a tenth of a second', (written, length, unit) => {
    const { test } = compilePattern(written);
    const value = unit.repeat(length);
    test(value);
    expect(countSteps(written, value)).toBeLessThanOrEqual(4_000_000);
    expect(processorTime(() => test(value))).toBeLessThan(300);
  });

  test('many long defaults are not all matched', () => {
    const defaults = Array.from({ length: 2_000 }, (_, at) => `a${'b'.repeat(700)}${at}`);
    const file = keyWith({ pattern: '.*a((.{9}){10}){11}', max_length: 1_000 }, { multiple: true, default: defaults });
    expect(processorTime(() => expect(problemsOf(file)).toMatch(/too many long texts/))).toBeLessThan(6_000);
  });
});
