import { describe, expect, test } from 'vitest';
import type { Catalog } from '../../../src/domain/catalog/catalog.ts';
import { suggestLanguage } from '../../../src/domain/catalog/edits/languages-and-texts.ts';
import { refuseGrowth } from '../../../src/domain/catalog/growth.ts';
import { parseCatalogFile } from '../../../src/domain/catalog/parse-file.ts';
import { planCatalog } from '../../../src/domain/catalog/plan.ts';
import { readDefinition } from '../../../src/domain/catalog/read-definition.ts';
import { finish } from '../../../src/domain/slices.ts';
import { processorTime } from '../../processor-time.ts';
import { define, EMPTY } from './generated.ts';

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

const CASES = 'B-\u{1e942}';
const OPTIONAL = Array.from({ length: 490 }, (_, at) => `${String.fromCodePoint(0x6e00 - at)}?`).join('');

test.each([
  ['ranges after (?i)', `(?i)[${CASES.repeat(331)}]`],
  ['negated ranges', `(?i)[^${CASES.repeat(300)}]`],
  ['ranges in many classes', `(?i:[${CASES}])`.repeat(70)],
  ['ranges in alternatives', `(?i)${`[${CASES}]|`.repeat(150)}a`],
  ['ranges by number', `(?s)(?Ui)[${'\\x{42}-\\x{1E942}'.repeat(55)}]`],
  ['ranges by octal number', `(?i)[${'\\102-\u{1e942}'.repeat(140)}]`],
  ['ranges after a ] and a posix class', `(?i)[][:alpha:]${CASES.repeat(300)}]`],
  ['ranges from a hyphen', `(?i)[${'\\w--\u{1e942}'.repeat(190)}]`],
  ['ranges after a quoted bracket', `(?i)\\Q[\\E[${CASES.repeat(300)}]`],
  ['small ranges', `(?i)[${'a-\u0590'.repeat(330)}]`],
  ['Unicode classes', `[${'\\pL'.repeat(330)}]`],
  ['negated Unicode classes', `(?i)[${'\\PL\\pM'.repeat(160)}]`],
  ['alternatives of Unicode classes', `(?i)${'\\pL|'.repeat(240)}a`],
])('%s that take long to compile are rejected before that', (_, pattern) => {
  expect(pattern.length).toBeLessThanOrEqual(1_400);
  const reject = () =>
    expect(problems({ type: 'string', constraint: { pattern, max_length: 10 } })).toMatch(/character classes/);
  expect(processorTime(reject)).toBeLessThan(100);
});

test.each([
  '(?i)[a-z]',
  '(?i)[^x]{1,200}',
  '(?i)[^\\x{1}-\\x{1e942}]*',
  '(?i)\\p{L}+',
  '(?i)[\u0001-\u{10ffff}]+',
  '(?i)[^\u0100-\uffff]+@[^\u0100-\uffff]+',
  '(?i)[a-z\u00e0-\u00ff\u4e00-\u9fff\uac00-\ud7a3 -]+',
  '[\\p{L}\\p{M}\\p{N}\\p{P}\\p{S} ]{1,200}',
  `[${CASES.repeat(10)}]`,
  `(?i)\\[${CASES.repeat(10)}`,
])('%s is fine and compiles quickly', (pattern) => {
  const read = () => expect(problems({ type: 'string', constraint: { pattern, max_length: 100 } })).toBe('');
  expect(processorTime(read)).toBeLessThan(150);
});

test('many optional characters after ^ compile quickly', () => {
  const read = () => expect(problems({ type: 'string', constraint: { pattern: `^(?:${OPTIONAL})$` } })).toBe('');
  expect(processorTime(read)).toBeLessThan(400);
});

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

test("a key's values are limited in all languages together, with the texts that stand in for missing ones", () => {
  const languages = Array.from({ length: 200 }, (_, at) => ({
    name: `Language ${at} `.padEnd(200, 'x'),
    tag: `en-x-l${at}`,
  }));
  const read = (values: unknown[], more: object = {}) => {
    const key = { name: 'k', type: 'string', multiple: true, values, ...more };
    const found = finish(readDefinition({ languages, groups: [{ name: 'g', keys: [key] }] }));
    return 'problems' in found ? found.problems.map(({ path, message }) => [path.join('.'), message]) : [];
  };
  const values = (translations: (at: number) => object) =>
    Array.from({ length: 2_000 }, (_, at) => ({ value: `v${at}`, translations: translations(at) }));
  const tooLarge = [
    ['groups.0.keys.0.values', expect.stringMatching(/larger than 5000000 characters in all languages/)],
  ];
  expect(read(values(() => ({})))).toEqual([]);
  // Shown in 199 other languages too.
  expect(read(values((at) => ({ 'en-x-l0': `${at} `.padEnd(400, 'x') })))).toEqual(tooLarge);
  // Each with the name of its language.
  const short = (at: number) => Object.fromEntries(languages.slice(0, 20).map(({ tag }) => [tag, `${at}`]));
  expect(read(values(short))).toEqual(tooLarge);
});

test('a catalog grows up to a size, with what is archived; one that is larger can still be edited', () => {
  const languages = [{ name: 'English', tag: 'en' }];
  const withKeys = (before: Catalog, texts: string[]) => {
    const keys = texts.map((text, at) => ({ name: `k${at}`, type: 'boolean' as const, translations: { en: text } }));
    return finish(planCatalog(before, define({ languages, groups: [{ name: 'g', keys }] }))).next;
  };
  const grow = (before: Catalog, after: Catalog) => () => finish(refuseGrowth(before, after, 1_000));
  const small = withKeys(EMPTY, ['x'.repeat(900)]);
  expect(grow(EMPTY, small)).not.toThrow();
  const large = withKeys(small, ['x'.repeat(900), 'y'.repeat(900)]);
  expect(grow(small, large)).toThrow(/at most 1000/);
  const archived = withKeys(large, ['x'.repeat(900)]);
  expect(grow(small, archived)).toThrow(/with what is archived/);
  expect(grow(large, archived)).not.toThrow();
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
    ['with many classes', (at: number) => `a|${'[\\pL\\pM]'.repeat(40)}${at}`, /too large together/],
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
