import { describe, expect, test } from 'vitest';
import { limitProblems, nameProblem, rowProblems } from '../src/rooms/catalog/form-problems.ts';
import { formOf, keyOf, NO_CONSTRAINT, newRow, patchBetween } from '../src/rooms/catalog/key-form.ts';
import { KINDS, kindOf, withKind } from '../src/rooms/catalog/kinds.ts';
import { hasStrayLine, insteadOf, nameFrom, repeatedLine, valuesFrom } from '../src/rooms/catalog/texts.ts';

type Key = Parameters<typeof formOf>[0];

const KEYS: Key[] = [
  { name: 'plain', type: 'boolean' },
  { name: 'yes', type: 'boolean', values: [true], default: true },
  { name: 'told', type: 'boolean', values: [{ value: true, translations: { English: 'On' } }, false], default: false },
  { name: 'text', type: 'string', constraint: { max_length: 20, pattern: '[a-z ]+' }, default: ' x ' },
  { name: 'several', type: 'string', multiple: true, min: 0, default: [] },
  {
    name: 'listed',
    type: 'string',
    multiple: true,
    min: 1,
    max: 2,
    default: ['a'],
    translations: { Deutsch: ' mit Rand ' },
    values: ['a', { value: 'b', retired: true, replacement: 'a' }, { value: 'c', translations: { English: 'C' } }],
  },
  { name: 'numbers', type: 'number', values: [1, 1.5, 1e21, -0.1], default: 1.5 },
  { name: 'whole', type: 'integer', constraint: { min: 0, max: 10, step: 5 }, default: 0 },
  { name: 'day', type: 'date', constraint: { min: '2020-01-01' }, default: '2026-11-15' },
];

describe('the form of a key', () => {
  test.each(KEYS)('changes nothing of $name until something is typed', (key) => {
    expect(patchBetween(key, keyOf(formOf(key)))).toEqual({});
  });

  test('sends only what was changed', () => {
    const key = KEYS[5] as Key;
    const form = formOf(key);
    const texts = { ...form.texts, Deutsch: '', English: 'Colour' };
    const [first, ...others] = form.values;
    const patch = patchBetween(key, keyOf({ ...form, texts, max: '', values: [...others, first ?? newRow()] }));
    expect(patch).toEqual({
      max: null,
      values: [{ value: 'b', retired: true, replacement: 'a' }, { value: 'c', translations: { English: 'C' } }, 'a'],
      translations: { Deutsch: null, English: 'Colour' },
    });
  });

  test('a default that is no longer offered is removed with its value', () => {
    const form = formOf({ name: 'n', type: 'string', values: ['a', 'b'], default: 'a' });
    expect(keyOf({ ...form, values: form.values.slice(1) })).toEqual({ name: 'n', type: 'string', values: ['b'] });
  });

  test('passes on an invalid number, for the service to reject', () => {
    const form = formOf({ name: 'n', type: 'integer' });
    expect(keyOf({ ...form, constraint: { ...form.constraint, min: 'few' }, byDefault: ['many'] })).toEqual({
      name: 'n',
      type: 'integer',
      constraint: { min: 'few' },
      default: 'many',
    });
  });

  test('can change to any other kind', () => {
    for (const key of KEYS) {
      for (const kind of KINDS) {
        const form = withKind(formOf(key), kind);
        expect([key.name, kind, kindOf(form)]).toEqual([key.name, kind, kind]);
        expect(form.listed && form.values.length === 0).toBe(false);
      }
    }
    const list = withKind(formOf({ name: 'n', type: 'string', values: ['a'], default: 'a' }), 'several');
    expect(keyOf(list)).toEqual({ name: 'n', type: 'string', multiple: true, min: 0, values: ['a'], default: ['a'] });
    expect(keyOf(withKind(list, 'boolean'))).toEqual({ name: 'n', type: 'boolean' });
  });

  test('reports what the service would reject', () => {
    const siblings = [
      { name: 'taken', archived: false },
      { name: 'free', archived: true },
    ];
    const names = ['taken ', 'free', 'other', ' \u200b', ''];
    expect(names.map((name) => nameProblem(name, siblings))).toEqual(['taken', undefined, undefined, 'blank', 'blank']);
    const form = { ...formOf({ name: 'n', type: 'string' }), listed: true, values: ['a', ' ', 'a'].map(newRow) };
    expect([...rowProblems(form).values()]).toEqual(['blank', 'repeated']);
    expect(rowProblems({ ...form, listed: false }).size).toBe(0);
  });

  test('values are lines: a label, and an API name', () => {
    const [deutsch, english] = [
      { name: 'Deutsch', tag: 'de' },
      { name: 'English', tag: 'en', default: true },
    ];
    const typed = { English: 'Dark mode\n\n light \nLight\n🎉', Deutsch: 'Dunkel\n\n\n Hell' };
    expect(valuesFrom(typed, [deutsch, english])).toEqual([
      { value: 'dark_mode', translations: { Deutsch: 'Dunkel', English: 'Dark mode' } },
      'light',
      { value: 'Light', translations: { Deutsch: 'Hell' } },
      '🎉',
    ]);
    // A translation next to an empty line has no value and would be lost.
    expect(hasStrayLine(typed, deutsch, [deutsch, english])).toBe(false);
    expect(hasStrayLine({ ...typed, Deutsch: '\nHell' }, deutsch, [deutsch, english])).toBe(true);
    expect(repeatedLine(typed, english)).toBeUndefined();
    expect(repeatedLine({ English: 'Small\nLarge\n\n\n Small ' }, english)).toBe('Small');
    expect(nameFrom('🎉 !')).toBe('');
  });
});

test.each([
  ['integer', { min: '4', max: '0' }, { min: 'crossed', max: 'crossed' }],
  ['integer', { min: '9', max: '10' }, {}],
  ['integer', { min: '1.5', max: '1' }, { min: 'notWhole' }],
  ['number', { min: '1,5', step: '0.1' }, { min: 'notNumber' }],
  ['date', { min: '2026-02-01', max: '2026-01-31' }, { min: 'crossed', max: 'crossed' }],
  ['date', { min: '2026-02-01', max: '2026-02-01' }, {}],
  ['string', { max_length: 'long', pattern: '[a-z]' }, { max_length: 'notWhole' }],
] as const)('limits of type %s as %o are checked at their fields before they are sent', (type, typed, expected) => {
  const problems = limitProblems({ type, constraint: { ...NO_CONSTRAINT, ...typed } });
  expect(Object.fromEntries(problems)).toEqual(expected);
});

test('a language without a text falls back to its base, then to the default', () => {
  const languages = ['en', 'de', 'de-AT'].map((tag) => ({ name: tag, tag, default: tag === 'en' }));
  const read = (place: number) => insteadOf(languages[place] as (typeof languages)[0], languages).map(({ tag }) => tag);
  expect([read(1), read(2)]).toEqual([['en'], ['de', 'en']]);
});
