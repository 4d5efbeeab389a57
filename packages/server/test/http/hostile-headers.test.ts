import { expect, test } from 'vitest';
import { verifyPassword } from '../../src/domain/accounts/password.ts';
import { createLanguages } from '../../src/domain/catalog/languages.ts';
import { acceptsEncoding } from '../../src/http/docs/static-file.ts';
import { mask } from '../../src/monitoring/logging.ts';
import { inNfc } from '../../src/nfc.ts';
import { processorTime } from '../processor-time.ts';

/** Node's maximum for the headers of one request. */
const HEADER_BYTES = 16 * 1024;
const fill = (unit: string) => unit.repeat(Math.floor(HEADER_BYTES / unit.length));
/** Twenty runs take 2 ms if linear, and 10 ms or more each if quadratic. */
const twenty = (work: () => void) =>
  processorTime(() => {
    for (let count = 0; count < 20; count++) work();
  });

test.each([
  ['spaces within', `a${fill(' ')}b`],
  ['spaces and semicolons', fill(' ;')],
  ['commas', fill(',')],
  ['zeros', `br;q=0.${fill('0')}1`],
])('Accept-Encoding of %s is parsed in linear time', (_, header) => {
  expect(twenty(() => acceptsEncoding(header, 'br'))).toBeLessThan(200);
});

test.each([
  ['gzip, br', true],
  ['gzip , BR ; q=0.5', true],
  ['br;q=0', false],
  ['br;q=0.000', false],
  ['br; q=0.001', true],
  ['gzip', false],
  [undefined, false],
])('Accept-Encoding: %s accepts br: %s', (header, expected) => expect(acceptsEncoding(header, 'br')).toBe(expected));

test.each(['-eyJ', '://:', 'eyJ', ':// ', 'ink_', 'st_1', '-st_1', 'a.', 'eyJaaaaaaaaaaaa.', '://a:b', '@', '-ink_a'])(
  'a header of %s is masked in linear time',
  (unit) => {
    expect(twenty(() => mask(fill(unit)))).toBeLessThan(200);
  },
);

const jwt = `eyJ${'a'.repeat(20)}.eyJzdWIi.c2ln-_x`;
const secret = `ink_${'a'.repeat(43)}`;
test.each([
  [`token ${jwt} end`, 'token [masked] end'],
  [`${jwt}.more`, '[masked].more'],
  [`eyJ${'a'.repeat(20)}-${secret}`, `eyJ${'a'.repeat(20)}-[masked]`],
  [`eyJ${'a'.repeat(20)}.only`, `eyJ${'a'.repeat(20)}.only`],
  [`a ${secret}, b`, 'a [masked], b'],
  ['a whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw+/8=.', 'a [masked]=.'],
  ['postgres://user:p:a/ss@host/db', 'postgres://user:[masked]@host/db'],
  ['postgres://:pass@host', 'postgres://:[masked]@host'],
  ['http://a:1/x y@z', 'http://a:1/x y@z'],
  [`://a:b://c:${secret}@d`, '://a:[masked]@d'],
])('%s is masked as %s', (text, masked) => expect(mask(text)).toBe(masked));

const languages = createLanguages([
  { name: 'English', tag: 'en', isDefault: true },
  { name: 'Español', tag: 'es', isDefault: false },
  { name: '中文', tag: 'zh-Hant', isDefault: false },
]);

test.each(['a-', 'en-', '-', 'a,', 'zh-hant-', ';q=', 'en;q=0.', ' '])(
  'Accept-Language of %s is parsed in linear time',
  (unit) => {
    expect(twenty(() => languages.negotiate(`x${fill(unit)}x`))).toBeLessThan(200);
  },
);

test.each([
  ['zh-Hant-TW-x-very-long-private-use', 'zh-Hant'],
  [`es-${fill('a-')}b`, 'es'],
  ['fr;q=0.9, es;q=0.1', 'es'],
  ['es-ES, en', 'es'],
  ['zh', 'en'],
  ['Espa%C3%B1ol', 'es'],
  ['%E4%B8%AD%E6%96%87', 'zh-Hant'],
  ['%E4%, es', 'es'],
])('Accept-Language: %s requests %s', (header, tag) => expect(languages.negotiate(header)?.tag).toBe(tag));

/** Normalising is quadratic in the marks after one letter: half a million of them take minutes. */
const marks = `a${'\u0301\u0316'.repeat(5_000)}`;

test('a password is normalised only if it is short enough to be valid', () => {
  expect(processorTime(() => void verifyPassword(null, marks))).toBeLessThan(60);
});

test('a text with many marks after a letter is not normalised', () => {
  expect(processorTime(() => expect(inNfc(marks)).toBe(marks))).toBeLessThan(60);
  // Twenty of these take a few milliseconds.
  expect(twenty(() => inNfc(`a${'\u0301'.repeat(30)}`.repeat(1_000)))).toBeLessThan(500);
  expect(inNfc('Vie\u0302\u0323t')).toBe('Vi\u1ec7t');
});

test('a language name with many marks is not found', () => {
  expect(processorTime(() => expect(languages.find(marks)).toBeUndefined())).toBeLessThan(60);
  expect(languages.find('espan\u0303ol')?.tag).toBe('es');
});
