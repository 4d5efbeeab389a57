import { describe, expect, test } from 'vitest';
import { parseCatalogFile } from '../../../src/domain/catalog/parse-file.ts';
import { processorTime } from '../../processor-time.ts';
import { file, key, problems } from './written-file.ts';

describe('YAML as people write it', () => {
  const parse = (text: string) => {
    const parsed = parseCatalogFile(text, 'catalog.yaml');
    if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
    return parsed.definition;
  };

  test('yes, no, on, off and dates stay texts, with a byte order mark at the start', () => {
    const definition = parse(`\ufeff${key('type: string, values: [yes, no, on, off, 2026-01-01, 12:30, 010a]')}`);
    expect(definition.groups[0]?.keys[0]?.values?.map(({ value }) => value)).toEqual([
      ...['yes', 'no', 'on', 'off', '2026-01-01', '12:30', '010a'],
    ]);
  });

  test('repeated parts can be written once', () => {
    const definition = parse(
      file('groups:\n  - name: a\n    translations: &t { English: Hello }\n  - { name: b, translations: *t }\n'),
    );
    expect(definition.groups.map(({ texts }) => texts)).toEqual([{ en: 'Hello' }, { en: 'Hello' }]);
  });

  test('a problem inside an anchor is reported where it is written', () => {
    const text = file(
      'groups:\n  - name: a\n    translations: &t\n      Deutsch: Hallo\n  - { name: b, translations: *t }\n',
    );
    expect(problems(text)).toEqual([
      'catalog.yaml:5:7 groups[0].translations.Deutsch is not one of the languages of this file',
      'catalog.yaml:5:7 groups[1].translations.Deutsch is not one of the languages of this file',
    ]);
  });

  test('a few lines that expand to billions are rejected immediately', () => {
    const level = (name: string, of: string) => `${name}: &${name} [${Array(9).fill(`*${of}`).join(', ')}]`;
    const names = [...'abcdefghijkl'];
    const bomb = [
      'a: &a [x, x, x, x, x, x, x, x, x]',
      ...names.slice(1).map((name, at) => level(name, names[at] as string)),
    ];
    const refuse = () =>
      expect(problems(bomb.join('\n'))).toEqual([
        expect.stringMatching(/^catalog\.yaml:7:36 g\[7\] makes the file too large/),
      ]);
    expect(processorTime(refuse)).toBeLessThan(2_000);
  });

  test('parsing many names in one mapping takes linear time', () => {
    const file = Array.from({ length: 30_000 }, (_, index) => `name${index}: 1`).join('\n');
    expect(processorTime(() => problems(file))).toBeLessThan(5_000);
  });
});
