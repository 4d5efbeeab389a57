import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { AllowedValue, Catalog, Group, Key, Scalar } from '../../../src/domain/catalog/catalog.ts';
import { writeTypes } from '../../../src/domain/catalog/write-types.ts';
import { finish } from '../../../src/domain/slices.ts';

const ROOT = join(import.meta.dirname, '../../../../..');

let keyNo = 0;
const key = (name: string, more: Partial<Key> = {}): Key => ({
  name,
  keyUid: `key-${++keyNo}`,
  keyNo,
  type: 'string',
  multiple: false,
  minSelected: 0,
  maxSelected: null,
  defaultValue: null,
  values: null,
  constraint: {},
  texts: {},
  descriptions: {},
  archived: false,
  ...more,
});
const group = (name: string, keys: Key[], more: Partial<Group> = {}): Group => ({
  name,
  keys,
  groupUid: name,
  texts: {},
  descriptions: {},
  archived: false,
  ...more,
});
const values = (...list: Scalar[]): AllowedValue[] => list.map((value) => ({ value, texts: {}, retired: false }));

/** Characters that could end a string, a comment or a line, and names that are not identifiers. */
const NASTY = [
  '*/ export const stolen = 1; /*',
  `\`\${process.exit()}\``,
  'it\'s "quoted" \\',
  'two\nlines\r\u2028\u2029\0',
  '__proto__',
  'constructor',
  '日本語 ключ',
  '\u202Esdrawkcab',
  '1st',
  '',
  ' ',
  'a.b',
];

const CATALOG: Catalog = {
  revision: 7,
  languages: [
    { name: 'English', tag: 'en', isDefault: true },
    { name: "Kreyòl d'Ayiti", tag: 'ht', isDefault: false },
    { name: 'de', tag: 'de', isDefault: false },
  ],
  groups: [
    group('notifications', [
      key('channels', {
        multiple: true,
        texts: { en: 'Channels: how */ we reach you', ht: 'Chanèl' },
        values: [...values('email', 'sms'), { value: 'fax', texts: { en: 'Fax' }, retired: true, replacement: 'sms' }],
      }),
      key('newsletter', { type: 'boolean', values: values(true, false), texts: { en: ' @deprecated by a text' } }),
      key('terms', { type: 'boolean', values: values(true) }),
      key('size', { type: 'number', values: values(1, 1.25, -2e-7) }),
      key('volume', { type: 'integer', constraint: { min: 0 } }),
      key('gone', { archived: true }),
      key('replaced', {
        values: NASTY.map((value) => ({ value, texts: {}, retired: true, replacement: value })),
      }),
      key('nothing left', { values: [{ value: 'telex', texts: {}, retired: true }] }),
    ]),
    group('quiet', [key('since', { type: 'date' })]),
    group('limits', [
      key('ratio', { type: 'number', constraint: { min: 0.5, max: 1.1, step: 0.1 } }),
      key('code', { constraint: { pattern: '[A-Z]{2}-\\d+', maxLength: 6 } }),
      key('any case', { constraint: { pattern: '(?i)anything.*' } }),
      key('tags', { multiple: true, minSelected: 1, maxSelected: 2 }),
    ]),
    group('old', [key('thing')], { archived: true }),
    group('a', [key('b.c', { values: values('first') })]),
    group('a.b', [key('c', { values: values('second') })]),
    ...NASTY.filter((name) => name !== 'a.b').map((name) =>
      group(name, [key(name, { values: values(...NASTY), texts: { en: name } })], { texts: { en: name } }),
    ),
  ],
};

const USE = `
import { createOptionsClient } from '@innkeeper/client';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { type Catalog, schemas, values } from './catalog.ts';

export const standard: Record<string, StandardSchemaV1> = schemas;
export const channels: readonly ('email' | 'sms')[] = [] as readonly StandardSchemaV1.InferOutput<(typeof schemas)['notifications.channels']>[number][];
// @ts-expect-error no such key
export const none = schemas['notifications.gone'];

const options = createOptionsClient<Catalog>({ baseUrl: 'http://127.0.0.1', apiKey: '1_a', language: "Kreyòl d'Ayiti" });
export const good = async () => {
  await options.save('notifications.channels', ['sms', values['notifications.channels'].email]);
  await options.save('notifications.channels', ['fax']);
  await options.save('notifications.newsletter', true);
  await options.save('notifications.size', 1.25);
  await options.save('notifications.volume', 11);
  await options.save('quiet.since', '2026-01-01');
  await options.save('__proto__.__proto__', 'constructor');
  await options.save('日本語 ключ.日本語 ключ', values['日本語 ключ.日本語 ключ']['1st']);
  const own: '__proto__' = values['__proto__.__proto__']['__proto__'];
  return own;
};
export const bad = async () => {
  // @ts-expect-error no such value
  await options.save('notifications.channels', ['pigeon']);
  // @ts-expect-error multiple choice needs an array, also for one value
  await options.save('notifications.channels', 'sms');
  // @ts-expect-error no such key
  await options.save('notifications.chanels', ['sms']);
  // @ts-expect-error archived
  await options.save('notifications.gone', 'x');
  // @ts-expect-error archived with its group
  await options.save('old.thing', 'x');
  // @ts-expect-error a string is not a boolean
  await options.save('notifications.newsletter', 'true');
  // @ts-expect-error only true is allowed
  await options.save('notifications.terms', false);
  // @ts-expect-error not one of the sizes
  await options.save('notifications.size', 3);
  // @ts-expect-error no such language
  createOptionsClient<Catalog>({ baseUrl: 'http://127.0.0.1', apiKey: '1_a', language: 'Klingon' });
};
`;

/** Values that the validator of a key accepts, and values that it rejects. */
const SAMPLES: [string, unknown[], unknown[]][] = [
  ['notifications.channels', [[], ['sms'], ['sms', 'email']], ['sms', ['fax'], ['pigeon'], undefined]],
  ['notifications.newsletter', [true, false], ['true', null]],
  ['notifications.terms', [true], [false]],
  ['notifications.size', [1.25, -2e-7], [3]],
  ['notifications.volume', [0, 5], [-1, 1.5, '5', 2 ** 60, Number.NaN]],
  ['notifications.nothing left', [], ['telex']],
  ['quiet.since', ['2026-02-28'], ['2026-02-30', '26-1-1', 20260101]],
  ['limits.ratio', [0.5, 0.8, 1.1], [0.4, 0.55, 1.2]],
  ['limits.code', ['AB-1', 'ZZ-9'], ['ab-1', 'AB-1\n', 'AB-12345']],
  ['limits.any case', ['anything that RE2 alone can tell'], ['x'.repeat(4001)]],
  ['limits.tags', [['a'], ['a', 'b']], [[], ['a', 'b', 'c'], [1]]],
  ['__proto__.__proto__', ['constructor'], ['toString']],
];

test('correct use compiles, incorrect use does not, with any names of groups, keys and values', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'innkeeper-types-'));
  try {
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const empty = finish(writeTypes({ revision: 0, languages: [], groups: [] }));
    const files = {
      'package.json': '{"type":"module"}',
      'tsconfig.json': JSON.stringify({
        extends: join(ROOT, 'tsconfig.base.json'),
        compilerOptions: { lib: ['es2025', 'dom', 'dom.iterable'], types: [] },
      }),
      'catalog.ts': finish(writeTypes(CATALOG, true)),
      'empty.ts': empty,
      'use.ts': USE,
      'empty-use.ts': `import { createOptionsClient } from '@innkeeper/client';\nimport type { Catalog } from './empty.ts';\n
        const options = createOptionsClient<Catalog>({ baseUrl: 'http://127.0.0.1', apiKey: '1_a' });
        // @ts-expect-error the key has no values
        void options.save('notifications.channels', ['sms']);\n`,
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const compiled = await promisify(execFile)(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder]).catch((e) => e);
    expect(compiled.stdout).toBe('');
    // At run time it contains the same.
    const { values: held, schemas } = await import(join(folder, 'catalog.ts'));
    expect(Object.values(held['日本語 ключ.日本語 ключ'])).toEqual(NASTY);
    expect(held['a.b.c']).toEqual({ first: 'first' });
    expect(globalThis).not.toHaveProperty('stolen');
    for (const [name, good, bad] of SAMPLES) {
      const { validate } = schemas[name]['~standard'];
      for (const value of good) expect([name, validate(value)]).toEqual([name, { value }]);
      for (const value of bad)
        expect([name, value, validate(value)]).toEqual([name, value, { issues: expect.any(Array) }]);
    }
    expect(schemas['notifications.channels']['~standard'].validate(['sms', 'sms'])).toEqual({
      issues: [{ message: 'is a duplicate', path: [1] }],
    });
    expect(schemas['a.b.c']['~standard'].validate('second')).toHaveProperty('issues');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('a retired value is marked, texts cannot end their comments, and the same catalog gives the same module', () => {
  const text = finish(writeTypes(CATALOG));
  expect(text).toContain(`    /** @deprecated retired; choose "sms" instead */\n    fax: 'fax',\n`);
  expect(text).toContain('/** Channels: how *\\/ we reach you */');
  expect(text).toContain(`channels: { type: 'string'; multiple: true; value: 'email' | 'sms'; retired: 'fax' };`);
  expect(text).toContain(`newsletter: { type: 'boolean'; multiple: false; value: boolean; retired: never };`);
  expect(text).toContain(`'nothing left': { type: 'string'; multiple: false; value: never; retired: 'telex' };`);
  expect(text).toContain('/** \\@deprecated by a text */');
  expect(text).not.toMatch(/[\u202E\u2028\u2029\0\r]/);
  expect(finish(writeTypes(structuredClone(CATALOG)))).toBe(text);
});
