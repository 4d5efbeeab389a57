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

/** The source that a text was made for. Both are hashes: domain/catalog/text-states.ts. */
export type TextSource = {
  /** Of place, language and text. */
  textKey: string;
  /** Of the source text, with the language that it is in. */
  sourceKey: string;
};

export type TextState = TextSource & { reviewed: boolean };

type Review = { appId: number; texts: TextSource[]; reviewed: boolean; languages: string[] };

/** Publishing and saving a draft add sources too: of texts that stay while their source changes. What is known already stays. */
export interface TextStateStore {
  list(appId: number): Promise<TextState[]>;
  /** That somebody confirmed these texts for these sources, or withdrew that. No two are of one text. */
  review(review: Review): Promise<'reviewed' | 'application-gone'>;
}
