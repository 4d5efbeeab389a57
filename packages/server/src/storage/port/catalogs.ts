/**
 * A catalog is stored as immutable versions of its groups and keys. Each version is current from the revision that
 * created it until the one that replaced it, so a revision number identifies a complete state.
 */
export type CatalogItem = {
  itemUid: string;
  kind: 'group' | 'key';
  /** The group of a key; null for a group. */
  groupUid: string | null;
  /** A small number that identifies the key, never reused in this application; null for a group. */
  keyNo: number | null;
  /** JSON of the group or key, without the fields above. */
  document: string;
};

export type StoredCatalog = {
  /** 0: nothing has been published yet. */
  revision: number;
  /** JSON of the languages. */
  languages: string;
  /** Includes archived ones. */
  items: CatalogItem[];
};

export type RevisionRecord = {
  revision: number;
  createdAt: number;
  /** Who published it. */
  author: string;
  /** Who made the changes: everyone who edited the draft, or the publisher. */
  authors: string[];
  /** JSON of the readable differences from the previous revision. */
  difference: string;
  /** Why it was published. */
  note?: string;
};

/** One state of a draft: `version` increases with every edit; a new draft has a new id. */
export type DraftName = { draftId: string; version: number };

export type Publication = RevisionRecord & {
  appId: number;
  languages: string;
  /** New versions of existing items, and new items. */
  items: CatalogItem[];
  /** For the event: the number of changes, and whether any is breaking. */
  changes: number;
  breaking: boolean;
  sources?: TextSource[];
  /** The draft that is published. It is deleted; 'conflict' if it is not in this state. */
  draft?: DraftName;
};

export interface CatalogStore {
  load(appId: number): Promise<StoredCatalog>;
  /** undefined for a revision that was never published. */
  loadAt(appId: number, revision: number): Promise<StoredCatalog | undefined>;
  /** Publishes one revision atomically. 'conflict' if `revision` is not the next one. */
  publish(publication: Publication): Promise<'published' | 'conflict' | 'application-gone'>;
  /** Newest first. */
  revisions(
    appId: number,
    page: { offset: number; limit: number },
  ): Promise<{ total: number; items: RevisionRecord[] }>;
}

/**
 * The unpublished edits of a catalog; at most one draft per application. Stored as differences from the revision it
 * started from.
 */
export type DraftRecord = DraftName & {
  baseRevision: number;
  /** JSON of the languages. */
  languages: string;
  createdBy: string;
  createdAt: number;
  updatedBy: string;
  updatedAt: number;
  /** Everyone who edited it, in the order of their first edits. */
  authors: string[];
};

export type DraftEditKind = 'edit' | 'undo' | 'redo';

export type DraftEdit = {
  /** The version of the draft that it created. */
  version: number;
  kind: DraftEditKind;
  author: string;
  at: number;
  /** JSON of the readable differences from the previous version. */
  difference: string;
  /** It was undone, or can no longer be undone. */
  spent: boolean;
};

export type DraftChange = {
  appId: number;
  /** The new state. Version 1 is a new draft; any other must follow the stored version. */
  draft: DraftRecord;
  /** Items that differ from the previous version. */
  items: CatalogItem[];
  /** UIDs of items that are no longer in the draft. */
  removed: string[];
  edit: { kind: DraftEditKind; difference: string; inverse: string };
  /** The version of the edit that this one undoes. */
  spends?: number;
  sources?: TextSource[];
};

export interface DraftStore {
  /**
   * The newest revision, when it was published, and the draft if there is one: enough to decide whether a cached
   * catalog is current.
   */
  look(appId: number): Promise<{ revision: number; publishedAt: number; draft: DraftRecord | undefined }>;
  /** Includes the items that differ from its base. */
  load(appId: number): Promise<(DraftRecord & { items: CatalogItem[] }) | undefined>;
  /** 'conflict' if the stored draft is not at the previous version, or if a new draft was expected and one exists. */
  save(change: DraftChange): Promise<'saved' | 'conflict' | 'application-gone'>;
  discard(appId: number, draft: DraftName): Promise<'discarded' | 'conflict'>;
  /**
   * Edits after a version, newest first. The last hundred that can be undone or redone are kept; of the others, those
   * of the last hundred versions.
   */
  edits(appId: number, draftId: string, after: number): Promise<DraftEdit[]>;
  /** The inverse that was saved with an edit. */
  inverse(appId: number, edit: DraftName): Promise<string | undefined>;
}

/** The source text that a translation was made for. Both are hashes: domain/catalog/text-states.ts. */
export type TextSource = {
  /** Hash of place, language and text. */
  textKey: string;
  /** Hash of the source text and its language. */
  sourceKey: string;
};

export type TextState = TextSource & { reviewed: boolean };

type Review = { appId: number; texts: TextSource[]; reviewed: boolean; languages: string[] };

/**
 * Publishing and saving a draft also add sources, for texts that stay while their source changes. Known sources are
 * kept.
 */
export interface TextStateStore {
  list(appId: number): Promise<TextState[]>;
  /** Marks these texts as reviewed for these sources, or withdraws that. Each text at most once. */
  review(review: Review): Promise<'reviewed' | 'application-gone'>;
}
