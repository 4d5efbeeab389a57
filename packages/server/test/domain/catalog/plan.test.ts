import { describe, expect, test } from 'vitest';
import type { Scalar } from '../../../src/domain/catalog/catalog.ts';
import { describeFact } from '../../../src/domain/catalog/change.ts';
import { definitionOf } from '../../../src/domain/catalog/definition.ts';
import type { CatalogFile, FileKey } from '../../../src/domain/catalog/file-schema.ts';
import { findMissingTexts, planCatalog } from '../../../src/domain/catalog/plan.ts';
import { readableDifference } from '../../../src/domain/catalog/publish.ts';
import { finish } from '../../../src/domain/slices.ts';
import { apply, define, EMPTY, uids } from './generated.ts';

const LANGUAGES = [
  { name: 'English', tag: 'en' },
  { name: 'Español', tag: 'es' },
];
const withKey = (key: Omit<FileKey, 'name'>): CatalogFile => ({
  languages: LANGUAGES,
  groups: [{ name: 'g', keys: [{ name: 'k', ...key } as FileKey] }],
});
const names = (...groups: string[]): CatalogFile => ({
  languages: LANGUAGES,
  groups: groups.map((name) => ({ name })),
});

function plan(before: CatalogFile, after: CatalogFile) {
  return finish(planCatalog(apply(EMPTY, define(before)), define(after)));
}

/** The details of a plan for one key, each with the saved selections it affects. */
function details(before: Omit<FileKey, 'name'>, after: Omit<FileKey, 'name'>, saved: (Scalar | Scalar[])[] = []) {
  const { changes } = plan(withKey(before), withKey(after));
  return changes.flatMap(({ details }) =>
    details.map(({ fact, breaking }) => [
      describeFact(fact),
      breaking &&
        saved.filter((value) => {
          const affects = breaking.affects([value].flat());
          return typeof affects === 'boolean' ? affects : finish(affects);
        }),
    ]),
  );
}

const string = { type: 'string' } as const;
const integer = { type: 'integer' } as const;

describe('what breaks saved selections, and which', () => {
  test.each([
    ['another type', integer, string, [1], 'type: "integer" → "string"', [1]],
    ['several instead of one', string, { ...string, multiple: true }, ['a'], 'multiple: false → true', ['a']],
    ['one instead of several', { ...string, multiple: true }, string, [['a']], 'multiple: true → false', [['a']]],
    [
      'a higher min',
      { ...string, multiple: true, min: 1 },
      { ...string, multiple: true, min: 2 },
      [['a'], ['a', 'b']],
      'min: 1 → 2',
      [['a']],
    ],
    [
      'a lower max',
      { ...string, multiple: true, max: 2 },
      { ...string, multiple: true, max: 1 },
      [['a'], ['a', 'b']],
      'max: 2 → 1',
      [['a', 'b']],
    ],
    [
      'a first max',
      { ...string, multiple: true },
      { ...string, multiple: true, max: 1 },
      [['a', 'b']],
      'max: none → 1',
      [['a', 'b']],
    ],
    [
      'a value removed',
      { ...string, values: ['a', 'b'] },
      { ...string, values: ['a'] },
      ['a', 'b'],
      'value removed: "b"',
      ['b'],
    ],
    [
      'a smaller range',
      { ...integer, constraint: { max: 9 } },
      { ...integer, constraint: { max: 5 } },
      [5, 6],
      'constraint: max 9 → max 5',
      [6],
    ],
    [
      'a first pattern',
      string,
      { ...string, constraint: { pattern: 'a*' } },
      ['aa', 'b'],
      'constraint: none → pattern "a*"',
      ['b'],
    ],
    [
      'other steps',
      { ...integer, constraint: { step: 2 } },
      { ...integer, constraint: { step: 4 } },
      [2, 4],
      'constraint: step 2 → step 4',
      [2],
    ],
    [
      'steps from another start',
      { ...integer, constraint: { min: 0, step: 2 } },
      { ...integer, constraint: { min: -1, step: 2 } },
      [0, 1],
      'constraint: min 0, step 2 → min -1, step 2',
      [0],
    ],
    [
      'shorter texts',
      string,
      { ...string, constraint: { max_length: 2 } },
      ['ab', 'abc'],
      'constraint: none → max_length 2',
      ['abc'],
    ],
    ['values for an open key', string, { ...string, values: ['a'] }, ['a', 'b'], 'allows only "a"', ['b']],
    [
      'a constraint instead of values',
      { ...integer, values: [1, 9] },
      { ...integer, constraint: { max: 5 } },
      [1, 9],
      'allows any value within its constraint',
      [9],
    ],
  ] as const)('%s', (_, before, after, saved, text, affected) => {
    const found = details(before as FileKey, after as FileKey, saved as unknown as Scalar[]);
    expect(found).toContainEqual([text, affected]);
    expect(found.filter(([, breaking]) => breaking)).toHaveLength(1);
  });

  test.each([
    ['a value added', { ...string, values: ['a'] }, { ...string, values: ['a', 'b'] }, 'value added: "b"'],
    [
      'a value retired',
      { ...string, values: ['a', 'b'] },
      { ...string, values: ['a', { value: 'b', retired: true, replacement: 'a' }] },
      'value retired: "b"',
    ],
    [
      'a value restored',
      { ...string, values: ['a', { value: 'b', retired: true }] },
      { ...string, values: ['a', 'b'] },
      'value no longer retired: "b"',
    ],
    ['values moved', { ...string, values: ['a', 'b'] }, { ...string, values: ['b', 'a'] }, 'order of values: "b", "a"'],
    ['a default', string, { ...string, default: 'a' }, 'default: none → "a"'],
    ['a lower min', { ...string, multiple: true, min: 2 }, { ...string, multiple: true }, 'min: 2 → 0'],
    ['a higher max', { ...string, multiple: true, max: 2 }, { ...string, multiple: true, max: 3 }, 'max: 2 → 3'],
    [
      'a wider range',
      { ...integer, constraint: { min: 0, max: 9 } },
      { ...integer, constraint: { min: 0 } },
      'constraint: max 9, min 0 → min 0',
    ],
    ['the same length', string, { ...string, constraint: { max_length: 4000 } }, 'constraint: none → max_length 4000'],
    ['an opened key', { ...string, values: ['a'] }, string, 'allows any value within its constraint'],
    ['a text', string, { ...string, translations: { Español: 'x' } }, 'Español: none → "x"'],
    [
      'a text of a value',
      { ...string, values: ['a'] },
      { ...string, values: [{ value: 'a', translations: { Español: 'x' } }] },
      '"a" in Español: none → "x"',
    ],
  ] as const)('not %s', (_, before, after, text) => {
    const found = details(before as unknown as FileKey, after as unknown as FileKey);
    expect(found).toContainEqual([text, undefined]);
    expect(found.filter(([, breaking]) => breaking)).toEqual([]);
  });

  test('a key archived only if users have chosen it', () => {
    const { changes } = plan(withKey(string), names('g'));
    expect(changes).toMatchObject([
      { kind: 'archived', path: 'g/k', details: [{ breaking: { onlyWhenChosen: true } }] },
    ]);
  });
});

describe('the difference as text', () => {
  const words = (before: CatalogFile, after: CatalogFile) =>
    finish(readableDifference(plan(before, after).changes)).map(({ kind, path, details }) =>
      [kind, path, ...details].join(' | '),
    );

  test('groups and keys moved', () => {
    expect(words(names('a', 'b', 'c'), names('c', 'a', 'b'))).toEqual(['changed | groups | order: c, a, b']);
    expect(words(names('a', 'b'), names('x', 'a', 'b'))).toEqual(['added | x']);
    const keys = (...all: string[]) => ({
      languages: LANGUAGES,
      groups: [{ name: 'g', keys: all.map((name) => ({ name, ...string })) }],
    });
    expect(words(keys('a', 'b'), keys('b', 'a'))).toEqual(['changed | g | order of keys: b, a']);
  });

  test('a new key in a line', () => {
    expect(
      words(names('g'), withKey({ ...string, multiple: true, min: 1, values: ['a', 'b'], default: ['a'] })),
    ).toEqual(['added | g/k | string, 1 or more values; values "a", "b"; default ["a"]']);
  });

  test('languages', () => {
    const before = { languages: LANGUAGES, groups: [{ name: 'g', translations: { Español: 'x' } }] };
    const after = {
      languages: [
        { name: 'Deutsch', tag: 'de', default: true },
        { name: 'British', tag: 'en' },
      ],
      groups: [{ name: 'g' }],
    };
    expect(words(before, after)).toEqual([
      'added | Deutsch | tag de, the default',
      'renamed | British | was English',
      'removed | Español | its texts are no longer served',
    ]);
    expect(words(names('g'), { ...names('g'), languages: [...LANGUAGES].reverse() })).toEqual([
      'changed | Español | becomes the default',
      'changed | languages | order: es, en',
    ]);
  });

  test('missing translations, by language', () => {
    const file = withKey({ ...string, values: [{ value: 'a', translations: { Español: 'A' } }, 'b'] });
    const number = { name: 'n', type: 'number' as const, values: [1, { value: 2, translations: { English: 'Two' } }] };
    file.groups[0]?.keys?.push(number);
    expect(finish(findMissingTexts(finish(planCatalog(EMPTY, define(file))).next))).toEqual([
      { language: 'Español', total: 6, count: 5, missing: ['g', 'g/k', 'g/k=b', 'g/n', 'g/n=2'] },
    ]);
  });
});

describe('identities', () => {
  test('a rename to an archived name keeps the renamed key', () => {
    const first = apply(EMPTY, define(names('a', 'b')));
    const archived = apply(first, define(names('a')));
    const renamed = apply(archived, define({ ...names('b'), groups: [{ name: 'b', was: 'a' }] }));
    expect(uids(renamed)).toEqual({ '["b"]': uids(first)['["a"]'] });
    expect(renamed.groups.map(({ name, archived }) => [name, archived])).toEqual([
      ['b', false],
      ['b', true],
    ]);
    expect(finish(planCatalog(renamed, define(names('b')))).changes).toEqual([]);
  });

  test('two keys can swap names by UID', () => {
    const before = apply(EMPTY, define(names('a', 'b')));
    const swapped = finish(definitionOf(before));
    for (const group of swapped.groups) group.name = group.name === 'a' ? 'b' : 'a';
    const after = apply(before, swapped);
    expect(uids(after)).toEqual({ '["a"]': uids(before)['["b"]'], '["b"]': uids(before)['["a"]'] });
  });
});

test('names that differ only in how accents are encoded are the same name', () => {
  const named = (group: string, ...keys: string[]): CatalogFile => ({
    languages: LANGUAGES,
    groups: [{ name: group, keys: keys.map((name) => ({ name, type: 'boolean' })) }],
  });
  expect(plan(named('Caf\u00e9', 'Bolet\u00edn'), named('Cafe\u0301', 'Boleti\u0301n')).changes).toEqual([]);
  const { changes } = plan(names('Caf\u00e9'), {
    languages: LANGUAGES,
    groups: [{ name: 'Bar', was: 'Cafe\u0301' }],
  });
  expect(changes.map(({ kind }) => kind)).toEqual(['renamed']);
  expect(() => define(named('g', 'Bolet\u00edn', 'Boleti\u0301n'))).toThrow('another key already has the name');
});
