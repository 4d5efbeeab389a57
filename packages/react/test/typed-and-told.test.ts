import type { OptionKey } from '@innkeeper/client';
import { QueryClient } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { choicesOf, controlOf } from '../src/control-of.ts';
import { attributesOf } from '../src/language.ts';
import { SelectionSaver } from '../src/selection-saver.ts';
import { textsFor } from '../src/texts.ts';
import { readText, textOf, toCommit } from '../src/typed-text.ts';

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
  expect(read('number', '0,125')).toEqual({ value: 0.125 });
  expect(read('number', '1e3')).toEqual({ value: 1000 });
  for (const odd of ['1,234', '0x10', '0b11', 'Infinity', '1e400', '.', '1.5.2']) {
    expect(read('number', odd)).toBe('not a number');
  }
  expect(read('integer', '')).toEqual({ value: undefined });
  expect(read('string', '')).toEqual({ value: '' });
  expect(read('string', ' as it is ')).toEqual({ value: ' as it is ' });
  expect(read('number', '1\n\n2,5', true)).toEqual({ value: [1, 2.5] });
  expect(read('number', '1\nx', true)).toBe('not a number');
});

test('what a newer service may say takes no form down', () => {
  for (const value_type of ['colour', 'constructor', 'toString', '__proto__', null]) {
    expect(controlOf({ value_type, multiple: false } as never)).toBe('Unknown');
  }
  expect(controlOf({ value_type: 'string', multiple: false, allowed_values: null } as never)).toBe('TextField');
  for (const allowed_values of [null, [null]]) expect(choicesOf({ allowed_values } as never, [])).toEqual([]);
  const shown = [undefined, null, { a: 1 }, [{ a: 1 }, null], ['a', 'b'], false].map(textOf);
  expect(shown).toEqual(['', '', '{"a":1}', '{"a":1}\n', 'a\nb', 'false']);
});

test('a text that is being saved is kept until the service has it', () => {
  const key = { value_type: 'string', multiple: false } as OptionKey;
  expect(toCommit(key, { text: 'new', shown: 'old', isSaving: false })).toEqual({ value: 'new' });
  // Enter, and Tab while it is under way: what is shown is what is only hoped for.
  expect(toCommit(key, { text: 'new', shown: 'new', isSaving: true })).toBe('wait');
  expect(toCommit(key, { text: 'newer', shown: 'new', isSaving: true })).toEqual({ value: 'newer' });
  expect(toCommit(key, { text: 'old', shown: 'old', isSaving: false })).toBe('drop');
});

test('useSelections().save takes a key by its uids as well, and passes on what goes with it', async () => {
  const key = { option_group_uid: 'g', option_key_uid: 'k', option_group_name: 'g', name: 'k', translations: [] };
  const sent: unknown[][] = [];
  const queries = new QueryClient();
  queries.setQueryData(['x', 'keys'], [key]);
  const save = async (...args: unknown[]) => {
    sent.push(args);
    return { group: { name: 'g' }, option: { name: 'k', translations: [] } };
  };
  const keys = () => ({ all: async () => [key] });
  const saver = new SelectionSaver({ save, keys } as never, queries, ['x']);
  const how = { language: 'de', signal: AbortSignal.timeout(1000) };
  await saver.saveNamed({ option_group_uid: 'g', option_key_uid: 'k' }, 'a', how);
  await saver.saveNamed('g.k', 'b', how);
  expect(sent).toEqual([
    [key, 'a', how],
    [key, 'b', how],
  ]);
  const missing = saver.saveNamed({ option_group_uid: 'g', option_key_uid: 'other' }, 'a');
  await expect(missing).rejects.toMatchObject({ code: 'unknown_key', operation: 'post /api/user_options' });
  await expect(saver.saveNamed(undefined as never, 'a')).rejects.toMatchObject({ code: 'unknown_key' });
  // Whatever is saved is for the service to refuse.
  await expect(saver.saveNamed('g.k', null as never)).resolves.toBeDefined();
});
