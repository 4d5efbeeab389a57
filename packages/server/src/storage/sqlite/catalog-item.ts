import type { CatalogItem } from '../port.ts';
import { toUuid } from './encoding.ts';

export function toItem(row: Record<string, unknown>): CatalogItem {
  return {
    itemUid: toUuid(row.item_uid as Uint8Array),
    kind: row.kind as CatalogItem['kind'],
    groupUid: row.group_uid === null ? null : toUuid(row.group_uid as Uint8Array),
    keyNo: row.key_no as number | null,
    document: row.document as string,
  };
}
