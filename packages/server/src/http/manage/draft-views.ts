import type { ReadableChange } from '../../domain/catalog/publish.ts';
import type { DraftEdit, DraftName, DraftRecord } from '../../storage/port.ts';
import { formatTime } from '../time.ts';

/**
 * The tag of one version of a draft. It includes the base revision for clients that return after the draft was
 * published or discarded.
 */
export function draftTag({ baseRevision, draftId, version }: DraftName & Pick<DraftRecord, 'baseRevision'>): string {
  return `"${baseRevision}-${draftId}-${version}"`;
}

export function viewDraft(draft: DraftRecord) {
  const { draftId, version, baseRevision, createdBy, createdAt, updatedBy, updatedAt } = draft;
  return {
    draftId,
    version,
    etag: draftTag(draft),
    baseRevision,
    createdBy,
    createdAt: formatTime(createdAt),
    updatedBy,
    updatedAt: formatTime(updatedAt),
  };
}

export function viewEdit({ version, kind, author, at, difference }: DraftEdit) {
  return { version, kind, author, at: formatTime(at), changes: JSON.parse(difference) as ReadableChange[] };
}
