import { InnkeeperError, type OptionKey } from '@innkeeper/client';
import { expect, test } from 'vitest';
import { choicesOf, controlOf } from '../src/control-of.ts';
import { attributesOf } from '../src/language.ts';
import { readNumber, writeNumber } from '../src/numbers.ts';
import { sayRefusal } from '../src/refusal.ts';
import { type Texts, textsFor } from '../src/texts.ts';
import { readText, textOf } from '../src/typed-text.ts';

test('a language is recognised by its tag or its own name; otherwise the text decides the direction', () => {
  const values = (language?: string) => Object.values(attributesOf(language));
  expect(values('de-AT')).toEqual(['de-AT', 'ltr']);
  expect(values('Deutsch')).toEqual(['de', 'ltr']);
  expect(values('Español')).toEqual(['es', 'ltr']);
  expect(values('العربية')).toEqual(['ar', 'rtl']);
  expect(values('he')).toEqual(['he', 'rtl']);
  expect(values('az-Arab')).toEqual(['az-Arab', 'rtl']);
  expect(values('Rumantsch Grischun')).toEqual([undefined, 'auto']);
  expect(values()).toEqual([undefined, 'auto']);
  expect(textsFor('de-AT').saved).toBe('Gespeichert');
  expect(textsFor('rm', { saved: 'Segirà' })).toMatchObject({ saved: 'Segirà', saving: 'Saving…' });
});

test("finding 7: numbers are read in all digits and with the language's separators, and never guessed", () => {
  for (const [locale, typed, value] of [
    ['de', '1,5', 1.5],
    ['de', '1.5', 1.5],
    ['de', '1.234', 1234],
    ['de', '1.234,5', 1234.5],
    ['de', '1 234,5', 1234.5],
    ['de', '12\u202f345', 12345],
    ['de', '0.125', 0.125],
    ['en', '1,234', 1234],
    ['en', '1,5', 1.5],
    ['en', '12,34,567.5', 1234567.5],
    ['en', '1e3', 1000],
    ['de-CH', '1’234.5', 1234.5],
    ['ar', '٧', 7],
    ['ar', '\u200f-٧٫٥', -7.5],
    ['ar-EG', '١٬٢٣٤٫٥', 1234.5],
    ['ja', '７', 7],
    ['hi', '१२', 12],
    ['bn', '৬', 6],
    ['en', '𝟏𝟗𝟚', 192],
    ['en', '−5', -5],
    ['en', ' -0.25 ', -0.25],
  ] as const) {
    expect([locale, typed, readNumber(typed, locale)]).toEqual([locale, typed, value]);
  }
  for (const odd of [
    '0x10',
    '0b11',
    'Infinity',
    '1e400',
    '.',
    '1.5.2',
    '1.000,5',
    '1G234',
    '1O5',
    '12 34',
    '1,23,45',
    '',
  ]) {
    expect([odd, readNumber(odd, 'en')]).toEqual([odd, Number.NaN]);
  }
  // Numbers can be typed as they are displayed.
  for (const locale of ['en', 'de', 'ar-EG', 'fa', 'hi', 'nonsense-tag!']) {
    for (const value of [0, -1234.5, 0.1, 1e21, 123456789]) {
      expect([locale, readNumber(writeNumber(value, locale), locale)]).toEqual([locale, value]);
    }
  }
});

test("input is parsed by the key's type; empty input unsets it", () => {
  const read = (value_type: string, text: string, multiple = false) =>
    readText({ value_type, multiple } as OptionKey, text, 'en');
  for (const type of ['integer', 'number', 'string', 'date']) expect(read(type, ' ')).toEqual({ value: undefined });
  expect(read('string', ' as it is ')).toEqual({ value: ' as it is ' });
  expect(read('number', '1\n\n2.5', true)).toEqual({ value: [1, 2.5] });
  expect(read('number', '1\nx', true)).toBe('notANumber');
  expect(read('string', '', true)).toEqual({ value: [] });
});

test('unknown data from a newer service breaks no form', () => {
  const texts = textsFor('en');
  for (const value_type of ['colour', 'constructor', 'toString', '__proto__', null]) {
    expect(controlOf({ value_type, multiple: false } as never)).toBe('Unknown');
  }
  expect(controlOf({ value_type: 'string', multiple: false, allowed_values: null } as never)).toBe('TextField');
  for (const allowed_values of [null, [null]]) expect(choicesOf({ allowed_values } as never, [], texts)).toEqual([]);
  const shown = [undefined, null, { a: 1 }, [{ a: 1 }, null], ['a', 'b'], false].map((each) => textOf(each, 'en'));
  expect(shown).toEqual(['', '', '{"a":1}', '{"a":1}\n', 'a\nb', 'false']);
});

test('finding 7: a boolean without a default is a question, one with a default a switch', () => {
  const boolean = { value_type: 'boolean', multiple: false };
  expect(controlOf({ ...boolean, default_value: null } as OptionKey)).toBe('RadioList');
  expect(controlOf({ ...boolean, default_value: false } as OptionKey)).toBe('Switch');
  const values = [true, false].map((value) => ({ value, label: String(value), retired: false }));
  const choices = choicesOf({ ...boolean, allowed_values: values } as never, [], textsFor('de'));
  expect(choices.map(({ label }) => label)).toEqual(['Ja', 'Nein']);
});

test("finding 7: errors are shown in the form's language, by code and allowed values", () => {
  const key = { value_type: 'integer', multiple: false, min_selected: 0, max_selected: null } as OptionKey;
  const say = (allowed: unknown, value: unknown, tag = 'de', field = 'value[0]') => {
    const body = { code: '1008', message: 'English.', errors: [{ field, message: 'English', allowed }] };
    const error = new InnkeeperError({ status: 422, body });
    return sayRefusal(error, { key, value: value as never, texts: textsFor(tag), locale: tag });
  };
  expect(say({ type: 'number', min: 0.5, max: 10 }, 0)).toBe('Muss mindestens 0,5 sein.');
  expect(say({ type: 'integer', max: 10 }, 11)).toBe('Darf höchstens 10 sein.');
  expect(say({ type: 'integer', max: 10 }, 11, 'ar-EG')).toBe('يجب ألا يزيد على ١٠.');
  expect(say({ type: 'integer', max: 10 }, 1.5)).toBe('Muss eine ganze Zahl sein.');
  expect(say({ type: 'integer', min: 5, step: 5 }, 7)).toBe('Muss in Schritten von 5 ab 5 sein.');
  expect(say({ type: 'string', max_length: 2, pattern: 'a+' }, 'aaa')).toBe('Darf höchstens 2 Zeichen lang sein.');
  expect(say({ type: 'string', max_length: 2, pattern: 'a+' }, 'b')).toBe('Das Format ist ungültig.');
  expect(say({ type: 'date', min: '2020-01-31' }, '2019-01-01')).toBe('Muss mindestens 31.01.2020 sein.');
  expect(say(['a', 'b'], 'c')).toBe('Das kann nicht mehr gewählt werden.');
  const other = (status: number, code: string) => {
    const error = new InnkeeperError({ status, body: { code, message: 'English.' } });
    return sayRefusal(error, { key, value: 1, texts: textsFor('es'), locale: 'es' });
  };
  expect(other(409, '1012')).toBe('Este ajuste ya no está disponible.');
  expect(other(401, '1007')).toBe('No se ha guardado: vuelva a iniciar sesión.');
  expect(other(0, 'timeout')).toBe('No se ha guardado.');
  expect(other(503, '9503')).toBe('No se ha guardado.');
  expect(other(403, '1013')).toBe('No se ha guardado (error 1013).');
});

test('every language has every text', () => {
  const names = Object.keys(textsFor('en')).sort();
  for (const tag of ['de', 'es', 'fr', 'hu', 'ar']) {
    const texts = textsFor(tag);
    expect(Object.keys(texts).sort()).toEqual(names);
    const same = (Object.keys(texts) as (keyof Texts)[]).filter((name) => texts[name] === textsFor('en')[name]);
    expect(same.filter((name) => name !== 'no')).toEqual([]);
  }
});
