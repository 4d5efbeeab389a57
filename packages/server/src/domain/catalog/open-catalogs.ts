import type { DraftRecord, Storage } from '../../storage/port.ts';
import { inSlices } from '../slices.ts';
import { type Catalog, type Language, readCatalog, withItems } from './catalog.ts';
import type { CatalogDirectory } from './directory.ts';

/** Maximum applications whose drafts are cached: those being edited. */
const KEPT = 8;

/** `base` is the revision it was begun from. */
export type OpenDraft = DraftRecord & { catalog: Catalog; base: Catalog };
/** The published catalog and the draft, as of one moment. */
export type OpenCatalog = { published: Catalog; draft: OpenDraft | undefined };

/**
 * Catalogs for editing. The database is asked for the newest version every time, so that an editor behind a load
 * balancer sees their own changes. The content is cached, because neither a revision nor a version of a draft ever
 * changes.
 */
export class OpenCatalogs {
  readonly #storage: Storage;
  readonly #catalogs: CatalogDirectory;
  readonly #drafts = new Map<number, OpenDraft>();

  constructor(storage: Storage, catalogs: CatalogDirectory) {
    this.#storage = storage;
    this.#catalogs = catalogs;
  }

  async published(appId: number): Promise<Catalog> {
    return this.#catalogs.newest(appId, await this.#storage.drafts.look(appId));
  }

  async open(appId: number): Promise<OpenCatalog> {
    const { draft, ...newest } = await this.#storage.drafts.look(appId);
    const published = await this.#catalogs.newest(appId, newest);
    return { published, draft: draft && (await this.#readDraft(appId, draft, published)) };
  }

  /** Called by the code that saved a draft. */
  keepDraft(appId: number, draft: OpenDraft): void {
    this.#drafts.delete(appId);
    this.#drafts.set(appId, draft);
    if (this.#drafts.size > KEPT) this.#drafts.delete(this.#drafts.keys().next().value as number);
  }

  async #readDraft(appId: number, record: DraftRecord, published: Catalog): Promise<OpenDraft | undefined> {
    const held = this.#drafts.get(appId);
    if (held?.draftId === record.draftId && held.version === record.version) {
      this.keepDraft(appId, held);
      return held;
    }
    const stored = await this.#storage.drafts.load(appId);
    // It has just been published or discarded.
    if (!stored) return undefined;
    const { items, ...draft } = stored;
    const base = await this.#base(appId, draft.baseRevision, published);
    const languages = JSON.parse(draft.languages) as Language[];
    const open = { ...draft, base, catalog: await inSlices(withItems(base, { languages, items })) };
    this.keepDraft(appId, open);
    return open;
  }

  async #base(appId: number, revision: number, published: Catalog): Promise<Catalog> {
    if (revision === published.revision) return published;
    const stored = await this.#storage.catalogs.loadAt(appId, revision);
    return stored ? inSlices(readCatalog(stored)) : { revision, languages: [], groups: [] };
  }
}
