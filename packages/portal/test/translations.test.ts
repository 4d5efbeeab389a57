import { describe, expect, test } from 'vitest';
import { readTable, writeTable } from '../src/rooms/translations/clipboard-table.ts';
import { filterRows, firstColumn } from '../src/rooms/translations/filter-rows.ts';
import { planPaste } from '../src/rooms/translations/paste.ts';
import { blockOf, move, select } from '../src/rooms/translations/selection.ts';
import { type SendOutcome, type SentText, Sheet } from '../src/rooms/translations/sheet.ts';
import { listMissing, readList } from '../src/rooms/translations/text-list.ts';
import { directionOf, toRow } from '../src/rooms/translations/text-row.ts';

test('missing texts are a list with a line each, which can be pasted back', () => {
  const [english, deutsch] = [
    { name: 'English', tag: 'en', isDefault: true },
    { name: 'Deutsch', tag: 'de', isDefault: false },
  ];
  const rows = [
    toRow({ path: 'a', texts: { en: 'A' } }),
    toRow({ path: 'b', texts: { de: 'B' } }),
    toRow({ path: 'c', texts: { en: 'two\nlines' } }),
    toRow({ path: 'd', texts: {} }),
  ];
  const lines = listMissing(rows, deutsch, [english, deutsch]);
  expect(lines).toEqual([
    { path: 'a', source: 'A' },
    { path: 'd', source: 'd' },
  ]);
  expect(listMissing(rows, english, [english, deutsch])).toEqual([]);
  expect(readList(' x \r\ny\n\n', lines, 'de')).toEqual([
    { path: 'a', tag: 'de', text: 'x' },
    { path: 'd', tag: 'de', text: 'y' },
  ]);
  expect(readList('\ny', lines, 'de')).toEqual([{ path: 'd', tag: 'de', text: 'y' }]);
  expect(readList('x', lines, 'de')).toBeUndefined();
});

describe('clipboard content from spreadsheets', () => {
  test.each([
    ['one cell', 'Hallo', [['Hallo']]],
    ['a column, with the line end after it', 'a\r\nb\r\n', [['a'], ['b']]],
    [
      'a block with holes',
      'a\tb\n\td',
      [
        ['a', 'b'],
        ['', 'd'],
      ],
    ],
    ['a text of two lines', '"a\nb"\tc', [['a\nb', 'c']]],
    ['quotes that were doubled', '"say ""hi"""\nx', [['say "hi"'], ['x']]],
    ['quotes that are the text itself', '"Hi"\tshe said "no"', [['"Hi"', 'she said "no"']]],
    ['a quote that is never closed', '"a\tb', [['"a', 'b']]],
    ['empty lines between', 'a\n\nb', [['a'], [''], ['b']]],
  ])('%s', (_, text, table) => {
    expect(readTable(text)).toEqual(table);
  });

  test('copied text is pasted back unchanged', () => {
    const table = [
      ['a', 'b\nc', '"quoted"'],
      ['tab\there', '', 'ünïcode 🎉'],
    ];
    expect(readTable(writeTable(table))).toEqual(table);
  });

  test('a table is pasted where it fits; a single cell fills the selection; nothing empties a cell', () => {
    const grid = { paths: ['p0', 'p1', 'p2'], tags: ['de', 'es'] };
    const at = (row: number, column: number) => blockOf(select({ row, column }));
    expect(planPaste([['a', 'b'], ['', 'd'], ['e']], at(1, 1), grid)).toEqual({
      changes: [{ path: 'p1', tag: 'es', text: 'a' }],
      empty: 1,
      outside: 3,
    });
    const two = blockOf(select({ row: 0, column: 0 }, { row: 1, column: 0 }));
    expect(planPaste([['x']], two, grid).changes.map(({ path }) => path)).toEqual(['p0', 'p1']);
  });
});

test('keys move within the grid, and Shift keeps the anchor', () => {
  const bounds = { rows: 3, columns: 2, page: 2 };
  const keys = (key: string, more = {}) => ({ key, shiftKey: false, ctrlKey: false, metaKey: false, ...more });
  const start = select({ row: 1, column: 0 });
  expect(move(start, keys('ArrowLeft'), bounds)).toEqual(start);
  expect(move(start, keys('PageDown'), bounds)?.active).toEqual({ row: 2, column: 0 });
  expect(move(start, keys('End', { ctrlKey: true }), bounds)?.active).toEqual({ row: 2, column: 1 });
  expect(move(start, keys('ArrowDown', { shiftKey: true }), bounds)).toEqual(
    select({ row: 2, column: 0 }, { row: 1, column: 0 }),
  );
  expect(move(start, keys('x'), bounds)).toBeUndefined();
});

test('rows are identified by path, and filtered by content and issue', () => {
  const rows = [
    toRow({ path: 'a%2Fb', texts: { en: 'Group' } }),
    toRow({ path: 'a%2Fb/k', texts: { en: 'Key', de: 'Schlüssel' } }),
    toRow({ path: 'a%2Fb/k=x=y', texts: {} }),
  ];
  expect(rows.map(({ kind, name, parent }) => [kind, name, parent])).toEqual([
    ['group', 'a/b', ''],
    ['key', 'k', 'a/b'],
    ['value', 'x=y', 'a/b › k'],
  ]);
  const shown = [
    { name: 'English', tag: 'en', isDefault: true },
    { name: 'Deutsch', tag: 'de', isDefault: false },
  ];
  const all = { search: '', group: undefined, only: undefined, attention: false };
  const ANY = { issue: 'missing', tag: 'any' } as const;
  expect(filterRows(rows, { ...all, only: ANY }, shown)).toEqual(['a%2Fb', 'a%2Fb/k=x=y']);
  expect(firstColumn(rows[0], ANY, shown)).toBe(1);
  expect(
    [undefined, { issue: 'missing' as const, tag: 'de' }].map((only) => firstColumn(rows[2], only, shown)),
  ).toEqual([0, 1]);
  expect(filterRows(rows, { ...all, search: 'SCHLÜSSEL' }, shown)).toEqual(['a%2Fb/k']);
  expect(filterRows(rows, { ...all, group: 'other' }, shown)).toEqual([]);
  expect([directionOf('ar'), directionOf('he-IL'), directionOf('az-Arab'), directionOf('de')]).toEqual([
    'rtl',
    'rtl',
    'rtl',
    'ltr',
  ]);
});

describe('the sheet', () => {
  /** A service that answers as it is told, once for each sending. */
  function makeSheet(kept: SentText[] = []) {
    const sent: SentText[][] = [];
    const answers: SendOutcome[] = [];
    const store: { texts: SentText[]; typed: SentText | undefined } = { texts: kept, typed: undefined };
    const sheet = new Sheet(
      async (texts) => {
        sent.push(texts);
        return answers.shift() ?? { outcome: 'saved' };
      },
      {
        read: () => store.texts,
        write: (texts) => (store.texts = texts),
        type: (text) => (store.typed = text),
      },
    );
    sheet.load([toRow({ path: 'a', texts: { de: 'A' } }), toRow({ path: 'b', texts: {} })], { isWhole: true });
    const set = (path: string, text: string | null) => sheet.change([{ path, tag: 'de', text }], 'edit');
    const text = (path: string) => sheet.row(path)?.texts.de;
    return { sheet, sent, answers, store, set, text };
  }

  test('shows changes immediately, saves in one batch, and says which text each replaces', async () => {
    const { sheet, sent, set, text, store } = makeSheet();
    set('a', 'AA');
    set('b', 'B');
    expect(text('a')).toBe('AA');
    expect(sheet.state).toMatchObject({ unsaved: 2, isSaving: true, filled: { de: 2 } });
    expect(store.texts).toHaveLength(2);
    await sheet.settled();
    expect(sent).toEqual([
      [
        { path: 'a', tag: 'de', text: 'AA', was: 'A' },
        { path: 'b', tag: 'de', text: 'B', was: null },
      ],
    ]);
    expect(sheet.state).toMatchObject({ unsaved: 0, isSaving: false });
    expect(store.texts).toEqual([]);
  });

  test('undoes and redoes; unchanged text is not sent', async () => {
    const { sheet, sent, set, text } = makeSheet();
    set('a', 'AA');
    sheet.undo();
    expect(text('a')).toBe('A');
    expect(sheet.state.unsaved).toBe(0);
    sheet.redo();
    expect(text('a')).toBe('AA');
    await sheet.settled();
    sheet.undo();
    await sheet.settled();
    expect(sent.map(([first]) => [first?.was, first?.text])).toEqual([
      ['A', 'AA'],
      ['AA', 'A'],
    ]);
    expect(sheet.undo()).toBeUndefined();
  });

  test('keeps conflicting changes side by side, and saves the rest', async () => {
    const { sheet, sent, answers, set, text } = makeSheet();
    answers.push({ outcome: 'changed', texts: [{ path: 'a', tag: 'de', text: 'theirs' }] });
    set('a', 'mine');
    set('b', 'B');
    await sheet.settled();
    expect(sheet.state.conflicts).toEqual([{ path: 'a', tag: 'de', mine: 'mine', theirs: 'theirs' }]);
    expect(sent[1]).toEqual([{ path: 'b', tag: 'de', text: 'B', was: null }]);
    sheet.resolve({ path: 'a', tag: 'de' }, 'mine');
    await sheet.settled();
    expect(sent[2]).toEqual([{ path: 'a', tag: 'de', text: 'mine', was: 'theirs' }]);
    answers.push({ outcome: 'changed', texts: [{ path: 'a', tag: 'de', text: 'again' }] });
    set('a', 'more');
    await sheet.settled();
    sheet.resolve({ path: 'a', tag: 'de' }, 'theirs');
    expect(text('a')).toBe('again');
    expect(sheet.state.unsaved).toBe(0);
  });

  test('keeps rejected text with the reason, whether or not it names a field', async () => {
    const { sheet, sent, answers, set } = makeSheet();
    answers.push({ outcome: 'refused', problems: [{ index: 1, message: 'no' }] });
    set('a', 'AA');
    set('b', 'B');
    await sheet.settled();
    expect(sheet.state.refused).toEqual([{ path: 'b', tag: 'de', message: 'no' }]);
    expect(sent).toHaveLength(2);
    set('b', 'x'.repeat(2001));
    await sheet.settled();
    expect(sheet.state.refused[0]?.message).toBe('tooLong');
    expect(sent, 'too long: not even sent').toHaveLength(2);
    answers.push({ outcome: 'refused', problems: [{ index: undefined, message: 'one of them' }] });
    set('a', 'AAA');
    set('b', 'BB');
    await sheet.settled();
    expect(sent.slice(2).map((batch) => batch.length)).toEqual([2, 1, 1]);
    expect(sheet.state.unsaved).toBe(0);
  });

  test('text typed during a save is saved after it', async () => {
    const { sheet, sent, set } = makeSheet();
    set('a', 'one');
    sheet.saveNow();
    await expect.poll(() => sent.length).toBe(1);
    set('a', 'two');
    await sheet.settled();
    expect(sent.at(-1)).toEqual([{ path: 'a', tag: 'de', text: 'two', was: 'one' }]);
  });

  test('failed changes are kept through a reload and retried', async () => {
    const first = makeSheet();
    first.answers.push({ outcome: 'failed', error: new Error('offline'), again: true });
    first.set('a', 'kept');
    await first.sheet.settled();
    expect(first.sheet.state).toMatchObject({ unsaved: 1, failure: { again: true } });
    const second = makeSheet(first.store.texts);
    expect(second.text('a')).toBe('kept');
    await second.sheet.settled();
    expect(second.sent).toEqual([[{ path: 'a', tag: 'de', text: 'kept', was: 'A' }]]);
    first.sheet.saveNow();
    await first.sheet.settled();
    expect(first.sheet.state.unsaved).toBe(0);
  });

  test('text that someone else changed while it was typed is sent as what it replaces', async () => {
    const { sheet, sent, set, text } = makeSheet();
    const type = (typed: string) => sheet.type({ path: 'a', tag: 'de', text: typed });
    const loadTheirs = () => sheet.load([toRow({ path: 'a', texts: { de: 'theirs' } })], { isWhole: true });
    type('mi');
    loadTheirs();
    type('mine');
    set('a', 'mine');
    await sheet.settled();
    // The service refuses it as a conflict.
    expect(sent).toEqual([[{ path: 'a', tag: 'de', text: 'mine', was: 'A' }]]);
    const other = makeSheet();
    other.sheet.type({ path: 'a', tag: 'de', text: 'AA' });
    other.sheet.load([toRow({ path: 'a', texts: { de: 'theirs' } })], { isWhole: true });
    other.set('a', 'A');
    expect([other.text('a'), other.sheet.state.unsaved], 'typed back').toEqual(['theirs', 0]);
    expect(text('a')).toBe('mine');
  });

  test('incomplete input is kept, and committed on leaving', async () => {
    const { sheet, sent, store } = makeSheet();
    const type = (text: string) => sheet.type({ path: 'a', tag: 'de', text });
    type('A');
    expect([sheet.isTyping, store.typed], 'as it was before').toEqual([false, undefined]);
    type('Ab');
    expect(store.typed).toEqual({ path: 'a', tag: 'de', text: 'Ab', was: 'A' });
    expect([sheet.isTyping, sheet.state.unsaved]).toEqual([true, 0]);
    sheet.type(undefined);
    sheet.leave();
    expect(sheet.state.unsaved, 'given up').toBe(0);
    type('Abc');
    sheet.leave();
    await sheet.settled();
    expect(sent).toEqual([[{ path: 'a', tag: 'de', text: 'Abc', was: 'A' }]]);
    expect([sheet.isTyping, store.typed]).toEqual([false, undefined]);
  });
});
