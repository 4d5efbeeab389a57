import { describe, expect, test } from 'vitest';
import { readTable, writeTable } from '../src/rooms/translations/clipboard-table.ts';
import { filterRows, firstColumn } from '../src/rooms/translations/filter-rows.ts';
import { planPaste } from '../src/rooms/translations/paste.ts';
import { blockOf, move, select } from '../src/rooms/translations/selection.ts';
import { type SendOutcome, type SentText, Sheet } from '../src/rooms/translations/sheet.ts';
import { listMissing, readList } from '../src/rooms/translations/text-list.ts';
import { directionOf, stateOf, type TextRow, toRow } from '../src/rooms/translations/text-row.ts';

/** In these catalogs, an item's UID is its path by default. */
function row({
  path,
  uid = path,
  ...texts
}: { path: string; uid?: string } & Omit<Parameters<typeof toRow>[0], 'path' | 'uid'>) {
  return toRow({ path, uid, ...texts });
}

test('missing texts are a list with a line each, which can be pasted back', () => {
  const [english, deutsch] = [
    { name: 'English', tag: 'en', isDefault: true },
    { name: 'Deutsch', tag: 'de', isDefault: false },
  ];
  const rows = [
    row({ path: 'a', texts: { en: 'A' } }),
    row({ path: 'b', texts: { de: 'B' } }),
    row({ path: 'c', texts: { en: 'two\nlines' } }),
    row({ path: 'd', texts: {} }),
  ];
  const lines = listMissing(rows, deutsch, [english, deutsch]);
  expect(lines).toEqual([
    { id: 'a', source: 'A' },
    { id: 'd', source: 'd' },
  ]);
  expect(listMissing(rows, english, [english, deutsch])).toEqual([]);
  expect(readList(' x \r\ny\n\n', lines, 'de')).toEqual([
    { id: 'a', tag: 'de', text: 'x' },
    { id: 'd', tag: 'de', text: 'y' },
  ]);
  expect(readList('\ny', lines, 'de')).toEqual([{ id: 'd', tag: 'de', text: 'y' }]);
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
    const grid = { ids: ['p0', 'p1', 'p2'], tags: ['de', 'es'] };
    const at = (row: number, column: number) => blockOf(select({ row, column }));
    expect(planPaste([['a', 'b'], ['', 'd'], ['e']], at(1, 1), grid)).toEqual({
      changes: [{ id: 'p1', tag: 'es', text: 'a' }],
      empty: 1,
      outside: 3,
    });
    const two = blockOf(select({ row: 0, column: 0 }, { row: 1, column: 0 }));
    expect(planPaste([['x']], two, grid).changes.map(({ id }) => id)).toEqual(['p0', 'p1']);
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

test('rows have an id of their own, and are filtered by content and issue', () => {
  const rows = [
    row({ path: 'a%2Fb', texts: { en: 'Group' } }),
    row({ path: 'a%2Fb/k', texts: { en: 'Key', de: 'Schlüssel' } }),
    row({ path: 'a%2Fb/k=x=y', uid: 'a%2Fb/k', texts: {} }),
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
  /** A sheet on a service with scripted outcomes, one per request. */
  function makeSheet(left: readonly SentText[] = []) {
    const gone = [...left];
    const sent: SentText[][] = [];
    const answers: SendOutcome[] = [];
    const store: { texts: SentText[]; typed: SentText | undefined } = { texts: [], typed: undefined };
    let adopt: (texts: readonly SentText[]) => void = () => {};
    const sheet = new Sheet(
      async (texts) => {
        sent.push(texts);
        return answers.shift() ?? { outcome: 'saved' };
      },
      {
        adopt(take) {
          adopt = take;
          take(gone.splice(0));
        },
        write: (texts) => (store.texts = texts),
        type: (text) => (store.typed = text),
      },
    );
    sheet.load([row({ path: 'a', texts: { de: 'A' } }), row({ path: 'b', texts: {} })], { isComplete: true });
    const set = (id: string, text: string | null) => sheet.change([{ id, tag: 'de', text }], 'edit');
    const text = (id: string) => sheet.row(id)?.texts.de;
    return { sheet, sent, answers, store, set, text, adopt };
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
        { id: 'a', path: 'a', tag: 'de', text: 'AA', was: 'A' },
        { id: 'b', path: 'b', tag: 'de', text: 'B', was: null },
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
    answers.push({ outcome: 'changed', texts: [{ id: 'a', tag: 'de', text: 'theirs' }] });
    set('a', 'mine');
    set('b', 'B');
    await sheet.settled();
    expect(sheet.state.conflicts).toEqual([
      { id: 'a', path: 'a', tag: 'de', mine: 'mine', theirs: 'theirs', isGone: false },
    ]);
    expect(sent[1]).toEqual([{ id: 'b', path: 'b', tag: 'de', text: 'B', was: null }]);
    sheet.resolve({ id: 'a', tag: 'de' }, 'mine');
    await sheet.settled();
    expect(sent[2]).toEqual([{ id: 'a', path: 'a', tag: 'de', text: 'mine', was: 'theirs' }]);
    answers.push({ outcome: 'changed', texts: [{ id: 'a', tag: 'de', text: 'again' }] });
    set('a', 'more');
    await sheet.settled();
    sheet.resolve({ id: 'a', tag: 'de' }, 'theirs');
    expect(text('a')).toBe('again');
    expect(sheet.state.unsaved).toBe(0);
  });

  test('keeps rejected text with the reason, whether or not it names a field', async () => {
    const { sheet, sent, answers, set } = makeSheet();
    answers.push({ outcome: 'refused', problems: [{ index: 1, message: 'no' }] });
    set('a', 'AA');
    set('b', 'B');
    await sheet.settled();
    expect(sheet.state.refused).toEqual([{ id: 'b', tag: 'de', message: 'no' }]);
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
    expect(sent.at(-1)).toEqual([{ id: 'a', path: 'a', tag: 'de', text: 'two', was: 'one' }]);
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
    expect(second.sent).toEqual([[{ id: 'a', path: 'a', tag: 'de', text: 'kept', was: 'A' }]]);
    first.sheet.saveNow();
    await first.sheet.settled();
    expect(first.sheet.state.unsaved).toBe(0);
  });

  test('text that someone else changed while it was typed is sent as what it replaces', async () => {
    const { sheet, sent, set, text } = makeSheet();
    const type = (typed: string) => sheet.type({ id: 'a', tag: 'de', text: typed });
    const loadTheirs = () => sheet.load([row({ path: 'a', texts: { de: 'theirs' } })], { isComplete: true });
    type('mi');
    loadTheirs();
    type('mine');
    set('a', 'mine');
    await sheet.settled();
    // The service rejects it as a conflict.
    expect(sent).toEqual([[{ id: 'a', path: 'a', tag: 'de', text: 'mine', was: 'A' }]]);
    const other = makeSheet();
    other.sheet.type({ id: 'a', tag: 'de', text: 'AA' });
    other.sheet.load([row({ path: 'a', texts: { de: 'theirs' } })], { isComplete: true });
    other.set('a', 'A');
    expect([other.text('a'), other.sheet.state.unsaved], 'typed back').toEqual(['theirs', 0]);
    expect(text('a')).toBe('mine');
  });

  test('incomplete input is kept, and committed on leaving', async () => {
    const { sheet, sent, store } = makeSheet();
    const type = (text: string) => sheet.type({ id: 'a', tag: 'de', text });
    type('A');
    expect([sheet.isTyping, store.typed], 'as it was before').toEqual([false, undefined]);
    type('Ab');
    expect(store.typed).toEqual({ id: 'a', path: 'a', tag: 'de', text: 'Ab', was: 'A' });
    expect([sheet.isTyping, sheet.state.unsaved]).toEqual([true, 0]);
    sheet.type(undefined);
    sheet.leave();
    expect(sheet.state.unsaved, 'given up').toBe(0);
    type('Abc');
    sheet.leave();
    await sheet.settled();
    expect(sent).toEqual([[{ id: 'a', path: 'a', tag: 'de', text: 'Abc', was: 'A' }]]);
    expect([sheet.isTyping, store.typed]).toEqual([false, undefined]);
  });

  test('unsaved and half-typed texts follow an item to its new name', async () => {
    const { sheet, sent, answers, set, text, store } = makeSheet();
    answers.push({ outcome: 'refused', problems: [{ index: 0, message: 'is not in the catalog' }] });
    set('a', 'AA');
    await sheet.settled();
    sheet.type({ id: 'b', tag: 'de', text: 'B' });
    sheet.load([row({ path: 'x', uid: 'a', texts: { de: 'A' } }), row({ path: 'y', uid: 'b', texts: {} })], {
      isComplete: true,
    });
    expect([text('a'), sheet.state.unsaved, store.typed?.path]).toEqual(['AA', 1, 'y']);
    set('b', 'B');
    await sheet.settled();
    expect(sent.slice(1).flat()).toEqual([
      { id: 'a', path: 'x', tag: 'de', text: 'AA', was: 'A' },
      { id: 'b', path: 'y', tag: 'de', text: 'B', was: null },
    ]);
  });

  test('texts of an item that is gone stay until someone discards them, or it is back', async () => {
    const { sheet, sent, answers, set, store } = makeSheet();
    answers.push({ outcome: 'failed', error: new Error('offline'), again: true });
    set('a', 'AA');
    await sheet.settled();
    sheet.type({ id: 'b', tag: 'de', text: 'B' });
    sheet.load([], { isComplete: true });
    expect(sheet.isTyping).toBe(false);
    expect(sheet.state.conflicts).toEqual([
      { id: 'a', path: 'a', tag: 'de', mine: 'AA', theirs: null, isGone: true },
      { id: 'b', path: 'b', tag: 'de', mine: 'B', theirs: null, isGone: true },
    ]);
    expect(store.texts.map(({ text }) => text)).toEqual(['AA', 'B']);
    sheet.resolve({ id: 'b', tag: 'de' }, 'mine');
    expect(sheet.state.conflicts, 'there is nothing to save it in').toHaveLength(2);
    sheet.resolve({ id: 'b', tag: 'de' }, 'theirs');
    sheet.load([row({ path: 'a', texts: { de: 'A' } })], { isComplete: true });
    sheet.saveNow();
    await sheet.settled();
    expect(sent.at(-1)).toEqual([{ id: 'a', path: 'a', tag: 'de', text: 'AA', was: 'A' }]);
    expect(sheet.state.unsaved).toBe(0);
  });

  test('a load that was requested before a save does not undo it; a later change by someone else is shown', async () => {
    const { sheet, set, text } = makeSheet();
    const load = (de: string) => sheet.load([row({ path: 'a', texts: { de } })], { isComplete: true });
    sheet.startLoading();
    set('a', 'one');
    await sheet.settled();
    set('a', 'two');
    await sheet.settled();
    sheet.setStates([{ id: 'a', tag: 'de', text: 'two' }], 'reviewed');
    const deutsch = { name: 'Deutsch', tag: 'de', isDefault: false };
    for (const late of ['A', 'one', 'two']) {
      load(late);
      expect(text('a'), late).toBe('two');
      expect(stateOf(sheet.row('a') as TextRow, deutsch, 'en'), late).toBe('reviewed');
    }
    load('theirs');
    expect(text('a')).toBe('theirs');
    sheet.startLoading();
    load('A');
    expect(text('a'), 'requested after the save').toBe('A');
  });

  test('a text left by a closed page waits for the one being typed in its cell, and then conflicts with it', async () => {
    const kept = (text: string, was: string | null): SentText => ({ id: 'a', path: 'a', tag: 'de', text, was });
    const { sheet, sent, answers, set, adopt, store } = makeSheet();
    sheet.type({ id: 'a', tag: 'de', text: 'mi' });
    adopt([kept('other', 'A')]);
    expect(sheet.state.unsaved, 'the cell is in use').toBe(0);
    expect(store.texts, 'it is kept').toEqual([kept('other', 'A')]);
    set('a', 'mine');
    expect(store.texts).toEqual([kept('mine', 'A'), kept('other', 'A')]);
    answers.push({ outcome: 'saved' }, { outcome: 'changed', texts: [{ id: 'a', tag: 'de', text: 'mine' }] });
    await sheet.settled();
    expect(sent).toEqual([[kept('mine', 'A')], [kept('other', 'A')]]);
    expect(sheet.state.conflicts).toMatchObject([{ mine: 'other', theirs: 'mine' }]);
  });

  test('a text whose editor was removed while typing is not lost when typing starts in another cell', async () => {
    const { sheet, sent } = makeSheet();
    sheet.type({ id: 'a', tag: 'de', text: 'AA' });
    sheet.type({ id: 'b', tag: 'de', text: 'B' });
    await sheet.settled();
    expect(sent.flat().map(({ text }) => text)).toEqual(['AA']);
    expect(sheet.isTyping).toBe(true);
  });
});
