import { InnkeeperError } from '../errors.ts';
import type { Steps } from '../slices.ts';
import { type Catalog, type ChangedItem, changedItems } from './catalog.ts';

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
  const message = 'This is about more than texts, and needs access "write" to the application.';
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
