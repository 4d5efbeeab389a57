import { describe, expect, test } from 'vitest';
import { mergeItem, mergeLanguages } from '../src/rooms/catalog/merge.ts';

const KEY = {
  name: 'colour',
  type: 'string',
  default: 'red',
  values: ['red', { value: 'blue', translations: { English: 'Blue' } }, 'green'],
  translations: { English: 'Colour', Deutsch: 'Farbe' },
};
type Key = typeof KEY;
const merge = (mine: object, theirs: object) =>
  mergeItem<object>({ base: KEY, mine: { ...KEY, ...mine }, theirs: { ...KEY, ...theirs } });

describe('concurrent input', () => {
  test('in two languages or two fields is no conflict', () => {
    const { merged, conflicts } = merge(
      { translations: { English: 'Hue', Deutsch: 'Farbe', Español: 'Color' } },
      { translations: { Deutsch: 'Farbton' }, name: 'hue' },
    );
    expect(
      conflicts.map(({ language }) => language),
      'removed by one, changed by the other',
    ).toEqual(['English']);
    expect(merged).toEqual({
      ...KEY,
      name: 'hue',
      translations: { English: 'Hue', Deutsch: 'Farbton', Español: 'Color' },
    });
    expect(merge({ default: 'blue' }, { translations: { ...KEY.translations, Deutsch: 'Ton' } }).conflicts).toEqual([]);
    expect(merge({ name: 'same' }, { name: 'same' }).conflicts).toEqual([]);
  });

  test('in one language is shown side by side', () => {
    const { merged, conflicts } = merge(
      { name: 'mine', translations: { English: 'Mine', Deutsch: 'Meins' } },
      { translations: { English: 'Theirs', Deutsch: 'Farbe' } },
    );
    expect(conflicts).toEqual([{ language: 'English', mine: 'Mine', theirs: 'Theirs' }]);
    expect(merged, 'mine is kept until someone chooses').toMatchObject({
      name: 'mine',
      translations: { English: 'Mine' },
    });
  });

  test('in values is merged value by value, text by text', () => {
    const values = (english: string, more: object = {}) => ({
      values: ['red', { value: 'blue', translations: { English: english, ...more } }, 'green'],
    });
    const texts = merge(values('Sky'), values('Blue', { Deutsch: 'Blau' }));
    expect(texts.conflicts).toEqual([]);
    expect((texts.merged as Key).values[1]).toEqual({
      value: 'blue',
      translations: { English: 'Sky', Deutsch: 'Blau' },
    });
    expect(merge(values('Sky'), values('Sea')).conflicts).toEqual([
      { value: 'blue', language: 'English', mine: 'Sky', theirs: 'Sea' },
    ]);
    // One side adds and moves, the other removes and adds.
    const lists = merge(
      { values: ['green', 'red', KEY.values[1], 'black'] },
      { values: [KEY.values[1], 'green', 'white'] },
    );
    expect(lists.conflicts).toEqual([]);
    expect((lists.merged as Key).values).toEqual(['green', KEY.values[1], 'black', 'white']);
    // One side removes what the other has changed.
    const removed = merge(values('Sky'), { values: ['red', 'green'] });
    expect(removed.conflicts).toMatchObject([{ value: 'blue', theirs: undefined }]);
    expect((removed.merged as Key).values).toHaveLength(3);
  });

  test('in languages is merged too', () => {
    const base = [
      { name: 'English', tag: 'en', default: true as const },
      { name: 'Deutsch', tag: 'de' },
    ];
    const added = mergeLanguages({
      base,
      mine: [...base, { name: 'Español', tag: 'es' }],
      theirs: [
        { name: 'English', tag: 'en' },
        { name: 'Deutsch', tag: 'de', default: true },
        { name: 'Magyar', tag: 'hu' },
      ],
    });
    expect(added.conflicts).toEqual([]);
    expect(added.merged).toEqual([
      { name: 'English', tag: 'en' },
      { name: 'Deutsch', tag: 'de', default: true },
      { name: 'Español', tag: 'es' },
      { name: 'Magyar', tag: 'hu' },
    ]);
    const named = (name: string) => [base[0] as (typeof base)[0], { name, tag: 'de' }];
    expect(mergeLanguages({ base, mine: named('German'), theirs: named('Alemán') }).conflicts).toEqual([
      { value: 'de', member: 'name', mine: 'German', theirs: 'Alemán' },
    ]);
  });
});
