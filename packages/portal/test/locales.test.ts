import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const LOCALES = join(import.meta.dirname, '../src/locales');
const PLURAL = /_(zero|one|two|few|many|other)$/;

type Texts = { [name: string]: string | Texts };

const read = (language: string, room: string): Texts => JSON.parse(readFileSync(join(LOCALES, language, room), 'utf8'));

function* flatten(texts: Texts, path = ''): Generator<[string, string]> {
  for (const [name, text] of Object.entries(texts)) {
    if (typeof text === 'string') yield [path + name, text];
    else yield* flatten(text, `${path}${name}.`);
  }
}

/** The names of the texts with their placeholders; the forms of a plural count as one. */
function shapeOf(texts: Texts): Record<string, string[]> {
  const shape: Record<string, string[]> = {};
  for (const [name, text] of flatten(texts)) {
    const slots = [...text.matchAll(/\{\{-?\s*(\w+)/g)].map(([, slot]) => slot as string);
    // A plural form may spell out the number.
    shape[name.replace(PLURAL, '')] = [...new Set(slots)].filter((slot) => slot !== 'count').sort();
  }
  return shape;
}

/** Words that the portal does not use, because it has another word for the same thing. */
const SHUNNED: Record<string, RegExp> = {
  en: /specialToken|\bguest|\berase/i,
  de: /specialToken|Geheimnis|Vorgabe|Fassung|\bNutzer|Endnutzer|Access-Token|Spezial-Token|Inhaber|(?<!s (Special-)?)Tokens\b/,
  es: /specialToken|por defecto|\bborrar usuario|token personal|\blector\b/i,
  hu: /specialToken|\btit(ok|k[aá])|piszkozat|különleges token|személyes token|\bolvasó\b/i,
};

const rooms = readdirSync(join(LOCALES, 'en'));

describe.each(['de', 'es', 'hu'])('the portal in %s', (language) => {
  test('has the same rooms as English', () => {
    expect(readdirSync(join(LOCALES, language)).sort()).toEqual([...rooms].sort());
  });

  test.each(rooms)('%s has every text, with the same placeholders', (room) => {
    expect(shapeOf(read(language, room))).toEqual(shapeOf(read('en', room)));
  });

  test.each(rooms)('%s has every form of its plurals', (room) => {
    const forms = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    const names = [...flatten(read(language, room))].map(([name]) => name);
    const plurals = new Set(names.filter((name) => PLURAL.test(name)).map((name) => name.replace(PLURAL, '')));
    const missing = [...plurals]
      .flatMap((name) => forms.map((form) => `${name}_${form}`))
      .filter((name) => !names.includes(name));
    expect(missing).toEqual([]);
  });
});

describe.each(['en', 'de', 'es', 'hu'])('the vocabulary of the portal in %s', (language) => {
  test('uses the same word for a thing in every room', () => {
    // In English, problems.json has the service's own words.
    const own = rooms.filter((room) => language !== 'en' || room !== 'problems.json');
    const texts = own.flatMap((room) => [...flatten(read(language, room))]);
    expect(texts.filter(([, text]) => SHUNNED[language]?.test(text))).toEqual([]);
    const [{ access }, { role }] = [read(language, 'applications.json'), read(language, 'members.json')] as Texts[];
    expect(Object.values(access as Texts)).toEqual(Object.values(role as Texts));
  });

  test('covers everything that the service audits', () => {
    const { action } = read(language, 'audit.json') as { action: Texts };
    const actions = actionsOf(JSON.parse(readFileSync(join(LOCALES, '../../../../docs/openapi.json'), 'utf8')));
    expect(actions.length).toBeGreaterThan(20);
    expect(Object.keys(action).sort()).toEqual(actions.map((each) => each.replace('.', '_')).sort());
  });
});

type Parameter = { name: string; schema: { enum?: string[] } };

/** The actions in the API reference, which come from the service's own list. */
function actionsOf(document: { paths: Record<string, { get: { parameters: Parameter[] } }> }): string[] {
  const { parameters } = document.paths['/manage/v1/audit']?.get ?? { parameters: [] };
  return parameters.find(({ name }) => name === 'action')?.schema.enum ?? [];
}
