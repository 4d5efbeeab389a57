import type { CatalogItem, DraftName } from './catalogs.ts';
import type { TextSource } from './text-states.ts';

/** What is to become of a catalog, at most one an application. It is kept as what differs from the revision it was begun from. */
export type DraftRecord = DraftName & {
  baseRevision: number;
  /** JSON of the languages. */
  languages: string;
  createdBy: string;
  createdAt: number;
  updatedBy: string;
  updatedAt: number;
  /** All that edited it, in the order of their first edits. */
  authors: string[];
};

export type DraftEditKind = 'edit' | 'undo' | 'redo';

export type DraftEdit = {
  /** The version of the draft that it made. */
  version: number;
  kind: DraftEditKind;
  author: string;
  at: number;
  /** JSON of the readable difference to the version before. */
  difference: string;
  /** It was undone, or can no longer be. */
  spent: boolean;
};

export type DraftChange = {
  appId: number;
  /** As it is to be; version 1 is a new draft, any other follows the one before it. */
  draft: DraftRecord;
  /** What differs from the version before. */
  items: CatalogItem[];
  /** UIDs of what is not in the draft any more. */
  removed: string[];
  edit: { kind: DraftEditKind; difference: string; inverse: string };
  /** The edit that this one takes back. */
  spends?: number;
  sources?: TextSource[];
};

export interface DraftStore {
  /** The newest revision, when it was published, and the draft if there is one: enough to know what is at hand already. */
  look(appId: number): Promise<{ revision: number; publishedAt: number; draft: DraftRecord | undefined }>;
  /** With the items that differ from its base. */
  load(appId: number): Promise<(DraftRecord & { items: CatalogItem[] }) | undefined>;
  /** 'conflict' when the draft is not at the version before, or there is one where there should be none. */
  save(change: DraftChange): Promise<'saved' | 'conflict' | 'application-gone'>;
  discard(appId: number, draft: DraftName): Promise<'discarded' | 'conflict'>;
  /**
   * Those after a version, newest first. Of those that can be undone or redone the last hundred are kept; of the others,
   * those of the last hundred versions.
   */
  edits(appId: number, draftId: string, after: number): Promise<DraftEdit[]>;
  /** What takes an edit back, as it was saved with it. */
  inverse(appId: number, edit: DraftName): Promise<string | undefined>;
}
