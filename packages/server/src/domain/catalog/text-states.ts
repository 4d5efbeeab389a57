import { hash } from 'node:crypto';
import type { Storage, TextSource, TextState } from '../../storage/port.ts';
import { InnkeeperError } from '../errors.ts';
import { inSlices, type Steps } from '../slices.ts';
import type { Catalog, Language, Texts } from './catalog.ts';
import { otherLanguages, sourceText, type TextLanguages, type Translatable, translatable } from './translatable.ts';
import { tagFinder } from './working-copy.ts';

/**
 * Whether texts are up to date and reviewed (docs/decisions/0067). The stored hashes say which source a text was made
 * for: a changed text has another key, and a changed source another hash. So nothing has to be updated or undone.
 */
type TextStates = ReadonlyMap<string, TextState>;

export function byText(states: readonly TextState[]): TextStates {
  return new Map(states.map((state) => [state.textKey, state]));
}

type Item = Pick<Translatable, 'path' | 'uid'>;

function textKeyOf(item: string, tag: string, text: string): string {
  return shortHash(JSON.stringify([item, tag, text]));
}

const DESCRIPTION = '//description';

/** Survives a new name and a move, unlike the path: of that, only what follows the names, in which `=` is escaped. */
function identityOf({ path, uid = '' }: Item): string {
  const value = path.indexOf('=');
  if (value >= 0) return uid + path.slice(value);
  return path.endsWith(DESCRIPTION) ? uid + DESCRIPTION : uid;
}

/** Includes the language: making another language the default must not make texts outdated. */
function sourceKeyOf(tag: string, source: string): string {
  return `${tag} ${shortHash(source)}`;
}

/** 132 bits: collisions between texts of an application do not happen. */
function shortHash(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 22);
}

/** undefined: neither known to be outdated nor reviewed. */
function stateOf(
  states: TextStates,
  { item, tag: own, text }: { item: Item; tag: string; text: string },
  { tag, source }: { tag: string; source: string },
): 'outdated' | 'reviewed' | undefined {
  if (states.size === 0) return undefined;
  // Earlier versions stored paths.
  const state = states.get(textKeyOf(identityOf(item), own, text)) ?? states.get(textKeyOf(item.path, own, text));
  if (!state?.sourceKey.startsWith(`${tag} `)) return undefined;
  if (state.sourceKey !== sourceKeyOf(tag, source)) return 'outdated';
  return state.reviewed ? 'reviewed' : undefined;
}

/**
 * The former sources of texts that stay the same while their source changes. A name that stood in for the source does
 * not count.
 */
export function* sourcesLeft(before: Catalog, after: Catalog): Steps<TextSource[]> {
  const byDefault = after.languages.find(({ isDefault }) => isDefault);
  const others = after.languages.filter(({ isDefault }) => !isDefault);
  if (!byDefault || defaultOf(before)?.tag !== byDefault.tag || others.length === 0) return [];
  const { tag: from } = byDefault;
  const shared = new Set(before.groups);
  const changed = new Set(after.groups.filter((group) => !shared.has(group)).map(({ groupUid }) => groupUid));
  const olds = new Map<string, Translatable>();
  for (const item of translatable({ groups: before.groups.filter(({ groupUid }) => changed.has(groupUid)) })) {
    yield;
    if (item.texts[from] !== undefined) olds.set(identityOf(item), item);
  }
  const sources: TextSource[] = [];
  for (const item of translatable({ groups: after.groups.filter(({ groupUid }) => changed.has(groupUid)) })) {
    yield;
    const old = olds.get(identityOf(item));
    if (!old || sourceText(old, byDefault) === sourceText(item, byDefault)) continue;
    const sourceKey = sourceKeyOf(from, sourceText(old, byDefault));
    for (const { tag } of others) {
      const text = item.texts[tag];
      if (text === undefined || old.texts[tag] !== text) continue;
      sources.push({ textKey: textKeyOf(identityOf(item), tag, text), sourceKey });
    }
  }
  return sources;
}

function defaultOf({ languages }: Pick<Catalog, 'languages'>): Language | undefined {
  return languages.find(({ isDefault }) => isDefault);
}

type TextRow = {
  path: string;
  uid: string;
  source: string;
  texts: Texts;
  /** Language tags, in each list. */
  missing: string[];
  outdated: string[];
  reviewed: string[];
};

/** Only texts in that state in the given language, by name or tag. */
type TextFilter = { missing?: string; outdated?: string; unreviewed?: string; search?: string };

/** Characters of a page, not counting the row that exceeds it: a row may have two hundred languages. */
const PAGE_CHARACTERS = 8 * 1024 ** 2;

/**
 * The texts of the catalog by their path, in order: a page of them, because all may not fit into memory. `unknown`: the
 * filter that names an unknown language.
 */
export function* listTexts(
  catalog: Catalog,
  states: TextStates,
  { search, ...filter }: TextFilter,
  { offset, limit }: { offset: number; limit: number },
): Steps<{ items: TextRow[]; total: number } | { unknown: string }> {
  const { languages } = catalog;
  const filtered = new Map<string, string>();
  const findTag = tagFinder(languages);
  for (const [name, language] of Object.entries(filter)) {
    const tag = findTag(language);
    if (tag === undefined) return { unknown: name };
    filtered.set(name, tag);
  }
  const [missingIn, outdatedIn, unreviewedIn] = ['missing', 'outdated', 'unreviewed'].map((name) => filtered.get(name));
  const byDefault = defaultOf(catalog);
  const stateIn = (item: Translatable, tag: string) => {
    const text = item.texts[tag];
    if (text === undefined || !byDefault || tag === byDefault.tag) return undefined;
    return stateOf(states, { item, tag, text }, { tag: byDefault.tag, source: sourceText(item, byDefault) });
  };
  const wanted = search?.toLowerCase();
  const holds = (text = '') => wanted === undefined || text.toLowerCase().includes(wanted);
  const isWanted = (item: Translatable): boolean =>
    (missingIn === undefined || item.texts[missingIn] === undefined) &&
    (holds(item.path) || languages.some(({ tag }) => holds(item.texts[tag]))) &&
    (outdatedIn === undefined || stateIn(item, outdatedIn) === 'outdated') &&
    (unreviewedIn === undefined ||
      (item.texts[unreviewedIn] !== undefined && stateIn(item, unreviewedIn) !== 'reviewed'));
  const toRow = (item: Translatable): TextRow => {
    const { path, uid = '', texts } = item;
    const lists = { missing: [], outdated: [], reviewed: [] };
    const row: TextRow = { path, uid, source: sourceText(item, byDefault), texts: {}, ...lists };
    for (const { tag } of languages) {
      const text = texts[tag];
      if (text === undefined) {
        row.missing.push(tag);
        continue;
      }
      row.texts[tag] = text;
      const state = stateIn(item, tag);
      if (state) row[state].push(tag);
    }
    return row;
  };
  const tags = languages.reduce((sum, { tag }) => sum + tag.length, 0);
  const items: TextRow[] = [];
  let [total, characters] = [0, 0];
  for (const item of translatable(catalog)) {
    yield;
    if (!isWanted(item)) continue;
    const isNext = total++ === offset + items.length;
    if (!isNext || items.length >= limit || characters >= PAGE_CHARACTERS) continue;
    const row = toRow(item);
    items.push(row);
    characters += Object.values(row.texts).reduce((sum, text) => sum + text.length, tags + row.path.length);
  }
  return { items, total };
}

/** A text as the reviewer saw it, with its source. */
export type ReviewedText = { path: string; language: string; text: string; source: string };

/** Returns those that are no longer what the reviewer saw; they are not marked as reviewed. */
export async function reviewTexts(
  { storage }: { storage: Pick<Storage, 'textStates'> },
  { appId }: { appId: number },
  catalog: Catalog,
  { texts, reviewed, languages }: { texts: readonly ReviewedText[]; reviewed: boolean; languages: TextLanguages },
): Promise<{ count: number; changed: { path: string; language: string }[] }> {
  const { found, tags, changed } = await inSlices(findTexts(catalog, texts));
  if (languages && tags.some((tag) => !languages.includes(tag))) throw otherLanguages(languages);
  if (found.length > 0) {
    const outcome = await storage.textStates.review({ appId, texts: found, reviewed, languages: tags });
    if (outcome === 'application-gone') throw new InnkeeperError('applicationNotFound');
  }
  return { count: found.length, changed };
}

type Found = { found: TextSource[]; tags: string[]; changed: { path: string; language: string }[] };

function* findTexts(catalog: Catalog, texts: readonly ReviewedText[]): Steps<Found> {
  const byDefault = defaultOf(catalog);
  const wanted = Map.groupBy(texts, ({ path }) => path);
  const findTag = tagFinder(catalog.languages);
  const found = new Map<string, TextSource>();
  const tags = new Set<string>();
  const seen = new Set<ReviewedText>();
  for (const item of translatable(catalog)) {
    yield;
    const source = sourceText(item, byDefault);
    for (const each of wanted.get(item.path) ?? []) {
      yield;
      const tag = findTag(each.language);
      if (!byDefault || tag === undefined || tag === byDefault.tag) continue;
      if (item.texts[tag] !== each.text || source !== each.source) continue;
      const textKey = textKeyOf(identityOf(item), tag, each.text);
      found.set(textKey, { textKey, sourceKey: sourceKeyOf(byDefault.tag, source) });
      tags.add(tag);
      seen.add(each);
    }
  }
  const changed = texts.filter((each) => !seen.has(each)).map(({ path, language }) => ({ path, language }));
  return { found: [...found.values()], tags: [...tags].sort(), changed };
}
