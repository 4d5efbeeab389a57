import { type FieldError, InnkeeperError } from '../../errors.ts';
import type { Steps } from '../../slices.ts';
import type { AllowedValue, Scalar, Texts, ValueType } from '../catalog.ts';
import type { Edit, EditPath } from '../edit-catalog.ts';
import { type FileKey, type FileValue, TEXT_LIMIT } from '../file-schema.ts';
import { canonicalTag, createLanguages } from '../languages.ts';
import { textProblem } from '../read-definition.ts';
import { findAmbiguous } from '../read-key.ts';
import { descriptionPathOf, pathOf } from '../translatable.ts';
import {
  type ClosedKey,
  nameOf,
  type OpenGroup,
  type OpenKey,
  openGroup,
  openKey,
  toFileValue,
  type WorkingCopy,
} from '../working-copy.ts';

/**
 * Sets the whole list, in order. Languages are identified by tag: one that is missing from the list is removed with its
 * texts.
 */
export function setLanguages(languages: unknown): Edit {
  return function* (copy) {
    copy.languages = languages as WorkingCopy['languages'];
    yield* dropTexts(copy, new Set(tagsOf(languages)));
    return [];
  };
}

function tagsOf(languages: unknown): string[] {
  if (!Array.isArray(languages)) return [];
  return languages.flatMap((language) => {
    const tag: unknown = language?.tag;
    return typeof tag === 'string' ? [canonicalTag(tag) ?? tag] : [];
  });
}

function* dropTexts(copy: WorkingCopy, kept: ReadonlySet<string>): Steps<void> {
  const clean = <T extends { translations?: Texts; descriptions?: Texts }>(item: T): T => {
    const cleaned = { ...item };
    for (const member of ['translations', 'descriptions'] as const) {
      const texts = Object.entries(item[member] ?? {}).filter(([tag]) => kept.has(tag));
      if (texts.length > 0) cleaned[member] = Object.fromEntries(texts);
      else delete cleaned[member];
    }
    return cleaned;
  };
  for (const index of copy.groups.keys()) {
    const group = openGroup(copy, index);
    group.group = clean(group.group);
    for (const at of group.keys.keys()) {
      yield;
      const key = openKey(copy, group, at);
      const values = key.key.values?.map((value) => (typeof value === 'object' ? clean(toFileValue(value)) : value));
      key.key = { ...clean(key.key), ...(values && { values }) };
    }
  }
}

type LanguageSuggestion = {
  tag: string;
  /** In the language itself, as its speakers look for it. */
  name: string;
  englishName: string;
};

/**
 * The name of a language; undefined if the text is not a BCP 47 tag. A language without a known name is called by its
 * tag.
 */
export function suggestLanguage(word: string): LanguageSuggestion | undefined {
  const tag = canonicalTag(word);
  if (tag === undefined) return undefined;
  // Extensions (-u-, -t-, -x-) say how a language is written, not which it is: name it without them.
  const { baseName } = new Intl.Locale(tag);
  const own = new Intl.DisplayNames([baseName], { type: 'language' }).of(baseName) ?? tag;
  const englishName = new Intl.DisplayNames(['en'], { type: 'language' }).of(baseName) ?? tag;
  const [first = '', ...rest] = [...own];
  return { tag, name: first.toLocaleUpperCase(tag) + rest.join(''), englishName };
}

/** `was`: the text to be replaced, null for none; if the current text differs, the change is refused. */
type WantedText = { path: string; language: string; text: string | null; was?: string | null };

/** A text that changed after the caller read it. */
type ChangedText = { path: string; language: string; text: string | null };

/** The next try reports the rest. */
const MAX_PROBLEMS = 200;

/** Changes many texts at once, all or none; null removes one. */
export function changeTexts(wanted: readonly WantedText[]): (copy: WorkingCopy) => Steps<EditPath> {
  return function* (copy) {
    const findHolder = textHolders(copy);
    const { find } = createLanguages(copy.languages.map((each) => ({ ...each, isDefault: each.default === true })));
    const problems: FieldError[] = [];
    const changed: ChangedText[] = [];
    const places = new Map<string, number>();
    const changedSiblings = new Set<Siblings>();
    for (const [index, { path, language, text, was }] of wanted.entries()) {
      const refuse = (member: string, message: string) =>
        problems.push({ field: `texts[${index}].${member}`, message });
      yield;
      // Many texts may each have several problems; reporting all could make the response larger than the request.
      if (problems.length >= MAX_PROBLEMS) throw new InnkeeperError('catalogInvalid', { fields: problems });
      const holder = yield* findHolder(path);
      const tag = find(language)?.tag;
      const problem = problemOf(text);
      if (!holder) refuse('path', 'is not in the catalog');
      if (tag === undefined) refuse('language', 'is not a language of this application');
      if (problem !== undefined) refuse('text', problem);
      if (!holder || tag === undefined || problem !== undefined) continue;
      const spot = `${tag} ${path}`;
      if (places.has(spot)) refuse('path', 'is a duplicate in this language');
      places.set(spot, index);
      const before = holder.get(tag);
      // The current text may already be the wanted one.
      if (was !== undefined && before !== was && before !== text && changed.length < MAX_PROBLEMS) {
        changed.push({ path, language: tag, text: before });
      }
      holder.set(tag, text);
      if (holder.siblings) changedSiblings.add(holder.siblings);
    }
    for (const problem of yield* findSharedTexts(copy, changedSiblings, wanted, places)) problems.push(problem);
    if (problems.length > 0) throw new InnkeeperError('catalogInvalid', { fields: problems });
    if (changed.length > 0) throw changedMeanwhile(copy, changed);
    return [];
  };
}

function problemOf(text: string | null): string | undefined {
  if (text === null) return undefined;
  if (text.length > TEXT_LIMIT && [...text].length > TEXT_LIMIT) return `is longer than ${TEXT_LIMIT} characters`;
  return textProblem(text);
}

function changedMeanwhile({ catalog: { revision } }: WorkingCopy, texts: ChangedText[]): InnkeeperError {
  return new InnkeeperError('catalogChanged', {
    message: 'A text has changed since it was read. Nothing was changed.',
    headers: { etag: `"${revision}"` },
    more: { revision, revisions: [], texts },
  });
}

/** Texts that two values of a key now share, reported at the one that was sent. */
function* findSharedTexts(
  { catalog }: WorkingCopy,
  changed: ReadonlySet<Siblings>,
  wanted: readonly WantedText[],
  places: ReadonlyMap<string, number>,
): Steps<FieldError[]> {
  const languages = createLanguages(catalog.languages);
  const problems: FieldError[] = [];
  for (const { key, paths } of changed) {
    yield;
    const values = (key().values ?? []).map((plain): AllowedValue => {
      const { value, translations = {}, retired = false } = toFileValue(plain);
      return { value, texts: translations, retired };
    });
    const sent = new Map<string, SentTexts>();
    for (const { index, tag, text } of findAmbiguous(values, languages)) {
      if (problems.length === MAX_PROBLEMS) return problems;
      yield;
      const ofTag = sent.get(tag) ?? sentTexts(paths, tag, { wanted, places });
      sent.set(tag, ofTag);
      const place = places.get(`${tag} ${paths[index]}`) ?? ofTag.byText.get(text) ?? ofTag.first;
      const message = `makes "${text}" the text of two values of this key in this language`;
      if (place !== undefined) problems.push({ field: `texts[${place}].text`, message });
    }
  }
  return problems;
}

/** What was sent for the values of a key in one language: the first place of all, and of each text. */
type SentTexts = { first: number | undefined; byText: ReadonlyMap<string | null, number> };

function sentTexts(
  paths: readonly string[],
  tag: string,
  { wanted, places }: { wanted: readonly WantedText[]; places: ReadonlyMap<string, number> },
): SentTexts {
  const found = paths.flatMap((path) => places.get(`${tag} ${path}`) ?? []);
  // The first of equal texts is set last.
  const byText = new Map(found.toReversed().map((place) => [wanted[place]?.text ?? null, place]));
  return { first: found[0], byText };
}

/** The values of a string key, whose texts must differ, and their paths in order. */
type Siblings = { key(): FileKey; paths: string[] };
type Holder = { get(tag: string): string | null; set(tag: string, text: string | null): void; siblings?: Siblings };

/** A lookup from paths to the items that have the texts. Opens only the items it returns. */
function textHolders(copy: WorkingCopy): (path: string) => Steps<Holder | undefined> {
  const groups = new Map(copy.groups.map((group, index) => [pathOf(nameOf(group)), index]));
  const holders = new Map<number, Map<string, Holder>>();
  return function* (path) {
    // Everything in a group shares its path up to the first slash; slashes in names are escaped.
    const index = groups.get(path.split('/', 1)[0] as string);
    if (index === undefined) return undefined;
    const ofGroup = holders.get(index) ?? (yield* holdersOf(copy, openGroup(copy, index)));
    holders.set(index, ofGroup);
    return ofGroup.get(path);
  };
}

function* holdersOf(copy: WorkingCopy, group: OpenGroup): Steps<Map<string, Holder>> {
  const { name } = group.group;
  const holders = new Map([
    [pathOf(name), holderOf(() => group.group)],
    [descriptionPathOf(name), holderOf(() => group.group, 'descriptions')],
  ]);
  for (const [at, item] of group.keys.entries()) {
    yield;
    const keyName = nameOf(item);
    const key = () => openKey(copy, group, at).key;
    holders.set(pathOf(name, keyName), holderOf(key));
    holders.set(descriptionPathOf(name, keyName), holderOf(key, 'descriptions'));
    const { type, values } = valuesOf(copy, group, at);
    const siblings: Siblings = { key, paths: values.map((value) => pathOf(name, keyName, String(value))) };
    for (const [index, path] of siblings.paths.entries()) {
      const holder = holderOf(() => valueAt(key(), index));
      holders.set(path, { ...holder, ...(type === 'string' && { siblings }) });
    }
  }
  return holders;
}

function valuesOf(copy: WorkingCopy, group: OpenGroup, at: number): { type: ValueType; values: readonly Scalar[] } {
  const key = group.keys[at] as ClosedKey | OpenKey;
  if ('closed' in key && key.closed.type !== 'boolean') {
    return { type: key.closed.type, values: (key.closed.values ?? []).map(({ value }) => value) };
  }
  // The file does not list the values of a plain boolean, so open the key to see.
  const { type, values = [] } = openKey(copy, group, at).key;
  return { type, values: values.map((value) => toFileValue(value).value) };
}

/** Turns a plain value into one that can have texts. */
function valueAt({ values = [] }: FileKey, index: number): FileValue {
  const value = toFileValue(values[index] as FileValue);
  values[index] = value;
  return value;
}

type TextsOf = 'translations' | 'descriptions';

function holderOf(
  find: () => { [Member in TextsOf]?: Record<string, string> },
  member: TextsOf = 'translations',
): Holder {
  return {
    get: (tag) => find()[member]?.[tag] ?? null,
    set(tag, text) {
      const item = find();
      const { [tag]: _, ...others } = item[member] ?? {};
      item[member] = text === null ? others : { ...others, [tag]: text };
    },
  };
}
