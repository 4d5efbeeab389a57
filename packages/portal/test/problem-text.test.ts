import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import i18next from 'i18next';
import { beforeEach, expect, test } from 'vitest';
import { readOverlap } from '../../server/src/domain/applications/application.ts';
import { SETTINGS } from '../../server/src/domain/applications/settings.ts';
import type { Key } from '../../server/src/domain/catalog/catalog.ts';
import { constraintProblem, typeProblem } from '../../server/src/domain/catalog/check-value.ts';
import { createLanguages } from '../../server/src/domain/catalog/languages.ts';
import { readTextsCsv } from '../../server/src/domain/catalog/read-csv.ts';
import { ERRORS } from '../../server/src/domain/errors.ts';
import { checkSelection } from '../../server/src/domain/selections/check-selection.ts';
import de from '../src/locales/de/problems.json' with { type: 'json' };
import en from '../src/locales/en/problems.json' with { type: 'json' };
import { fieldProblem, fieldText, problemText } from '../src/shell/problem-text.ts';

beforeEach(async () => {
  const resources = { en: { problems: en }, de: { problems: de } };
  await i18next.init({ lng: 'de', fallbackLng: 'en', resources });
});

test("the English sentences are the service's own, all of them", () => {
  const own = Object.entries(ERRORS).map(([name, { message }]) => [name, message]);
  expect(Object.fromEntries(own)).toMatchObject(en.sentences);
  const known = Object.values(en.sentences) as string[];
  expect(own.filter(([, message]) => !known.includes(message as string))).toEqual([]);
});

test("a problem is shown in the reader's language, and an unknown one as the service says it", async () => {
  expect(problemText(new Error(ERRORS.lastOwner.message))).toBe('Eine Anwendung braucht mindestens einen Eigentümer.');
  expect(problemText(ERRORS.apiKeyMissing.message)).toBe('Der Header apiKey fehlt.');
  expect(problemText(new Error('Something else.'))).toBe('Something else.');
  expect(problemText('odd')).toBe('odd');
  expect(problemText(undefined)).toBe('undefined');
  await i18next.changeLanguage('en');
  expect(problemText(new Error(ERRORS.lastOwner.message))).toBe(ERRORS.lastOwner.message);
});

const refusal = (field: string, message: string) => ({ message: `${field} ${message}.`, errors: [{ field, message }] });

test("a field's problem is shown in the reader's language, with its values", async () => {
  const error = refusal('value[0]', 'must be in steps of 5 from 0');
  expect(problemText(error)).toBe('value[0] muss ab 0 in Schritten von 5 liegen.');
  expect(fieldText(error)).toBe('Muss ab 0 in Schritten von 5 liegen.');
  expect(fieldText(error, 'value[1]')).toBeUndefined();
  expect(fieldText(new Error('unreachable'), 'name')).toBeUndefined();
  expect(fieldText(null, 'name')).toBeUndefined();
  expect(fieldText(refusal('settings.accentColor', 'must be a colour such as #1f5fbf; got "red; got it"'))).toBe(
    'Muss eine Farbe wie #1f5fbf sein.',
  );
  // If several texts match, the more specific one is used. The values may contain anything.
  expect(fieldProblem('must be at most 20 characters')).toBe('darf höchstens 20 Zeichen lang sein');
  expect(fieldProblem('must be at most 20')).toBe('darf höchstens 20 sein');
  expect(fieldProblem('must match ^{{a}}$&\n$')).toBe('muss dem Muster ^{{a}}$&\n$ entsprechen');
  expect(fieldProblem('is odd')).toBe('is odd');
  await i18next.changeLanguage('en');
  expect(fieldText(error)).toBe('Must be in steps of 5 from 0.');
});

/** Problems built from parts; the others appear literally in the sources. */
function madeProblems(): (string | undefined)[] {
  const settings = [
    SETTINGS.accessTokenTtl.read('x'),
    SETTINGS.accessTokenTtl.read(1),
    SETTINGS.historyKept.read('x'),
    SETTINGS.eventsKept.read('x'),
    SETTINGS.rateLimit.read('x'),
    SETTINGS.logo.read('x'),
  ];
  const key = (more: Partial<Key>) => ({ multiple: true, minSelected: 1, maxSelected: 2, ...more }) as Key;
  const language = { tag: 'en', name: 'English', isDefault: true };
  const circumstances = { languages: createLanguages([language as never]), language: undefined, held: [] };
  const values = [
    { value: 'a', texts: {}, retired: true, replacement: 'b' },
    { value: 'b', texts: {}, retired: true },
  ];
  const selections = [
    checkSelection(key({ type: 'string', values: values as never }), ['a', 'b', 'c'], circumstances),
    checkSelection(key({ type: 'number', values: null, constraint: {} }), [1, 2, 3], circumstances),
    checkSelection(key({ type: 'number', values: null, constraint: {} }), [], circumstances),
    checkSelection(key({ type: 'number', values: null, constraint: {}, maxSelected: 1 }), [1, 2], circumstances),
    checkSelection(key({ type: 'number', values: null, constraint: {}, minSelected: 2 }), [1], circumstances),
  ];
  const texts = readTextsCsv('path,en,de\na\na,b\n');
  return [
    ...settings.map((read) => ('problem' in read ? read.problem : undefined)),
    ...(['integer', 'number', 'date'] as const).map((type) => typeProblem(type, 'x')),
    ...[readOverlap('31d')].map((read) => ('problem' in read ? read.problem : undefined)),
    ...('file' in texts ? texts.file.entries.map(({ problem }) => problem) : []),
    constraintProblem({ step: 2 }, 3),
    constraintProblem({ step: 2, min: 1 }, 4),
    ...selections.flatMap((checked) => ('problems' in checked ? checked.problems.map(({ message }) => message) : [])),
  ];
}

test("the English field problems are the service's own", () => {
  const folder = join(import.meta.dirname, '../../server/src');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const sources = files.map((name) => readFileSync(join(folder, name), 'utf8').replaceAll(/\$\{[^}]*\}/g, '*'));
  const made = new Set(madeProblems().map((message) => fieldProblem(message ?? '')));
  const isMade = (name: string) =>
    [...made].some((text) => {
      const parts = (de.fields as Record<string, string>)[name]?.split(/\{\{\w+\}\}/) ?? [];
      return parts.every((part) => text.includes(part));
    });
  const strange = Object.entries(en.fields).filter(([name, text]) => {
    const literal = text.replaceAll(/\{\{\w+\}\}/g, '*');
    return !isMade(name) && !sources.some((source) => source.includes(literal));
  });
  expect(strange).toEqual([]);
  expect(madeProblems().filter((message) => message === undefined || fieldProblem(message) === message)).toEqual([]);
});
