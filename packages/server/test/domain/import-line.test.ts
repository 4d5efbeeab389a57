import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readLines } from '../../src/cli/read-input.ts';
import { Progress } from '../../src/cli/terminal.ts';
import type { Catalog, Key, KeyDefinition } from '../../src/domain/catalog/catalog.ts';
import { compileCatalog } from '../../src/domain/catalog/compile.ts';
import { finish } from '../../src/domain/slices.ts';
import {
  createLineReader,
  type FileLine,
  type Held,
  LineRefused,
  type LineRules,
} from '../../src/domain/users/import-line.ts';
import { SeenIds } from '../../src/domain/users/import-users.ts';
import { readTransferTime, writeTransferTime } from '../../src/time.ts';

const NOW = Date.UTC(2026, 0, 15, 12);

const key = (keyNo: number, name: string, given: Partial<KeyDefinition & Key> = {}): Key => ({
  keyUid: `key-${keyNo}`,
  keyNo,
  name,
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
  ...given,
});
const value = (value: string, texts = {}, retired = false) => ({ value, texts, retired });

const catalog: Catalog = {
  revision: 4,
  languages: [
    { name: 'English', tag: 'en', isDefault: true },
    { name: 'Español', tag: 'es', isDefault: false },
  ],
  groups: [
    {
      groupUid: 'group-1',
      name: 'look',
      texts: {},
      descriptions: {},
      archived: false,
      keys: [
        key(1, 'colours', {
          multiple: true,
          minSelected: 1,
          values: [value('blue', { es: 'Azul' }), value('red'), value('mauve', {}, true)],
        }),
        key(2, 'motto'),
        key(3, 'gone', { archived: true }),
      ],
    },
    {
      groupUid: 'group-2',
      name: 'old',
      texts: {},
      descriptions: {},
      archived: true,
      keys: [key(4, 'thing', { archived: true })],
    },
  ],
};

const RULES: LineRules = { appId: 1, at: NOW, newCodes: false, withRetired: false };
const read = (text: string, rules: Partial<LineRules> = {}, held?: Held) =>
  createLineReader(finish(compileCatalog(catalog)), { ...RULES, ...rules })({ line: 1, text }, held);
const mia = { clientUserId: 'mia', clientUserName: 'Mia' };
const line = (given: object) => JSON.stringify({ ...mia, ...given });
const option = (given: object) => line({ options: [{ group: 'look', key: 'colours', value: ['red'], ...given }] });
const UUID = '01997a52-7c1e-7d3a-9a0b-6f1d2c3b4a59';

describe('a line', () => {
  test('with two names creates a user from now on', () => {
    expect(read(line({}))).toEqual({
      ...mia,
      userId: null,
      newUserId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      createdAt: NOW,
      selections: [],
    });
    expect(read(line({ options: null, created_at: null, service_user_code: null, profileOnly: false }))).toMatchObject(
      mia,
    );
  });

  test('with everything keeps everything', () => {
    const entry = read(
      line({
        service_user_code: UUID,
        created_at: '2025-01-31 08:00:00.250',
        options: [
          {
            group: 'look',
            key: 'colours',
            value: ['Azul', 'red', 'blue'],
            language: 'español',
            user_options_uid: UUID,
          },
          { group: 'look', key: 'motto', value: ['Hola'], language: 'ES', updated_at: '2025-02-01T09:30:00Z' },
        ],
      }),
    );
    expect(entry).toMatchObject({ userId: UUID, createdAt: Date.UTC(2025, 0, 31, 8, 0, 0, 250) });
    const updatedAt = Date.UTC(2025, 1, 1, 9, 30);
    expect(entry.selections).toMatchObject([
      { keyNo: 1, revision: 4, value: '["blue","red"]', language: null, selectionId: UUID, createdAt: NOW },
      { keyNo: 2, revision: 4, value: '"Hola"', language: 'es', createdAt: updatedAt, updatedAt },
    ]);
    expect(read(line({ service_user_code: UUID }), { newCodes: true }).userId).toBeNull();
    expect(read(line({ service_user_code: UUID.toUpperCase() })).userId).toBe(UUID);
  });

  test.each([
    ['nothing but words', 'hello', '0021', null, 'The line is not JSON.'],
    ['an array', '[]', '0021', null, 'not a JSON object'],
    ['null', 'null', '0021', null, 'not a JSON object'],
    ['a line over 1 MiB', line({ options: Array(400_000).fill([]) }), '9413', null, 'longer than 1 MiB'],
    [
      'deep nesting',
      `{"clientUserId":${'['.repeat(50_000)}${']'.repeat(50_000)}}`,
      ...(['0021', null, 'deeper than 32'] as const),
    ],
    ['a member twice', '{"clientUserId":"a","clientUserId":"b","clientUserName":"c"}', '0021', null, 'twice'],
    ['__proto__', '{"clientUserId":"a","clientUserName":"c","__proto__":{}}', '1009', '__proto__', 'is unknown'],
    ['no clientUserId', '{"clientUserName":"c"}', '0005', 'clientUserId', 'is missing'],
    ['a blank clientUserId', line({ clientUserId: ' ' }), '0005', 'clientUserId', 'is blank'],
    ['a number for a name', line({ clientUserName: 5 }), '0023', 'clientUserName', 'is not a string'],
    ['a long name', line({ clientUserName: 'x'.repeat(256) }), '0023', 'clientUserName', '255'],
    ['a misspelt member', line({ option: [] }), '1009', 'option', 'is unknown'],
    ['a code that is not a UUID', line({ service_user_code: 'x' }), '1009', 'service_user_code', 'UUID'],
    ['a time in words', line({ created_at: 'yesterday' }), '1009', 'created_at', 'YYYY-MM-DD'],
    ['an invalid day', line({ created_at: '2025-02-30 00:00:00' }), '1009', 'created_at', 'YYYY-MM-DD'],
    ['the future', line({ created_at: '2027-01-01 00:00:00' }), '1009', 'created_at', 'in the future'],
    ['profileOnly in words', line({ profileOnly: 'yes' }), '1009', 'profileOnly', 'true or false'],
    ['a profile with a time', line({ profileOnly: true, created_at: '2025-01-01 00:00:00' }), '1009', 'created_at', ''],
    ['options that are not an array', line({ options: {} }), '1009', 'options', 'an array'],
    ['too many options', line({ options: Array(501).fill({}) }), '1009', 'options', '500'],
    ['an option that is a text', line({ options: ['x'] }), '1009', 'options[0]', 'an object'],
    ['an unknown group', option({ group: 'x' }), '1004', 'options[0].group', 'does not match any group'],
    ['an unknown key', option({ key: 'x' }), '1005', 'options[0].key', 'does not match any key'],
    ['no key', option({ key: undefined }), '1009', 'options[0].key', 'is missing'],
    ['an archived key', option({ key: 'gone' }), '1012', 'options[0].key', 'archived'],
    ['a key of an archived group', option({ group: 'old', key: 'thing' }), '1012', 'options[0].key', 'archived'],
    ['no value', option({ value: undefined }), '1009', 'options[0].value', 'is missing'],
    ['a value that is not an array', option({ value: 'red' }), '1009', 'options[0].value', 'an array'],
    [
      'a value that is not offered',
      option({ value: ['red', 'pink'] }),
      '1008',
      'options[0].value[1]',
      '["blue","red"]',
    ],
    ['too few', option({ value: [] }), '1008', 'options[0].value', 'at least one value'],
    ['a retired value', option({ value: ['mauve'] }), '1008', 'options[0].value[0]', 'retired'],
    ['an unknown language', option({ language: 'fr' }), '1003', 'options[0].language', 'no language'],
    ['an invalid uid', option({ user_options_uid: 5 }), '1009', 'options[0].user_options_uid', 'UUID'],
    [
      'an update before its creation',
      option({ created_at: '2025-01-02 00:00:00', updated_at: '2025-01-01 00:00:00' }),
      '1009',
      'options[0].updated_at',
      'before created_at',
    ],
    [
      'a key twice',
      line({ options: Array(2).fill({ group: 'look', key: 'motto', value: ['x'] }) }),
      '1009',
      'options[1].key',
      'is a duplicate',
    ],
  ])('with %s is rejected', (_, text, code, field, reason) => {
    const refusal = refusalOf(() => read(text));
    expect(refusal).toMatchObject({ code, field });
    expect(refusal.message).toContain(reason);
  });

  test('with a retired value is valid for users who have it, or if retired values are accepted', () => {
    const text = option({ value: ['mauve', 'red'] });
    expect(refusalOf(() => read(text)).unlessHeld).toBe(true);
    expect(refusalOf(() => read(text, {}, new Map())).unlessHeld).toBe(false);
    expect(read(text, {}, new Map([[1, ['mauve']]])).selections[0]?.value).toBe('["red","mauve"]');
    expect(read(text, { withRetired: true }).selections[0]?.value).toBe('["red","mauve"]');
    expect(read(option({ key: 'gone', value: ['x'] }), { withRetired: true }).selections[0]?.keyNo).toBe(3);
  });
});

describe('a reused name', () => {
  const twins: Catalog = {
    ...catalog,
    groups: [
      {
        groupUid: 'group-1',
        name: 'g',
        texts: {},
        descriptions: {},
        archived: false,
        keys: [key(5, 'ff'), key(1, 'ff', { archived: true })],
      },
      {
        groupUid: 'group-0',
        name: 'g',
        texts: {},
        descriptions: {},
        archived: true,
        keys: [key(2, 'ff', { archived: true }), key(3, 'x')],
      },
    ],
  };
  const readTwins = (given: object, withRetired = false, from = twins) => {
    const reader = createLineReader(finish(compileCatalog(from)), { ...RULES, withRetired });
    const options = [{ group: 'g', key: 'ff', value: ['a'], ...given }];
    return reader({ line: 1, text: line({ options }) }).selections[0]?.keyNo;
  };

  test('means the selectable key, however many archived ones have it', () => {
    expect(readTwins({})).toBe(5);
    expect(readTwins({}, true)).toBe(5);
    expect(refusalOf(() => readTwins({ key: 'x' }))).toMatchObject({ code: '1012', field: 'options[0].key' });
    expect(readTwins({ key: 'x' }, true)).toBe(3);
  });

  test('means an archived one by its UID', () => {
    expect(readTwins({ option_key_uid: 'key-1' }, true)).toBe(1);
    expect(readTwins({ option_key_uid: 'key-2' }, true)).toBe(2);
    expect(readTwins({ option_key_uid: 'key-5' })).toBe(5);
    expect(readTwins({ option_key_uid: null })).toBe(5);
    expect(refusalOf(() => readTwins({ option_key_uid: 'key-1' }))).toMatchObject({ code: '1012' });
    const field = 'options[0].option_key_uid';
    expect(refusalOf(() => readTwins({ option_key_uid: 'key-3' }, true))).toMatchObject({ code: '1009', field });
    expect(refusalOf(() => readTwins({ option_key_uid: 7 }, true))).toMatchObject({ code: '1009', field });
    expect(
      refusalOf(() => readTwins({ option_key_uid: 'key-9' }, true)),
      'two could be meant',
    ).toMatchObject({
      code: '1005',
      field,
    });
    const one = { ...twins, groups: twins.groups.slice(0, 1) };
    expect(readTwins({ option_key_uid: 'of another application' }, true, one)).toBe(1);
  });
});

function refusalOf(act: () => unknown): LineRefused {
  try {
    act();
  } catch (error) {
    if (error instanceof LineRefused) return error;
    throw error;
  }
  throw new Error('It was not refused.');
}

describe('lines of bytes', () => {
  const lines = async (bytes: Buffer, chunk: number, maxBytes = 1000) => {
    async function* chunks() {
      for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
    }
    const all: FileLine[] = [];
    let read = 0;
    for await (const some of readLines(chunks(), maxBytes, (count) => (read = count))) all.push(...some);
    expect(read).toBe(bytes.length);
    return all;
  };

  test('are the same in any chunks, with a byte order mark, CRLF and no final newline', async () => {
    const bytes = Buffer.from('\ufeffone\r\nzwei ü\n\n🦊\nlast');
    for (let chunk = 1; chunk <= bytes.length; chunk++) {
      expect(await lines(bytes, chunk)).toEqual([
        { line: 1, text: 'one' },
        { line: 2, text: 'zwei ü' },
        { line: 3, text: '' },
        { line: 4, text: '🦊' },
        { line: 5, text: 'last' },
      ]);
    }
  });

  test('that are too long or not UTF-8 are reported, and the next ones read', async () => {
    const bytes = Buffer.concat([
      Buffer.from(`${'x'.repeat(101)}\n`),
      Buffer.from([0x61, 0xff, 0x0a]),
      Buffer.from(`${'ü'.repeat(50)}\n${'ü'.repeat(51)}\ngood\n${'y'.repeat(5000)}\nend\n${'z'.repeat(500)}`),
    ]);
    for (const chunk of [1, 7, 64, 1000, 10_000]) {
      expect(await lines(bytes, chunk, 100)).toEqual([
        { line: 1, unreadable: 'too long' },
        { line: 2, unreadable: 'not UTF-8' },
        { line: 3, text: 'ü'.repeat(50) },
        { line: 4, unreadable: 'too long' },
        { line: 5, text: 'good' },
        { line: 6, unreadable: 'too long' },
        { line: 7, text: 'end' },
        { line: 8, unreadable: 'too long' },
      ]);
    }
  });
});

test('a hundred thousand ids are each seen once', () => {
  const seen = new SeenIds();
  const countSeen = () => Array.from({ length: 100_000 }, (_, i) => seen.add(`user-${i}@example.com`)).filter(Boolean);
  expect(countSeen()).toHaveLength(0);
  expect(countSeen()).toHaveLength(100_000);
  expect([seen.add(''), seen.add('\u0000'), seen.add('\u0000\u0000')]).toEqual([false, false, false]);
});

test('every written time is read back', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 253_402_300_799_999 }), (time) => {
      expect(readTransferTime(writeTransferTime(time))).toBe(time);
      expect(readTransferTime(new Date(time).toISOString())).toBe(time);
    }),
  );
  for (const text of ['2025-01-01', '2025-13-01 00:00:00', '2025-01-01 24:00:00', '1969-12-31 23:59:59', '']) {
    expect(readTransferTime(text)).toBeUndefined();
  }
});

test('progress is one line on a terminal, with rate and remaining time, and nothing elsewhere', () => {
  let now = 0;
  const written: string[] = [];
  const stream = { isTTY: true, columns: 100, write: (text: string) => written.push(text) };
  const progress = new Progress(stream, () => now);
  progress.clear();
  now = 10_000;
  progress.show(250_000, 'users', 0.25, '3 rejected');
  progress.show(250_001, 'users', 0.25);
  expect(written).toHaveLength(1);
  const bar = '█'.repeat(6) + '░'.repeat(18);
  expect(written[0]).toBe(`\r\u001b[2K${bar}  25 %  250,000 users  25,000/s  30 seconds left  3 rejected`);
  now = 20_000;
  progress.show(500_000, 'users', undefined);
  expect(written[1]).toBe('\r\u001b[2K500,000 users  25,000/s');
  progress.clear();
  expect(written).toHaveLength(3);
  new Progress({ ...stream, isTTY: false }, () => now).show(1, 'users', 1);
  expect(written).toHaveLength(3);
});

describe('open texts in several languages', () => {
  const motto = (given: object) => {
    const option = { group: 'look', key: 'motto', ...given };
    return read(JSON.stringify({ ...mia, options: [option] })).selections[0];
  };

  test('the default language has the value, the others are stored beside it', () => {
    const both = { value: '"Hi"', language: 'en', texts: '{"es":"Hola"}' };
    expect(motto({ value: ['Hi'], texts: { es: ['Hola'] } })).toMatchObject(both);
    expect(motto({ value: ['Hola'], language: 'es', texts: { English: ['Hi'] } })).toMatchObject(both);
    expect(motto({ value: ['Hola'], language: 'es' })).toMatchObject({ value: '"Hola"', language: 'es', texts: null });
  });

  test.each([
    [{ value: ['Hi'], texts: [] }, 'badParameter', 'options[0].texts'],
    [{ value: ['Hi'], texts: { xx: ['?'] } }, 'languageUnknown', 'options[0].texts.xx'],
    [{ value: ['Hi'], texts: { en: ['Hello'] } }, 'badParameter', 'options[0].texts.en'],
    [{ value: ['Hi'], texts: { es: 'Hola' } }, 'badParameter', 'options[0].texts.es'],
    [{ value: ['Hi'], texts: { es: [5] } }, 'valueNotAllowed', 'options[0].texts.es[0]'],
    [{ key: 'colours', value: ['red'], texts: {} }, 'badParameter', 'options[0].texts'],
  ])('%j is rejected', (given, error, field) => {
    expect(() => motto(given)).toThrow(expect.objectContaining({ error, field }));
  });
});
