import { describe, expect, test } from 'vitest';
import { MAX_FILE_LENGTH } from '../../../src/domain/catalog/parse-file.ts';
import { file, key, problems } from './written-file.ts';

describe('file problems are reported by line and column', () => {
  test.each([
    // the shape
    ['not a mapping', '- a\n', '1:1 the file must be a mapping'],
    ['something missing', file(''), '1:1 groups is missing'],
    ['something unknown', file('groups: []\ncolour: red\n'), '3:1 colour is unknown'],
    ['no languages', file('groups: [{ name: g }]', '[]'), '1:12 languages must name at least one language'],
    ['a group without a name', file('groups:\n  - keys: []\n'), '3:5 groups[0].name is missing'],
    [
      'a name that is a number',
      file('groups:\n  - name: 7\n'),
      '3:11 groups[0].name must be a string (quote it if it looks like another type)',
    ],
    ['keys left empty', file('groups:\n  - name: g\n    keys:\n'), '4:10 groups[0].keys must be a list'],
    [
      'a type unknown',
      key('type: strin'),
      '5:24 groups[0].keys[0].type must be one of boolean, string, integer, number, date',
    ],
    ['a setting unknown', key('type: string, colour: red'), '5:32 groups[0].keys[0].colour is unknown'],
    [
      'a count below none',
      key('type: string, multiple: true, min: -1'),
      '5:53 groups[0].keys[0].min must be at least 0',
    ],
    [
      'a step of nothing',
      key('type: number, constraint: { step: 0 }'),
      '5:52 groups[0].keys[0].constraint.step must be more than 0',
    ],
    [
      'a value that is a list',
      key('type: string, values: [[1]]'),
      '5:41 groups[0].keys[0].values[0] must be true or false, a string (quote it if it looks like another type), a number or a mapping',
    ],
    [
      'a value without one',
      key('type: string, values: [{ retired: true }]'),
      '5:41 groups[0].keys[0].values[0].value is missing',
    ],
    ['a blank value', key("type: string, values: [a, ' ']"), '5:44 groups[0].keys[0].values[1] must not be blank'],
    [
      'a value with more',
      key('type: string, values: [{ value: a, colour: red }]'),
      '5:53 groups[0].keys[0].values[0].colour is unknown',
    ],
    [
      'a value too long',
      key(`type: string, values: [${'x'.repeat(1001)}]`),
      '5:41 groups[0].keys[0].values[0] must have at most 1000 characters',
    ],
    // languages
    [
      'an invalid tag',
      file('groups: []', '[{ name: X, tag: "d e" }]'),
      '1:29 languages[0].tag "d e" is not a BCP 47 language tag',
    ],
    [
      'two defaults',
      file('groups: []', '[{ name: A, tag: en, default: true }, { name: B, tag: de, default: true }]'),
      '1:79 languages[1].default another language is already the default',
    ],
    [
      'a word for two languages',
      file('groups: []', '[{ name: A, tag: en }, { name: EN, tag: de }]'),
      '1:35 languages[1] "en" already names another language',
    ],
    [
      'a text in no language',
      key('type: string, translations: { Deutsch: x }'),
      '5:48 groups[0].keys[0].translations.Deutsch is not one of the languages of this file',
    ],
    [
      'a text by name and tag',
      key('type: string, translations: { en: x, English: y }'),
      '5:55 groups[0].keys[0].translations.English already has a text in this language',
    ],
    [
      'a blank text',
      key('type: string, translations: { en: " " }'),
      '5:52 groups[0].keys[0].translations.en is blank: remove it instead',
    ],
    [
      'a text with a zero',
      key('type: string, translations: { en: "a\\0" }'),
      '5:52 groups[0].keys[0].translations.en contains a character that cannot be stored',
    ],
    // names
    [
      'a name with spaces around',
      file('groups: [{ name: " g" }]'),
      '2:18 groups[0].name must not be blank, nor begin or end with a space',
    ],
    [
      'a name with a line feed',
      file('groups: [{ name: "g\\ng" }]'),
      '2:18 groups[0].name contains an invalid character',
    ],
    [
      'a group twice',
      file('groups: [{ name: g }, { name: g }]'),
      '2:31 groups[1].name another group already has the name "g"',
    ],
    [
      'a former name in use',
      file('groups: [{ name: g }, { name: h, was: g }]'),
      '2:39 groups[1].was "g" is still the name of a group in this file',
    ],
    [
      'a former name twice',
      file('groups: [{ name: g, was: a }, { name: h, was: a }]'),
      '2:47 groups[1].was another group was "a" already',
    ],
    // values
    [
      'a value of another type',
      key('type: integer, values: [1, 1.5]'),
      '5:45 groups[0].keys[0].values[1] must be a whole number to match the type of the key',
    ],
    [
      'a value twice',
      key('type: number, values: [1, 1.0]'),
      '5:44 groups[0].keys[0].values[1] the value 1 is a duplicate',
    ],
    [
      'an invalid day',
      key('type: date, values: [2026-02-30]'),
      '5:39 groups[0].keys[0].values[0] must be a date as YYYY-MM-DD',
    ],
    [
      'a replacement for nothing',
      key('type: string, values: [a, { value: b, replacement: a }]'),
      '5:69 groups[0].keys[0].values[1].replacement requires a retired value',
    ],
    [
      'an unknown replacement',
      key('type: string, values: [a, { value: b, retired: true, replacement: c }]'),
      '5:84 groups[0].keys[0].values[1].replacement "c" is not a value of this key',
    ],
    [
      'a replacement retired itself',
      key('type: string, values: [a, { value: b, retired: true, replacement: c }, { value: c, retired: true }]'),
      'replacement "c" is itself retired',
    ],
    [
      'a value that replaces itself',
      key('type: string, values: [a, { value: b, retired: true, replacement: b }]'),
      'replacement must be another value',
    ],
    [
      'a group with a reserved character',
      file('groups:\n  - name: a.b\n'),
      'groups[0].name must not contain ".", "/" or "="',
    ],
    [
      'a key that is moved and still there',
      file(
        'groups:\n  - name: a\n    keys: [{ name: k, type: date }]\n  - name: b\n    keys: [{ name: k, was: a/k, type: date }]\n',
      ),
      'groups[1].keys[0].was "a/k" is still a key in this file',
    ],
    [
      'nothing left to choose',
      key('type: string, values: [{ value: a, retired: true }]'),
      '5:40 groups[0].keys[0].values are all retired: at least one must be offered',
    ],
    [
      'a text of two values',
      key('type: string, values: [{ value: a, translations: { en: X } }, { value: b, translations: { en: X } }]'),
      'values[1] has the text "X" in en, which already belongs to another value',
    ],
    [
      'a text that is another value',
      key(
        'type: string, values: [{ value: gift, translations: { es: Regalo } }, { value: poison, translations: { es: gift } }]',
      ),
      '5:88 groups[0].keys[0].values[1] has the text "gift" in es, which already belongs to another value',
    ],
    [
      'a text that is a later value',
      key('type: string, values: [{ value: a, translations: { es: b } }, { value: b, translations: { es: B } }]'),
      '5:41 groups[0].keys[0].values[0] has the text "b" in es, which already belongs to another value',
    ],
    [
      'a text that is a retired value',
      key('type: string, values: [{ value: a, translations: { es: b } }, { value: b, retired: true }]'),
      'values[0] has the text "b" in es, which already belongs to another value',
    ],
    [
      'a text that another value has by default',
      key('type: string, values: [{ value: a, translations: { es: X } }, { value: b, translations: { en: X } }]'),
      'values[0] has the text "X" in es, which already belongs to another value',
    ],
    [
      'a text that another value has from the base of the language',
      file(
        'groups:\n  - name: g\n    keys:\n    - { name: k, type: string, values: [{ value: a, translations: { pt: X } }, { value: b, translations: { pt-BR: X } }] }\n',
        '[{ name: English, tag: en }, { name: PT, tag: pt }, { name: BR, tag: pt-BR }]',
      ),
      'values[1] has the text "X" in pt-BR, which already belongs to another value',
    ],
    // counts, constraints, defaults
    [
      'a count for one value',
      key('type: string, min: 1'),
      '5:32 groups[0].keys[0].min requires `multiple: true`; for a range, use `constraint`',
    ],
    [
      'max below min',
      key('type: string, multiple: true, min: 2, max: 1'),
      '5:61 groups[0].keys[0].max is less than min',
    ],
    [
      'more than there are',
      key('type: string, multiple: true, min: 2, values: [a]'),
      '5:53 groups[0].keys[0].min is more than the number of values (1)',
    ],
    [
      'more than anybody types',
      key('type: string, multiple: true, min: 101'),
      '5:53 groups[0].keys[0].min must be at most 100 for an open key',
    ],
    [
      'a constraint on values',
      key('type: string, values: [a], constraint: { max_length: 2 }'),
      '5:45 groups[0].keys[0].constraint requires an open key',
    ],
    [
      'a constraint of another type',
      key('type: string, constraint: { min: 2 }'),
      '5:51 groups[0].keys[0].constraint.min is not supported by the type string',
    ],
    [
      'a bound of another type',
      key('type: date, constraint: { min: 2 }'),
      '5:49 groups[0].keys[0].constraint.min must be a date as YYYY-MM-DD',
    ],
    [
      'a step for dates',
      key('type: date, constraint: { step: 2 }'),
      'constraint.step is not supported by the type date',
    ],
    ['a broken bound', key('type: integer, constraint: { max: 1.5 }'), 'constraint.max must be a whole number'],
    [
      'bounds the wrong way round',
      key('type: integer, constraint: { min: 2, max: 1 }'),
      '5:60 groups[0].keys[0].constraint.max is less than min',
    ],
    [
      'a pattern that RE2 does not know',
      key('type: string, constraint: { pattern: "(?=a)b" }, default: b'),
      '5:55 groups[0].keys[0].constraint.pattern is not a pattern in RE2 syntax: error parsing regexp: invalid or unsupported Perl syntax: `(?=`',
    ],
    [
      'an invalid pattern',
      key('type: string, constraint: { pattern: "(" }'),
      'constraint.pattern is not a pattern in RE2 syntax',
    ],
    [
      'a default outside',
      key('type: integer, constraint: { max: 3 }, default: 4'),
      '5:66 groups[0].keys[0].default must be at most 3',
    ],
    [
      'a default that is not a value',
      key('type: string, values: [a], default: b'),
      '5:54 groups[0].keys[0].default is not among the values',
    ],
    [
      'a default retired',
      key('type: string, values: [a, { value: b, retired: true }], default: b'),
      'default is retired',
    ],
    [
      'one default for several',
      key('type: string, multiple: true, default: a'),
      'default must be a list, because the key accepts several values',
    ],
    ['several defaults for one', key('type: string, default: [a]'), 'default must be one value, not a list'],
    [
      'too many defaults',
      key('type: string, multiple: true, max: 1, default: [a, b]'),
      'default has too few or too many values for min and max',
    ],
    [
      'one of several defaults',
      key('type: integer, multiple: true, default: [1, a]'),
      '5:62 groups[0].keys[0].default[1] must be a whole number',
    ],
    // YAML itself
    ['a name twice', 'a: 1\nb: { c: 1, c: 2 }\n', '2:12 b.c is a duplicate'],
    [
      'digits lost',
      'a: 12345678901234567890\n',
      '1:4 a cannot be stored exactly: 12345678901234567890 would become 12345678901234567000',
    ],
    ['fractions lost', 'a: 0.1000000000000000055511151231257827\n', '1:4 a cannot be stored exactly'],
    ['an infinite number', 'a: .inf\n', '1:4 a cannot be stored exactly'],
    ['a tag of its own', 'a: !colour red\n', '1:4 unresolved tag: !colour'],
    ['a list as a name', '? [a]\n: 1\n', '1:3 is a name that is not a text'],
    ['YAML 1.1', '%YAML 1.1\n---\na: yes\n', '1:1 only YAML 1.2 is supported: remove the directive'],
    ['two documents', 'a: 1\n---\nb: 2\n', '2:1 is a second document: a catalog file has only one'],
    ['another format', '{"a":{"b":[1]}}\n'.repeat(50_000), '2:1 unexpected flow-map-start'],
    ['a bracket left open', 'a: [1\n', '2:1 flow sequence'],
    ['an unknown alias', 'a: *b\n', '1:4 a *b refers to no earlier anchor'],
    ['an alias of itself', 'a: &b [1, *b]\n', '1:11 a[1] *b refers to an anchor that contains it'],
    ['nesting without end', `a: ${'['.repeat(100)}${']'.repeat(100)}`, 'is nested deeper than 64 levels'],
    ['nesting beyond the stack', '['.repeat(1_000_000), 'is nested deeper than 64 levels'],
    ['mappings that never end', '{a: '.repeat(1_000_000), 'is nested deeper than 64 levels'],
    ['lists in lists on one line', '- '.repeat(1_000_000), 'is nested deeper than 64 levels'],
    ['keys in keys on one line', '? '.repeat(1_000_000), 'is nested deeper than 64 levels'],
    [
      'mappings line by line',
      Array.from({ length: 2_000 }, (_, at) => `${' '.repeat(at)}a:\n`).join(''),
      'is nested deeper than 64 levels',
    ],
    ['nothing', ' \n', '1:1 the file is empty'],
    ['too much', ' '.repeat(MAX_FILE_LENGTH + 1), '1:1 is longer than 32 million characters'],
  ])('%s', (_, text, expected) => {
    expect(problems(text).join('\n')).toContain(expected);
  });

  test.each([
    [
      'a name twice',
      '{"languages": [],\n "groups": [{"name": "a", "\\u006eame": "b"}]}',
      '2:27 groups[0].name is a duplicate',
    ],
    ['digits lost', '{"a": [1,\n  -1e400]}', '2:3 a[1] cannot be stored exactly: -1e400 would become -Infinity'],
    [
      'something unknown',
      '{"languages": [{"name": "A", "tag": "en"}],\n "groups": [],\n "x": {"y": 1}}',
      '3:2 x is unknown',
    ],
    [
      'a wrong value',
      '{"languages": [{"name": "A", "tag": "en"}],\n "groups": [{"name": "g"},\n {"name": "g"}]}',
      '3:11 groups[1].name another group already has the name "g"',
    ],
    [
      'something missing',
      '{"languages": [{"name": "A", "tag": "en"}],\n "groups": [{},{"name": "g"}]}',
      '2:13 groups[0].name is missing',
    ],
    ['a comma too many', '{"a": 1,\n}', '2:1 expected double-quoted property name'],
    ['an end missing', '{"a": [1', '1:9'],
    ['an unknown word', '{"a": 1,\n "b": [true, x], "c": x}', "2:14 unexpected token 'x'"],
    ['something after the end', '{"a": 1}\n}', '2:1 '],
    ['nothing but its beginning', '{', '1:2 '],
    ['nesting without end', `{"a": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'is nested deeper than 64 levels'],
    ['nesting that never ends', '{"a":'.repeat(1_000_000), '1:321 is nested deeper than 64 levels'],
    [
      'an object of everything',
      `{${Array.from({ length: 10_001 }, (_, at) => `"${at}":1`).join()}}`,
      'has an object of more than 10000 members',
    ],
    ['YAML', 'a: 1', "1:1 unexpected token 'a'"],
  ])('%s, in JSON', (_, text, expected) => {
    expect(problems(text, 'catalog.json').join('\n')).toContain(expected);
  });

  test('all problems at once, in file order', () => {
    const text = file(
      'groups:\n  - name: g\n    was: h\n    keys:\n    - { name: k, type: string, default: 1 }\n  - name: h\n',
    );
    expect(problems(text)).toEqual([
      'catalog.yaml:4:10 groups[0].was "h" is still the name of a group in this file',
      'catalog.yaml:6:41 groups[0].keys[0].default must be a string',
    ]);
  });

  test('texts in unknown languages, although a language of the file is wrong', () => {
    const texts = '{ German: x, nope!: x, en-gb: x, en-US: x, hebrew: x, iw: x, Klingon: x }';
    const languages =
      '[{ name: German, tag: nope! }, { name: UK, tag: en_GB }, { name: A, tag: en, default: 1 }, { name: Hebrew, tag: he }]';
    expect(problems(file(`groups: [{ name: g, translations: ${texts} }]`, languages))).toEqual([
      'catalog.yaml:1:34 languages[0].tag "nope!" is not a BCP 47 language tag',
      'catalog.yaml:1:60 languages[1].tag "en_GB" is not a BCP 47 language tag',
      'catalog.yaml:1:98 languages[2].default must be true or false',
      'catalog.yaml:2:89 groups[0].translations.iw already has a text in this language',
      'catalog.yaml:2:96 groups[0].translations.Klingon is not one of the languages of this file',
    ]);
  });

  test('a language without a tag may be that of any text', () => {
    const text = file('groups: [{ name: g, translations: { Klingon: x } }]', '[{ name: German }]');
    expect(problems(text)).toEqual(['catalog.yaml:1:13 languages[0].tag is missing']);
  });

  test('a key that was moved twice, although something else is wrong', () => {
    const group = (name: string) => `{ name: ${name}, keys: [{ name: k, type: boolean, was: c/k }] }`;
    expect(problems(file(`groups: [${group('a')}, ${group('b')}, { name: " " }]`))).toEqual([
      'catalog.yaml:2:118 groups[1].keys[0].was another key was "c/k" already',
      'catalog.yaml:2:136 groups[2].name must not be blank, nor begin or end with a space',
    ]);
  });
});
