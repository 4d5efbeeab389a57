import type { DraftRecord, Storage } from '../../storage/port.ts';
import { inSlices } from '../slices.ts';
import { type Catalog, type Language, readCatalog, withItems } from './catalog.ts';

/** Maximum applications whose catalogs are cached: those being edited. */
const KEPT = 8;

/** `base` is the revision it was begun from. */
export type OpenDraft = DraftRecord & { catalog: Catalog; base: Catalog };
/** The published catalog and the draft, as of one moment. */
export type OpenCatalog = { published: Catalog; draft: OpenDraft | undefined };

type Held = { published?: { catalog: Catalog; publishedAt: number }; draft?: OpenDraft };

/**
 * Catalogs for editing. The database is asked for the newest version every time, so that an editor behind a load
 * balancer sees their own changes. The content is cached, because neither a revision nor a version of a draft ever
 * changes.
 */
export class OpenCatalogs {
  readonly #storage: Storage;
  readonly #held = new Map<number, Held>();

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  async published(appId: number): Promise<Catalog> {
    const { revision, publishedAt } = await this.#storage.drafts.look(appId);
    return this.#readPublished(appId, revision, publishedAt);
  }

  async open(appId: number): Promise<OpenCatalog> {
    const { revision, publishedAt, draft } = await this.#storage.drafts.look(appId);
    const published = await this.#readPublished(appId, revision, publishedAt);
    return { published, draft: draft && (await this.#readDraft(appId, draft, published)) };
  }

  /** Called by the code that saved a draft. */
  keepDraft(appId: number, draft: OpenDraft): void {
    this.#hold(appId).draft = draft;
  }

  async #readPublished(appId: number, revision: number, publishedAt: number): Promise<Catalog> {
    const held = this.#hold(appId);
    // Compare the time too: a database may be restored to an earlier state.
    if (held.published?.catalog.revision === revision && held.published.publishedAt === publishedAt) {
      return held.published.catalog;
    }
    const catalog = await inSlices(readCatalog(await this.#storage.catalogs.load(appId)));
    // If another revision was published meanwhile, it is returned but not cached; the next call asks for it.
    if (catalog.revision === revision) held.published = { catalog, publishedAt };
    return catalog;
  }

  async #readDraft(appId: number, record: DraftRecord, published: Catalog): Promise<OpenDraft | undefined> {
    const held = this.#hold(appId);
    if (held.draft?.draftId === record.draftId && held.draft.version === record.version) return held.draft;
    const stored = await this.#storage.drafts.load(appId);
    // It has just been published or discarded.
    if (!stored) return undefined;
    const { items, ...draft } = stored;
    const base = await this.#base(appId, draft.baseRevision, published);
    const languages = JSON.parse(draft.languages) as Language[];
    const open = { ...draft, base, catalog: await inSlices(withItems(base, { languages, items })) };
    held.draft = open;
    return open;
  }

  async #base(appId: number, revision: number, published: Catalog): Promise<Catalog> {
    if (revision === published.revision) return published;
    const stored = await this.#storage.catalogs.loadAt(appId, revision);
    return stored ? inSlices(readCatalog(stored)) : { revision, languages: [], groups: [] };
  }

  #hold(appId: number): Held {
    const held = this.#held.get(appId) ?? {};
    this.#held.delete(appId);
    this.#held.set(appId, held);
    if (this.#held.size > KEPT) this.#held.delete(this.#held.keys().next().value as number);
    return held;
  }
}
