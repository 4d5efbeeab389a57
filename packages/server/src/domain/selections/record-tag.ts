import type { SelectionRecord } from '../../storage/port.ts';

/** The tag in a record's ETag: unchanged as long as the record is. Labels and languages are not part of it. */
export function recordTag({ selectionId, version }: Pick<SelectionRecord, 'selectionId' | 'version'>): string {
  return `${selectionId}.${version}`;
}

/** Whether the ETag of a record, or of a representation of it (which is longer), is current. */
export function isTagOf(tag: string, record: SelectionRecord): boolean {
  const current = recordTag(record);
  return tag === current || tag.startsWith(`${current}.`);
}
