import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Catalog } from '../../../src/domain/catalog/catalog.ts';
import { writeTextsXliff } from '../../../src/domain/catalog/export-texts.ts';
import { mergeTexts } from '../../../src/domain/catalog/merge-texts.ts';
import { planCatalog } from '../../../src/domain/catalog/plan.ts';
import { readTextsCsv } from '../../../src/domain/catalog/read-csv.ts';
import { readTextsXliff } from '../../../src/domain/catalog/read-xliff.ts';
import {
  fromCell,
  type ReadTexts,
  type TextsFile,
  toCell,
  writeTextsCsv,
} from '../../../src/domain/catalog/texts-file.ts';
import { named } from '../../../src/domain/catalog/translatable.ts';
import { finish } from '../../../src/domain/slices.ts';
import { apply, catalogFile, define, EMPTY, stored } from './generated.ts';

const RUNS = { numRuns: 300 };

function fileOf(read: ReadTexts): TextsFile {
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  return read.file;
}

/** The catalog without translations. */
function withoutTexts(catalog: Catalog, keepDefault = false): Catalog {
  const bare = structuredClone(catalog);
  const byDefault = bare.languages.find(({ isDefault }) => isDefault)?.tag;
  for (const { texts } of named(bare))
    for (const tag of Object.keys(texts)) if (!keepDefault || tag !== byDefault) delete texts[tag];
  return bare;
}

test('paths are unique', () => {
  fc.assert(
    fc.property(catalogFile, (file) => {
      const paths = [...named(define(file))].map(({ path }) => path);
      expect(new Set(paths).size).toBe(paths.length);
    }),
    RUNS,
  );
});

test('changes that are too large together, each with its long sources, are a problem of the file', () => {
  const languages = Array.from({ length: 200 }, (_, at) => ({ name: `L${at}`, tag: `en-x-l${at}` }));
  const keys = Array.from({ length: 100 }, (_, at) => ({
    ...{ name: `k${at}`, type: 'boolean' as const, translations: { L0: 'now '.repeat(499) } },
  }));
  const catalog = apply(EMPTY, define({ languages, groups: [{ name: 'g', keys }] }));
  const entries = keys.flatMap(({ name }, at) =>
    languages.slice(1).map((language) => ({
      ...{ path: `g/${name}`, language: language.tag, text: 'x', source: 'was '.repeat(499), line: at + 2 },
    })),
  );
  const few = finish(mergeTexts(catalog, entries.slice(0, 10_000)));
  expect([few.problems, few.outdated.length]).toEqual([[], 10_000]);
  const { problems, texts } = finish(mergeTexts(catalog, entries));
  expect(problems).toMatchObject([{ message: expect.stringMatching(/split the file/) }]);
  expect(texts.length).toBeLessThan(17_000);
});

describe('CSV', () => {
  test('round-trips every text', () => {
    fc.assert(
      fc.property(catalogFile, (file) => {
        const catalog = apply(EMPTY, define(file));
        const read = fileOf(readTextsCsv(finish(writeTextsCsv(catalog, catalog.languages, '1_a@1'))));
        expect(read.stamp).toBe('1_a@1');

        const merged = finish(mergeTexts(catalog, read.entries));
        expect(merged).toMatchObject({ problems: [], conflicts: [], outdated: [] });
        expect(finish(planCatalog(catalog, merged.definition)).changes).toEqual([]);

        const bare = withoutTexts(catalog);
        const filled = finish(mergeTexts(bare, read.entries));
        expect(filled).toMatchObject({ problems: [], conflicts: [] });
        expect(stored(finish(planCatalog(bare, filled.definition)).next).groups).toEqual(catalog.groups);
      }),
      RUNS,
    );
  });

  test('is read from spreadsheets with semicolons, tabs, without a byte order mark, and with line feeds only', () => {
    fc.assert(
      fc.property(catalogFile, fc.constantFrom(';', '\t', ','), (file, delimiter) => {
        const catalog = apply(EMPTY, define(file));
        const cells = parse(finish(writeTextsCsv(catalog, catalog.languages, '1_a@1')).slice(1)) as string[][];
        const saved = cells
          .map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(delimiter))
          .join('\n');
        const { entries } = fileOf(readTextsCsv(saved));
        expect(finish(planCatalog(catalog, finish(mergeTexts(catalog, entries)).definition)).changes).toEqual([]);
      }),
      RUNS,
    );
  });

  test('has no cell that a spreadsheet takes for a formula', () => {
    fc.assert(
      fc.property(catalogFile, (file) => {
        const catalog = apply(EMPTY, define(file));
        const text = finish(writeTextsCsv(catalog, catalog.languages, '1_a@1'));
        expect(text.startsWith('\ufeffpath')).toBe(true);
        for (const cell of (parse(text.slice(1)) as string[][]).flat())
          expect(cell).not.toMatch(/^(?:[\t\r]|[\s\u200b]*[=+\-@＝＋－＠])/);
      }),
      RUNS,
    );
  });

  test.each([
    ['x;=1+1;y', `"x;'=1+1;y"`],
    ['x; =1', `"x; '=1"`],
    ["x;'=1", `"x;''=1"`],
    ['x\n=1;y', `"x\n'=1;y"`],
    ['x\t-1', `"x\t'-1"`],
    [' \n=1', `"' \n'=1"`],
    ['\n=1', `"'\n'=1"`],
    ['1-1', '1-1'],
    ['a;b', '"a;b"'],
  ])('has no formula in %j where semicolons or tabs separate, and reads it back', (text, cell) => {
    expect(toCell(text)).toBe(cell);
    expect(fromCell((parse(cell) as string[][])[0]?.[0] as string)).toBe(text);
  });

  test.each([
    ['no head', 'a,b\r\n', '1 the first line must name the columns: path, then languages, separated by commas'],
    ['a column twice', 'path,English,English\n', '1 duplicate column "English"'],
    ['a quote left open', 'path,English\na,"b\n', '2 quote Not Closed'],
    [
      'more columns than languages',
      `path,${Array.from({ length: 40_000 }, (_, i) => `c${i}`)}\n`,
      '1 has more than 202 columns',
    ],
    ['more lines than texts', `path,a\n${'p,\n'.repeat(200_001)}`, 'has more than 200000 lines'],
    ['more texts than memory', `path,a,b,c\n${'p,x,y,z\n'.repeat(170_000)}`, 'contains more than 500000 texts'],
  ])('is rejected with %s', (_, csv, expected) => {
    const read = readTextsCsv(csv);
    const [problem] = 'problems' in read ? read.problems : [];
    expect(`${problem?.line} ${problem?.message}`).toContain(expected);
  });

  test('reports the first line of a record, also after multi-line texts', () => {
    const { entries } = fileOf(readTextsCsv('path,English\na,"1\n2\n3"\nb,x\n'));
    expect(entries.map(({ path, line }) => [path, line])).toEqual([
      ['a', 2],
      ['b', 5],
    ]);
  });
});

describe('XLIFF', () => {
  test('round-trips every text of a language', () => {
    fc.assert(
      fc.property(catalogFile, (file) => {
        const catalog = apply(EMPTY, define(file));
        const others = catalog.languages.filter(({ isDefault }) => !isDefault);
        const files = others.flatMap((language) => finish(writeTextsXliff(catalog, language, '1_a@1')) ?? []);
        const read = files.map((each) => fileOf(readTextsXliff(each)));
        for (const { stamp } of read) expect(stamp).toBe('1_a@1');

        const entries = read.flatMap((each) => each.entries);
        const bare = withoutTexts(catalog, true);
        const filled = finish(mergeTexts(bare, entries));
        expect(filled).toMatchObject({ problems: [], conflicts: [], outdated: [] });
        expect(stored(finish(planCatalog(bare, filled.definition)).next).groups).toEqual(catalog.groups);
      }),
      RUNS,
    );
  });

  const xliff = (body: string, root = 'version="2.0" srcLang="en" trgLang="de"') =>
    `<?xml version="1.0"?>\n<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" ${root}>\n<file id="f">\n${body}\n</file>\n</xliff>`;
  const unit = (body: string) => xliff(`<unit id="u" name="a/b">\n${body}\n</unit>`);

  test('is read as tools write it: with segments, marks and modules', () => {
    const { entries } = fileOf(
      readTextsXliff(
        xliff(`<group id="g"><unit id="u" name="a/b" xmlns:mtc="urn:oasis:names:tc:xliff:matches:2.0">
          <mtc:matches><mtc:match ref="#x"><source>no</source><target>no</target></mtc:match></mtc:matches>
          <segment><source>One. </source><target>Eins.</target></segment>
          <ignorable><source> </source></ignorable>
          <segment><source>Two</source><target><mrk id="m" type="term">Zw<![CDATA[e]]>i</mrk>&#x21;<cp hex="0007"/></target></segment>
        </unit></group>
        <unit id="v" name="c"><segment><source>x</source></segment></unit>
        <unit id="w" name="d"><segment><source>x</source><target/></segment></unit>`),
      ),
    );
    expect(entries).toEqual([{ path: 'a/b', language: 'de', text: 'Eins. Zwei!\u0007', source: 'One.  Two', line: 4 }]);
  });

  test.each([
    [
      'a document type',
      '<!DOCTYPE x [<!ENTITY a "b">]>\n<x/>',
      '1:31 has a document type declaration, which is not supported',
    ],
    ['an unknown entity', unit('<segment><source>&a;</source></segment>'), '5:21 undefined entity'],
    [
      'XLIFF 1.2',
      '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"/>',
      'is XLIFF 1.2: only XLIFF 2 is supported',
    ],
    ['another XML', '<html/>', 'is not XLIFF'],
    ['no target language', xliff('', 'version="2.0" srcLang="en"'), 'has no trgLang'],
    [
      'a unit without a name',
      xliff('<unit id="u"><segment><source>x</source></segment></unit>'),
      '4:14 <unit> has no name',
    ],
    [
      'a part not translated',
      unit('<segment><source>x</source><target>y</target></segment><segment><source>z</source></segment>'),
      '6:8 "a/b" is only partly translated',
    ],
    [
      'a placeholder',
      unit('<segment><source>x</source><target><ph id="1"/></target></segment>'),
      '5:48 <ph> cannot be part of a text here',
    ],
    ['no element', '<xliff', 'document must contain a root element'],
    ['elements in elements', xliff('<group>'.repeat(20_000)), 'is nested too deeply'],
    [
      'an invalid character',
      unit('<segment><source>x</source><target><cp hex="-1"/></target></segment>'),
      '<cp> cannot be part of a text here',
    ],
    [
      'a namespace inside a text',
      unit('<segment><source>x</source><target><b xmlns="y"/></target></segment>'),
      '<b> cannot be part of a text',
    ],
  ])('is rejected with %s', (_, text, expected) => {
    const read = readTextsXliff(text);
    const problems =
      'problems' in read ? read.problems.map(({ line, column, message }) => `${line}:${column} ${message}`) : [];
    expect(problems.join('\n')).toContain(expected);
  });

  test('does not expand nested entities', () => {
    const bomb = `<!DOCTYPE l [<!ENTITY a "x">${'<!ENTITY b "&a;&a;">'.repeat(20)}]><xliff>&b;</xliff>`;
    expect(readTextsXliff(bomb)).toHaveProperty('problems');
  });
});

describe('merging', () => {
  const catalog = apply(
    EMPTY,
    define({
      languages: [
        { name: 'English', tag: 'en' },
        { name: 'Hebrew', tag: 'iw' },
      ],
      groups: [
        {
          name: 'g',
          translations: { English: 'Group', he: 'old' },
          keys: [{ name: 'k', type: 'string', values: [{ value: 'a', translations: { he: 'A' } }, 'b'] }],
        },
      ],
    }),
  );
  const entry = (path: string, language: string, text: string, more = {}) => ({
    path,
    language,
    text,
    line: 7,
    ...more,
  });
  const changed = (base: Catalog) => apply(base, finish(mergeTexts(base, [entry('g', 'he', 'theirs')])).definition);

  test('finds languages by name and tag in any case and older form', () => {
    for (const word of ['Hebrew', 'HEBREW', 'he', 'iw', 'HE']) {
      expect(finish(mergeTexts(catalog, [entry('g', word, 'new')])).definition.groups[0]?.texts.he).toBe('new');
    }
  });

  test.each([
    ['an unknown path', [entry('x', 'he', 'new')], 'x is not in the catalog'],
    ['an unknown language', [entry('g', 'fr', 'new')], 'g "fr" is not a language of the catalog'],
    ['a text twice', [entry('g', 'he', 'new'), entry('g', 'iw', 'newer')], 'g already has a text in Hebrew, in line 7'],
    ['a blank text', [entry('g', 'he', ' ')], 'g in Hebrew is blank'],
    ['a text too long', [entry('g', 'he', 'x'.repeat(2001))], 'g in Hebrew is longer than 2000 characters'],
    [
      'a text that cannot be stored',
      [entry('g', 'he', '\ud800')],
      'g in Hebrew contains a character that cannot be stored',
    ],
    [
      'a text for two values',
      [entry('g/k=b', 'he', 'A')],
      'g/k=b has the text "A" in he, which already belongs to another value',
    ],
    [
      'a text that is another value',
      [entry('g/k=a', 'he', 'b')],
      'g/k=a has the text "b" in he, which already belongs to another value',
    ],
  ])('rejects %s', (_, entries, expected) => {
    const [problem] = finish(mergeTexts(catalog, entries)).problems;
    expect(`${problem?.path} ${problem?.message}`).toContain(expected);
    expect(problem?.line).toBe(7);
  });

  test('keeps what the file did not change since the export', () => {
    const merged = finish(mergeTexts(changed(catalog), [entry('g', 'he', 'old')], { base: catalog }));
    expect(merged).toMatchObject({ conflicts: [], problems: [] });
    expect(merged.definition.groups[0]?.texts.he).toBe('theirs');
  });

  test('reports conflicts, and prefers the requested side', () => {
    const current = changed(catalog);
    const entries = [entry('g', 'he', 'mine')];
    expect(finish(mergeTexts(current, entries, { base: catalog })).conflicts).toEqual([
      { path: 'g', language: 'Hebrew', line: 7, inFile: 'mine', inCatalog: 'theirs' },
    ]);
    for (const [prefer, text] of [
      ['file', 'mine'],
      ['catalog', 'theirs'],
    ] as const) {
      const merged = finish(mergeTexts(current, entries, { base: catalog, prefer }));
      expect(merged.conflicts).toEqual([]);
      expect(merged.definition.groups[0]?.texts.he).toBe(text);
    }
    expect(
      finish(mergeTexts(current, [entry('g', 'he', 'theirs')], { base: catalog })).conflicts,
      'the same change',
    ).toEqual([]);
  });

  test('reports texts translated from an outdated source', () => {
    expect(finish(mergeTexts(catalog, [entry('g', 'he', 'new', { source: 'Groop' })])).outdated).toEqual([
      { path: 'g', language: 'Hebrew', line: 7, was: 'Groop', is: 'Group' },
    ]);
    expect(finish(mergeTexts(catalog, [entry('g/k', 'he', 'new', { source: 'k' })])).outdated).toEqual([]);
  });
});
