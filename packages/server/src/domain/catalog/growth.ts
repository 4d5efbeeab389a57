import type { Steps } from '../slices.ts';
import type { Catalog, Group, Key, Texts } from './catalog.ts';
import { invalidCatalog } from './source.ts';

/**
 * Characters of all texts and values, with what is archived: twice the largest file. A catalog is in the memory of every
 * process, and edits one by one have no other limit.
 */
const MAX_CHARACTERS = 64 * 1024 ** 2;

type Size = { characters: number; texts: number };

/** Groups and keys that an edit leaves alone stay the same objects. */
const sizes = new WeakMap<Group | Key, Size>();

/** Refuses a catalog that is too large, unless it already was. */
export function* refuseGrowth(before: Catalog, after: Catalog, most = MAX_CHARACTERS): Steps<void> {
  const size = yield* countCharacters(after);
  if (size <= most || size <= (yield* countCharacters(before))) return;
  const message = `have ${size} characters of texts and values together, with what is archived: a catalog has at most ${most}`;
  throw invalidCatalog([{ path: ['groups'], message }]);
}

/** As in its file, where each text has the name of its language. */
export function* countCharacters({ languages, groups }: Catalog): Steps<number> {
  const longestName = Math.max(0, ...languages.map(({ name }) => name.length));
  const all: Size = { characters: 0, texts: 0 };
  for (const group of groups) {
    yield;
    addSize(all, sizeOfItem(group, []));
    for (const key of group.keys) {
      yield;
      addSize(all, sizeOfItem(key, key.values ?? []));
    }
  }
  return all.characters + all.texts * longestName;
}

function sizeOfItem(item: Group | Key, values: NonNullable<Key['values']>): Size {
  const known = sizes.get(item);
  if (known) return known;
  const size: Size = { characters: item.name.length, texts: 0 };
  addTexts(size, item.texts);
  addTexts(size, item.descriptions);
  for (const { value, texts } of values) {
    size.characters += String(value).length;
    addTexts(size, texts);
  }
  sizes.set(item, size);
  return size;
}

function addTexts(size: Size, texts: Texts): void {
  for (const text of Object.values(texts)) addSize(size, { characters: text.length, texts: 1 });
}

function addSize(size: Size, { characters, texts }: Size): void {
  size.characters += characters;
  size.texts += texts;
}
