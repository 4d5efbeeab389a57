import { expect, test } from 'vitest';
import { readTextsCsv } from '../../../src/domain/catalog/read-csv.ts';
import { readTextsXliff } from '../../../src/domain/catalog/read-xliff.ts';

const xliff = (language: string, path: string, text: string) =>
  `<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" trgLang="${language}"><file id="f"><unit id="u" name="${path}"><segment><source>a</source><target>${text}</target></segment></unit></file></xliff>`;

test('what is too long for any catalog is cut', () => {
  const long = 'a'.repeat(1_000_000);
  for (const [language, path, text] of [
    [long, 'g', 't'],
    ['de', long, 't'],
    ['de', 'g', long],
  ] as const) {
    for (const read of [
      readTextsXliff(xliff(language, path, text)),
      readTextsCsv(`path,${language}\n${path},${text}\n`),
    ]) {
      expect(read).toMatchObject({ file: { entries: [{ line: expect.any(Number) }] } });
      expect(JSON.stringify(read).length).toBeLessThan(25_000);
    }
  }
});
