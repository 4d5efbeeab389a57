import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { VALUE_TYPES } from '../../../src/domain/catalog/catalog.ts';
import {
  constraintProblem,
  isKeptExactly,
  isWholeSteps,
  typeProblem,
} from '../../../src/domain/catalog/check-value.ts';
import { readJson } from '../../../src/domain/catalog/parse-file.ts';
import { compilePattern } from '../../../src/domain/catalog/pattern.ts';
import { inCatalogOrder } from '../../../src/domain/catalog/read-key.ts';
import { processorTime } from '../../processor-time.ts';
import { scalar } from './generated.ts';

describe('types', () => {
  test.each(VALUE_TYPES)('%s accepts its own values, and no text that looks like one', (type) => {
    fc.assert(
      fc.property(scalar(type), (value) => {
        expect(typeProblem(type, value)).toBeUndefined();
        if (typeof value !== 'string') expect(typeProblem(type, String(value))).toMatch(/^must be /);
        expect(typeProblem(type, [value])).toMatch(/^must be /);
        expect(typeProblem(type, { value })).toMatch(/^must be /);
      }),
    );
    for (const other of [null, undefined, Number.NaN, Number.POSITIVE_INFINITY, '\ud800', 'a\0']) {
      expect(typeProblem(type, other)).toMatch(/^must (be|not contain) /);
    }
  });

  test.each([
    ['integer', 1.5],
    ['integer', 2 ** 53],
    ['boolean', 1],
    ['boolean', 'true'],
    ['number', '1'],
    ['string', 1],
    ['date', '2026-02-29'],
    ['date', '2026-1-1'],
    ['date', '2026-01-01T00:00:00Z'],
    ['date', '12026-01-01'],
    ['date', '2026-01-01\n'],
  ] as const)('%s does not accept %j', (type, value) => {
    expect(typeProblem(type, value)).toMatch(/^must be /);
  });

  test('1.0 is 1', () => expect(typeProblem('integer', JSON.parse('1.0'))).toBeUndefined());
});

describe('constraints', () => {
  test('integers, compared with plain arithmetic', () => {
    const small = fc.integer({ min: -50, max: 50 });
    fc.assert(
      fc.property(small, small, fc.integer({ min: 1, max: 9 }), small, (min, length, step, value) => {
        const max = min + Math.abs(length);
        const isInside = value >= min && value <= max && (value - min) % step === 0;
        expect(constraintProblem({ min, max, step }, value) === undefined).toBe(isInside);
      }),
    );
  });

  test('steps are computed in decimal digits', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e6, max: 1e6 }), fc.constantFrom(1, 2, 3, 7), (count, decimals) => {
        const step = Number(`1e-${decimals}`);
        expect(isWholeSteps(Number(`${count}e-${decimals}`), 0, step)).toBe(true);
        expect(isWholeSteps(Number(`${count}5e-${decimals + 1}`), 0, step)).toBe(false);
      }),
    );
    expect(constraintProblem({ step: 0.1 }, 0.3)).toBeUndefined();
    expect(constraintProblem({ min: 0.05, step: 0.1 }, 0.35)).toBeUndefined();
    expect(constraintProblem({ step: 2 }, 1_000_000_000_001)).toBe('must be in steps of 2');
    expect(constraintProblem({ step: 1e-300 }, 1.7e308)).toBeUndefined();
  });

  test('texts are measured in characters', () => {
    expect(constraintProblem({ maxLength: 2 }, '👩👩')).toBeUndefined();
    expect(constraintProblem({ maxLength: 2 }, 'abc')).toBe('must be at most 2 characters');
    expect(constraintProblem({}, 'a'.repeat(4_001))).toBe('must be at most 4000 characters');
  });

  test('dates by the calendar', () => {
    expect(constraintProblem({ min: '2026-01-01', max: '2026-12-31' }, '2025-12-31')).toBe(
      'must be at least 2026-01-01',
    );
    expect(constraintProblem({ min: '2026-01-01', max: '2026-12-31' }, '2026-12-31')).toBeUndefined();
  });

  test('a pattern must match the whole text', () => {
    expect(constraintProblem({ pattern: 'a|bc' }, 'bc')).toBeUndefined();
    expect(constraintProblem({ pattern: 'a|bc' }, 'abc')).toBe('must match a|bc');
    expect(constraintProblem({ pattern: 'a' }, 'a\n')).toBe('must match a');
  });

  test.each(['(a+)+', '(a|a)*', '(a|aa)+', '(.*a){20}', '([a-z]+)*[0-9]', '(a?){50}a{50}'])(
    'no text makes %s hang',
    (pattern) => {
      const match = () => expect(compilePattern(pattern).test(`${'a'.repeat(3_999)}!`)).toBe(false);
      expect(processorTime(match)).toBeLessThan(1_500);
    },
  );

  test.each(['(?=a)', '(?!a)', '(?<=a)b', '(a)\\1', 'a{1001}', '(a{1000}){1000}', '[', '*'])(
    'RE2 does not support %s',
    (pattern) => {
      expect(() => compilePattern(pattern)).toThrow();
    },
  );
});

test('a selection is stored in catalog order, without duplicates', () => {
  const values = fc.uniqueArray(fc.integer(), { minLength: 1, maxLength: 9 });
  fc.assert(
    fc.property(values, fc.infiniteStream(fc.nat()), fc.nat({ max: 20 }), (all, dice, count) => {
      const chosen = [...dice.take(count)].map((at) => all[at % all.length] as number);
      const key = { values: all.map((value) => ({ value, texts: {}, retired: false })) };
      const kept = inCatalogOrder(key, chosen);
      expect(new Set(kept)).toEqual(new Set(chosen));
      expect(kept).toEqual(all.filter((value) => chosen.includes(value)));
      expect(inCatalogOrder(key, kept)).toEqual(kept);
      expect(inCatalogOrder({ values: null }, chosen)).toEqual([...new Set(chosen)]);
    }),
  );
});

describe('numbers as they are written', () => {
  test('every number is stored exactly as written', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(isKeptExactly(String(number))).toBe(true);
        expect(isKeptExactly(JSON.stringify(number))).toBe(true);
      }),
    );
  });

  test.each([
    '1.50',
    '-0',
    '0.0',
    '+1',
    '1E3',
    '1e+3',
    '00012',
    '.5',
    '5.',
    '1000000000000000000000',
    '9007199254740992',
  ])('%s is stored', (written) => expect(isKeptExactly(written)).toBe(true));
  test.each([
    '9007199254740993',
    '1e400',
    '1e-400',
    '0.10000000000000000001',
    `0.${'1'.repeat(2_000)}`,
    '.inf',
    '.nan',
  ])('%s is not', (written) => expect(isKeptExactly(written)).toBe(false));
});

test('JSON is parsed like JSON.parse, and every path leads to its place', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), (compact) => {
      const text = JSON.stringify(JSON.parse(compact), null, 3);
      const read = readJson(text);
      if ('problems' in read) throw new Error(JSON.stringify(read.problems));
      expect(read.source.data).toEqual(JSON.parse(text));
      const lines = text.split('\n');
      const check = (value: unknown, path: (string | number)[]): void => {
        const [place] = read.source.locate([{ path }]);
        const rest = [lines[(place?.line ?? 0) - 1]?.slice((place?.column ?? 0) - 1), ...lines.slice(place?.line)].join(
          '\n',
        );
        const start =
          typeof value === 'object' && value !== null ? (Array.isArray(value) ? '[' : '{') : JSON.stringify(value);
        expect(rest.startsWith(start)).toBe(true);
        if (typeof value !== 'object' || value === null) return;
        for (const [name, inner] of Object.entries(value))
          check(inner, [...path, Array.isArray(value) ? Number(name) : name]);
      };
      check(read.source.data, []);
    }),
    { numRuns: 200 },
  );
});
