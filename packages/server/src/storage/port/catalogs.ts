import type { TextSource } from './text-states.ts';

/**
 * A catalog is stored as immutable versions of its groups and keys. Each version is current from the
 * revision that made it until the one that replaced it, so a revision number alone names a whole state.
 */
export type CatalogItem = {
  itemUid: string;
  kind: 'group' | 'key';
  /** The group of a key; null for a group. */
  groupUid: string | null;
  /** A small number for the key, never used again in this application; null for a group. */
  keyNo: number | null;
  /** JSON of the group or key, without what stands beside it here. */
  document: string;
};

export type StoredCatalog = {
  /** 0: nothing has been published yet. */
  revision: number;
  /** JSON of the languages. */
  languages: string;
  /** Archived ones included. */
  items: CatalogItem[];
};

export type RevisionRecord = {
  revision: number;
  createdAt: number;
  /** Who published it. */
  author: string;
  /** Who made the changes: all that edited the draft, or the publisher. */
  authors: string[];
  /** JSON of the readable difference to the revision before. */
  difference: string;
  /** Why, in the words of who published it. */
  note?: string;
};

/** One state of a draft: `version` grows with every edit, and a new draft is another one. */
export type DraftName = { draftId: string; version: number };

export type Publication = RevisionRecord & {
  appId: number;
  languages: string;
  /** New versions: of items that exist (the version before ends) or of new ones. */
  items: CatalogItem[];
  /** For its event: how many changes, and whether some touched what users have selected. */
  changes: number;
  breaking: boolean;
  sources?: TextSource[];
  /** The draft that it is: gone with the publication, or there is a conflict. */
  draft?: DraftName;
};

export interface CatalogStore {
  load(appId: number): Promise<StoredCatalog>;
  /** undefined for a revision that was never published. */
  loadAt(appId: number, revision: number): Promise<StoredCatalog | undefined>;
  /** One atomic revision. 'conflict' when `revision` is not the one after the newest. */
  publish(publication: Publication): Promise<'published' | 'conflict' | 'application-gone'>;
  /** Newest first. */
  revisions(
    appId: number,
    page: { offset: number; limit: number },
  ): Promise<{ total: number; items: RevisionRecord[] }>;
}
