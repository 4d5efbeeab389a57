import fc from 'fast-check';
import {
  type Catalog,
  readCatalog,
  type Scalar,
  toItems,
  type ValueType,
} from '../../../src/domain/catalog/catalog.ts';
import { isBlank } from '../../../src/domain/catalog/check-value.ts';
import type { CatalogDefinition } from '../../../src/domain/catalog/definition.ts';
import type { CatalogFile, FileGroup, FileKey, FileValue } from '../../../src/domain/catalog/file-schema.ts';
import { planCatalog } from '../../../src/domain/catalog/plan.ts';
import { readDefinition } from '../../../src/domain/catalog/read-definition.ts';
import { finish } from '../../../src/domain/slices.ts';
import { anyCharacter } from '../any-character.ts';

export const EMPTY: Catalog = { revision: 0, languages: [], groups: [] };

/** The definition of a valid file. Its names may contain characters that were reserved later. */
export function define(file: CatalogFile): CatalogDefinition {
  const names = file.groups.flatMap(({ name, keys = [] }) => [
    `group ${name}`,
    ...keys.map((key) => `key ${key.name}`),
  ]);
  const was = file.groups.flatMap(({ keys = [] }) =>
    keys.flatMap((key) => (key.was === undefined ? [] : [`key ${key.was}`])),
  );
  const read = finish(readDefinition(file, { known: { names: [...names, ...was], hasLanguages: false } }));
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  return read.definition;
}

/** The catalog after a definition was applied and stored. */
export function apply(catalog: Catalog, wanted: CatalogDefinition): Catalog {
  return stored(finish(planCatalog(catalog, wanted)).next);
}

/** As read from the database: without an order of items. */
export function stored(catalog: Catalog): Catalog {
  const items = finish(toItems(catalog)).sort((a, b) => (a.document < b.document ? -1 : 1));
  return finish(readCatalog({ revision: catalog.revision, languages: JSON.stringify(catalog.languages), items }));
}

/** Every version, by UID. */
export function documents(catalog: Catalog): Record<string, string> {
  return Object.fromEntries(finish(toItems(catalog)).map(({ itemUid, document }) => [itemUid, document]));
}

/** The UIDs of groups and keys that are not archived, by name. */
export function uids(catalog: Catalog): Record<string, string> {
  return Object.fromEntries(
    catalog.groups
      .filter((group) => !group.archived)
      .flatMap((group) => [
        [JSON.stringify([group.name]), group.groupUid],
        ...group.keys.filter((key) => !key.archived).map((key) => [JSON.stringify([group.name, key.name]), key.keyUid]),
      ]),
  );
}

// Texts that YAML, CSV, XML, paths or JavaScript objects could mistake for something else.
const AWKWARD = [
  ...[
    'true',
    'no',
    'null',
    '~',
    '1',
    '1e3',
    '0x1F',
    '2026-01-01',
    '- x',
    '# x',
    'a: b',
    '{a',
    '[a',
    '&a',
    '*a',
    '!a',
    '%a',
  ],
  ...[
    '=1+1',
    '+1',
    '-1',
    '@x',
    "'=1",
    "''",
    '＝1',
    'a/b',
    'a=b',
    '100%',
    '%2F',
    'a;b',
    'a,b',
    '"q"',
    '__proto__',
    'constructor',
  ],
  ...[
    '<b>&amp;</b>',
    ']]>',
    '日本語',
    'é',
    'e\u0301',
    '👩‍👩‍👧',
    '\u00a0x\u00a0'.trim(),
    'ﬁ',
    '\u200bx',
    '\ufeffx'.trim(),
  ],
];

const isName = (text: string) => text.trim() === text && !isBlank(text) && !/\p{Cc}/u.test(text) && text.isWellFormed();

const name = fc.oneof(
  fc.constantFrom(...AWKWARD.filter(isName)),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).filter(isName),
);

const text = fc
  .oneof(
    fc.constantFrom(
      ...AWKWARD,
      '\t=1',
      '\rx',
      '\r\n',
      'a\r\nb',
      'a\nb',
      ' a ',
      '\u0001\u001b',
      '\u0085',
      '\u2028',
      '\ufffe',
      '\ufeff.',
    ),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 12 }),
  )
  .filter((each) => each.trim() !== '' && each.isWellFormed() && !each.includes('\0'));

const TAGS = ['en', 'de', 'es', 'pt-BR', 'pt', 'zh-Hant', 'sr-Latn-RS', 'ja'];

const languages = fc
  .uniqueArray(fc.record({ tag: fc.constantFrom(...TAGS), name }), {
    minLength: 1,
    maxLength: 4,
    selector: ({ tag }) => tag,
  })
  .map((given) => {
    const taken = new Set(given.map(({ tag }) => tag.toLowerCase()));
    return given.filter((language) => {
      const word = language.name.normalize('NFC').toLowerCase();
      const isFree = word === language.tag.toLowerCase() || !taken.has(word);
      taken.add(word);
      return isFree;
    });
  })
  .filter(({ length }) => length > 0)
  .chain((given) =>
    fc
      .nat({ max: given.length })
      .map((at) => given.map((each, index) => ({ ...each, ...(index === at && { default: true }) }))),
  );

const day = fc
  .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

export function scalar(type: ValueType): fc.Arbitrary<Scalar> {
  switch (type) {
    case 'boolean':
      return fc.boolean();
    case 'string':
      return text.filter((each) => !isBlank(each));
    case 'integer':
      return fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -9, max: 9 }));
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value));
    case 'date':
      return day;
  }
}

type Translations = (of: fc.Arbitrary<string>) => fc.Arbitrary<{ translations?: Record<string, string> }>;

function translating(given: CatalogFile['languages']): Translations {
  return (of) =>
    fc.array(fc.option(of, { nil: undefined }), { minLength: given.length, maxLength: given.length }).map((texts) => {
      const entries = given.flatMap(({ name }, index) => (texts[index] === undefined ? [] : [[name, texts[index]]]));
      return entries.length > 0 ? { translations: Object.fromEntries(entries) as Record<string, string> } : {};
    });
}

function values(type: ValueType, translations: Translations): fc.Arbitrary<(Scalar | FileValue)[]> {
  return fc
    .uniqueArray(scalar(type), { minLength: 1, maxLength: 4 })
    .chain((scalars) =>
      fc.tuple(...scalars.map((value) => fc.tuple(fc.constant(value), translations(text), fc.nat({ max: 3 })))),
    )
    .map((given) => {
      // A text belongs to one value in all languages, because a language may fall back to another.
      const owners = new Map(given.map(([value], index) => [String(value), index]));
      return given.map(([value, { translations: texts = {} }, dice], index) => {
        const isRetired = index > 0 && dice === 0;
        const clear = Object.entries(texts).filter(([, each]) => isRetired || (owners.get(each) ?? index) === index);
        if (!isRetired) for (const [, each] of clear) owners.set(each, index);
        if (clear.length === 0 && !isRetired) return value;
        return {
          value,
          ...(clear.length > 0 && { translations: Object.fromEntries(clear) }),
          ...(isRetired && { retired: true, replacement: given[0]?.[0] as Scalar }),
        };
      });
    });
}

const CONSTRAINTS: Partial<Record<ValueType, fc.Arbitrary<NonNullable<FileKey['constraint']>>>> = {
  string: fc.record(
    { pattern: fc.constantFrom('[a-z]*', '\\p{L}+', '.*', 'a|b'), max_length: fc.integer({ min: 1, max: 4000 }) },
    { requiredKeys: [] },
  ),
  integer: fc.record(
    { min: fc.integer({ max: 0 }), max: fc.integer({ min: 0 }), step: fc.integer({ min: 1 }) },
    { requiredKeys: [] },
  ),
  number: fc.record(
    { min: fc.double({ max: 0, noNaN: true, noDefaultInfinity: true }), step: fc.constantFrom(0.1, 0.25, 3, 1e-7) },
    { requiredKeys: [] },
  ),
  date: fc.record({ min: fc.constant('2000-02-29'), max: fc.constant('2030-01-01') }, { requiredKeys: [] }),
};

function key(translations: Translations): fc.Arbitrary<Omit<FileKey, 'name'>> {
  return fc.constantFrom<ValueType>('boolean', 'string', 'integer', 'number', 'date').chain((type) =>
    fc
      .record({
        texts: translations(text),
        values: fc.option(values(type, translations), { nil: undefined }),
        constraint: fc.option(CONSTRAINTS[type] ?? fc.constant(undefined), { nil: undefined }),
        multiple: fc.option(fc.record({ min: fc.constantFrom(0, 1), max: fc.option(fc.integer({ min: 1, max: 5 })) }), {
          nil: undefined,
        }),
        hasDefault: fc.boolean(),
      })
      .map(({ texts, values, constraint, multiple, hasDefault }) => {
        const [first] = values ?? [];
        const one = typeof first === 'object' ? first.value : first;
        return {
          type,
          ...(multiple && { multiple: true, min: multiple.min, ...(multiple.max !== null && { max: multiple.max }) }),
          ...(hasDefault && one !== undefined && { default: multiple ? [one] : one }),
          ...texts,
          ...(values && { values }),
          ...(constraint && !values && type !== 'boolean' && { constraint }),
        };
      }),
  );
}

/** Catalog files that use every feature. */
export const catalogFile: fc.Arbitrary<CatalogFile> = languages.chain((given) => {
  const translations = translating(given);
  const keys = fc
    .uniqueArray(fc.tuple(name, key(translations)), { maxLength: 4, selector: ([each]) => each.normalize('NFC') })
    .map((all) => all.map(([name, rest]) => ({ name, ...rest })));
  const groups = fc
    .uniqueArray(fc.tuple(name, translations(text), keys), {
      maxLength: 3,
      selector: ([each]) => each.normalize('NFC'),
    })
    .map((all) => all.map(([name, texts, keys]): FileGroup => ({ name, ...texts, keys })));
  return groups.map((groups) => ({ languages: given, groups }));
});
