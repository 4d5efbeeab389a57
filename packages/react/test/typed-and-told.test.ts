import type { OptionKey } from '@innkeeper/client';
import { expect, test } from 'vitest';
import { controlOf } from '../src/control-of.ts';
import { attributesOf } from '../src/language.ts';
import { textsFor } from '../src/texts.ts';
import { readText } from '../src/typed-text.ts';

test('a language is known by its tag or by its own name; of others the texts show the direction', () => {
  const told = (language?: string) => Object.values(attributesOf(language));
  expect(told('de-AT')).toEqual(['de-AT', 'ltr']);
  expect(told('Deutsch')).toEqual(['de', 'ltr']);
  expect(told('Español')).toEqual(['es', 'ltr']);
  expect(told('العربية')).toEqual(['ar', 'rtl']);
  expect(told('he')).toEqual(['he', 'rtl']);
  expect(told('az-Arab')).toEqual(['az-Arab', 'rtl']);
  expect(told('Rumantsch Grischun')).toEqual([undefined, 'auto']);
  expect(told()).toEqual([undefined, 'auto']);
  expect(textsFor('de-AT').saved).toBe('Gespeichert');
  expect(textsFor('rm', { saved: 'Segirà' })).toMatchObject({ saved: 'Segirà', saving: 'Saving…' });
});

test('what is typed is read as the type of the key has it, and never guessed', () => {
  const read = (value_type: string, text: string, multiple = false) =>
    readText({ value_type, multiple } as OptionKey, text);
  expect(read('number', ' 1,5 ')).toEqual({ value: 1.5 });
  expect(read('number', '-0.25')).toEqual({ value: -0.25 });
  expect(read('integer', '1.000,5')).toBe('not a number');
  expect(read('integer', '')).toEqual({ value: undefined });
  expect(read('string', '')).toEqual({ value: '' });
  expect(read('string', ' as it is ')).toEqual({ value: ' as it is ' });
  expect(read('number', '1\n\n2,5', true)).toEqual({ value: [1, 2.5] });
  expect(read('number', '1\nx', true)).toBe('not a number');
  expect(controlOf({ value_type: 'colour', multiple: false } as never)).toBe('Unknown');
});
