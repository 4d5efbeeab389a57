import { InnkeeperError } from '../errors.ts';
import type { Steps } from '../slices.ts';
import { type Catalog, type ChangedItem, changedItems } from './catalog.ts';

/** Whether coming from one catalog to the other is the work of a translator: texts, of what is there already. */
export function* changesTextsOnly(before: Catalog, after: Catalog): Steps<boolean> {
  if (JSON.stringify(before.languages) !== JSON.stringify(after.languages)) return false;
  // Both ways: something may be in one of them only.
  for (const each of [...(yield* changedItems(before, after)), ...(yield* changedItems(after, before))]) {
    yield;
    if (!isAboutTexts(each)) return false;
  }
  return true;
}

export function* refuseMoreThanTexts(before: Catalog, after: Catalog): Steps<void> {
  if (yield* changesTextsOnly(before, after)) return;
  const message = 'This is about more than texts, and needs access "write" to the application.';
  throw new InnkeeperError('manageForbidden', { message });
}

function isAboutTexts({ item, before }: ChangedItem): boolean {
  return (
    before !== undefined &&
    before.groupUid === item.groupUid &&
    withoutTexts(before.document) === withoutTexts(item.document)
  );
}

const TEXTS = new Set(['texts', 'descriptions']);

function withoutTexts(document: string): string {
  return JSON.stringify(JSON.parse(document), (name, value: unknown) => (TEXTS.has(name) ? undefined : value));
}
