import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CatalogItem } from '../port.ts';
import { toUuid } from './encoding.ts';

/** Rows that are read in one turn of the event loop: a few milliseconds. */
export const PAGE = 500;

const FIRST = new Uint8Array();

/** All pages of items, in order of their ids. */
export async function readItems(readPage: (after: Uint8Array) => Record<string, unknown>[]): Promise<CatalogItem[]> {
  const items: CatalogItem[] = [];
  for (let after = FIRST; ; ) {
    const rows = readPage(after);
    for (const row of rows) items.push(toItem(row));
    if (rows.length < PAGE) return items;
    after = rows.at(-1)?.item_uid as Uint8Array<ArrayBuffer>;
    await nextTurn();
  }
}

function toItem(row: Record<string, unknown>): CatalogItem {
  return {
    itemUid: toUuid(row.item_uid as Uint8Array),
    kind: row.kind as CatalogItem['kind'],
    groupUid: row.group_uid === null ? null : toUuid(row.group_uid as Uint8Array),
    keyNo: row.key_no as number | null,
    document: row.document as string,
  };
}
