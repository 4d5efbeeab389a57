import type { SelectionRecord } from '../../storage/port.ts';

/** What a record's ETag holds: the same as long as nothing of the record changed. Labels and languages are not part of it. */
export function recordTag({ selectionId, version }: Pick<SelectionRecord, 'selectionId' | 'version'>): string {
  return `${selectionId}.${version}`;
}

/** Whether the ETag of a record, or of a representation of it (which has more behind), is of the record as it is now. */
export function isTagOf(tag: string, record: SelectionRecord): boolean {
  const current = recordTag(record);
  return tag === current || tag.startsWith(`${current}.`);
}
