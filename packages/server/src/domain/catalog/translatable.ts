import { hash } from 'node:crypto';
import { isDecodable } from '../../percent.ts';
import { InnkeeperError } from '../errors.ts';
import type { Steps } from '../slices.ts';
import {
  type Catalog,
  type ChangedItem,
  changedItems,
  type KeyDefinition,
  type Language,
  type Texts,
} from './catalog.ts';

/** Something with texts for people. */
export type Translatable = {
  /** `notifications`, `notifications/colour`, `notifications/colour=blue`, or one of the first two and `//description`. */
  path: string;
  /** Of the group or key, also for its description and values; unlike the path, it survives a rename. A definition has none. */
  uid: string | undefined;
  /** Stands in for the text in the default language. */
  name: string;
  texts: Texts;
};

/** The path of a group, key or value: one line that any file can contain, unique for each item. */
export function pathOf(group: string, key?: string, value?: string): string {
  const names = [group, ...(key === undefined ? [] : [key])].map((name) => percentEncode(name, NAMES));
  const path = names.join('/');
  return value === undefined ? path : withValue(path, value);
}

function withValue(path: string, value: string): string {
  return `${path}=${percentEncode(value, VALUES)}`;
}

/** The path of a help text. It is unambiguous, because no name is empty. */
export function descriptionPathOf(group: string, key?: string): string {
  return `${pathOf(group, key)}//description`;
}

/** The names in a key's path; undefined for any other text. */
export function readPath(path: string): [group: string, key: string] | undefined {
  const parts = path.split('/', 3);
  if (parts.length !== 2 || parts.includes('')) return undefined;
  return parts.map(decode) as [string, string];
}

function decode(name: string): string {
  return isDecodable(name) ? decodeURIComponent(name) : name;
}

const NAMES = /[%/=\p{Cc}\ufffe\uffff]/gu;
/** A value comes last, so nothing has to be separated from it. */
const VALUES = /[%\p{Cc}\ufffe\uffff]/gu;

/** Like in a URL. */
function percentEncode(text: string, characters: RegExp): string {
  return text.replace(characters, encodeURIComponent);
}

/** A catalog, or a definition of one, which has nothing archived. */
type Named = { name: string; texts: Texts; descriptions: Texts; archived?: boolean };
type NamedKey = Named & { keyUid?: string } & Pick<KeyDefinition, 'type' | 'values'>;
type Parts = { groups: (Named & { groupUid?: string; keys: NamedKey[] })[] };

/**
 * Everything that can have a text, in order, one at a time: a catalog has hundreds of thousands. The texts are not
 * copied.
 */
export function* named({ groups }: Parts): Iterable<Translatable & { needsNoText: boolean }> {
  for (const group of groups) {
    if (group.archived) continue;
    const uid = group.groupUid;
    yield { path: pathOf(group.name), uid, name: group.name, texts: group.texts, needsNoText: false };
    yield describedAs(descriptionPathOf(group.name), uid, group.descriptions);
    for (const key of group.keys) {
      if (key.archived) continue;
      const path = pathOf(group.name, key.name);
      const uid = key.keyUid;
      yield { path, uid, name: key.name, texts: key.texts, needsNoText: false };
      yield describedAs(descriptionPathOf(group.name, key.name), uid, key.descriptions);
      for (const { value, texts } of key.values ?? []) {
        const name = String(value);
        yield { path: withValue(path, name), uid, name, texts, needsNoText: key.type !== 'string' };
      }
    }
  }
}

/** Descriptions are optional, but one that exists in one language should exist in all. */
function describedAs(path: string, uid: string | undefined, texts: Texts): Translatable & { needsNoText: boolean } {
  return { path, uid, name: Object.values(texts)[0] ?? '', texts, needsNoText: true };
}

/**
 * Everything that needs a text. Values that are not strings need none unless they were given one, and neither do items
 * without a description.
 */
export function* translatable(parts: Parts): Iterable<Translatable> {
  for (const item of named(parts)) if (!item.needsNoText || Object.keys(item.texts).length > 0) yield item;
}

/** What a translator translates from: the text in the default language, or the name. */
export function sourceText({ name, texts }: Translatable, byDefault: Language | undefined): string {
  return (byDefault && texts[byDefault.tag]) ?? name;
}

const VARIANTS = '89ab';

/**
 * The UUID of one translation, derived from its item and language: the same in every revision and replica without being
 * stored (version 8 of RFC 9562).
 */
export function translationUid(itemUid: string, tag: string): string {
  // A page needs many of these; working on the hex string instead of buffers takes half the time.
  const hex = hash('sha256', `${itemUid} ${tag}`, 'hex');
  const variant = VARIANTS[Number.parseInt(hex.charAt(16), 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Tags of the languages whose texts may change; null: all. */
export type TextLanguages = readonly string[] | null;

/** Whether a change is one that a translator may make: only texts of existing items. */
export function* changesTextsOnly(before: Catalog, after: Catalog, languages: TextLanguages = null): Steps<boolean> {
  if (JSON.stringify(before.languages) !== JSON.stringify(after.languages)) return false;
  // In both directions: an item may be in only one of them.
  for (const each of [...(yield* changedItems(before, after)), ...(yield* changedItems(after, before))]) {
    yield;
    if (!isAboutTexts(each, languages)) return false;
  }
  return true;
}

export function* refuseMoreThanTexts(before: Catalog, after: Catalog, languages: TextLanguages = null): Steps<void> {
  if (yield* changesTextsOnly(before, after, languages)) return;
  if (languages && (yield* changesTextsOnly(before, after))) throw otherLanguages(languages);
  const message = 'This changes more than texts and requires "write" access to the application.';
  throw new InnkeeperError('manageForbidden', { message });
}

export function otherLanguages(languages: readonly string[]): InnkeeperError {
  const message = `This changes texts of other languages. You can change: ${languages.join(', ')}.`;
  return new InnkeeperError('manageForbidden', { message });
}

function isAboutTexts({ item, before }: ChangedItem, languages: TextLanguages): boolean {
  return (
    before !== undefined &&
    before.groupUid === item.groupUid &&
    withoutTexts(before.document, languages) === withoutTexts(item.document, languages)
  );
}

const TEXTS = new Set(['texts', 'descriptions']);

function withoutTexts(document: string, languages: TextLanguages): string {
  return JSON.stringify(JSON.parse(document), (name, value: unknown) => {
    if (!TEXTS.has(name)) return value;
    if (languages === null) return undefined;
    const others = Object.entries(value as Record<string, string>).filter(([tag]) => !languages.includes(tag));
    return others.length === 0 ? undefined : Object.fromEntries(others);
  });
}
