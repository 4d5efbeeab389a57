import { describe, expect, test } from 'vitest';
import { formOf, keyOf, newRow, patchBetween } from '../src/rooms/catalog/key-form.ts';

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

  test('sends what was changed and nothing else', () => {
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

  test('hands on what is no number, for the service to say so', () => {
    const form = formOf({ name: 'n', type: 'integer' });
    expect(keyOf({ ...form, constraint: { ...form.constraint, min: 'few' }, byDefault: ['many'] })).toEqual({
      name: 'n',
      type: 'integer',
      constraint: { min: 'few' },
      default: 'many',
    });
  });
});
