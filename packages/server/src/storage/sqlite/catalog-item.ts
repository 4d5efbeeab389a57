import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CatalogItem } from '../port.ts';
import { toUuid } from './encoding.ts';

/** Rows read per turn of the event loop: a few milliseconds. */
export const PAGE = 500;

export type ItemRow = Pick<CatalogItem, 'kind' | 'document'> & {
  item_uid: Uint8Array;
  group_uid: Uint8Array | null;
  key_no: number | null;
};

const FIRST = new Uint8Array();

/** All pages of items, ordered by id. */
export async function readItems(readPage: (after: Uint8Array) => ItemRow[]): Promise<CatalogItem[]> {
  const items: CatalogItem[] = [];
  for (let after: Uint8Array = FIRST; ; ) {
    const rows = readPage(after);
    for (const row of rows) items.push(toItem(row));
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return items;
    after = last.item_uid;
    await nextTurn();
  }
}

function toItem({ item_uid, kind, group_uid, key_no: keyNo, document }: ItemRow): CatalogItem {
  const groupUid = group_uid === null ? null : toUuid(group_uid);
  return { itemUid: toUuid(item_uid), kind, groupUid, keyNo, document };
}
