import { InnkeeperError } from '../errors.ts';
import { type Catalog, type ChangedItem, changedItems } from './catalog.ts';

/** Whether coming from one catalog to the other is the work of a translator: texts, of what is there already. */
export function changesTextsOnly(before: Catalog, after: Catalog): boolean {
  if (JSON.stringify(before.languages) !== JSON.stringify(after.languages)) return false;
  // Both ways: something may be in one of them only.
  return [...changedItems(before, after), ...changedItems(after, before)].every(isAboutTexts);
}

export function refuseMoreThanTexts(before: Catalog, after: Catalog): void {
  if (changesTextsOnly(before, after)) return;
  const message = 'This is about more than texts, and needs access "write" to the application.';
  throw new InnkeeperError('manageForbidden', { message });
}

function isAboutTexts({ item, before }: ChangedItem): boolean {
  return before !== undefined && withoutTexts(before) === withoutTexts(item.document);
}

function withoutTexts(document: string): string {
  return JSON.stringify(JSON.parse(document), (name, value: unknown) => (name === 'texts' ? undefined : value));
}
