import type { DraftRecord, Storage } from '../../storage/port.ts';
import { inSlices } from '../slices.ts';
import { type Catalog, type Language, readCatalog, withItems } from './catalog.ts';
import { type CompiledCatalog, compileCatalog } from './compile.ts';
import { countCharacters } from './growth.ts';

/** The characters of all published catalogs in memory together. The one used last always stays. */
const PUBLISHED_CHARACTERS = 64 * 1024 ** 2;
/** What an empty catalog takes in memory. */
const EMPTY = 2_000;
/** Older revisions that selections still refer to, kept compiled, and their characters together: each is a whole catalog. */
const OLDER_KEPT = 32;
const OLDER_CHARACTERS = 32 * 1024 ** 2;

/** A published catalog, as the database has it: it may be restored to an earlier state, so the time counts too. */
type Published = { revision: number; publishedAt: number };
type Compiled = { compiled: CompiledCatalog; characters: number };
type Held = Compiled & { catalog: Catalog; publishedAt: number | undefined };
type Older = Compiled | { compiled: Promise<CompiledCatalog | undefined>; characters: number };

/**
 * The published catalogs, compiled in memory: reads query the database only for one that has not been used for long. A new
 * revision, published anywhere, replaces the compiled one within a second; until it is ready, the previous one serves.
 */
export class CatalogDirectory {
  readonly #storage: Storage;
  readonly #most: { published: number; older: number };
  /** The least recently used first, as in the older ones. */
  readonly #current = new Map<number, Held>();
  #lastUsed: Held | undefined;
  readonly #loading = new Map<number, Promise<Held>>();
  readonly #older = new Map<string, Older>();

  constructor(storage: Storage, most = { published: PUBLISHED_CHARACTERS, older: OLDER_CHARACTERS }) {
    this.#storage = storage;
    this.#most = most;
  }

  /** The newest revision known here, if it is in memory. */
  peek(appId: number): CompiledCatalog | undefined {
    const held = this.#current.get(appId);
    if (held && held !== this.#lastUsed) this.#use(appId, held);
    return held?.compiled;
  }

  async get(appId: number): Promise<CompiledCatalog> {
    return this.peek(appId) ?? (await this.#load(appId)).compiled;
  }

  #use(appId: number, held: Held): void {
    this.#current.delete(appId);
    this.#current.set(appId, held);
    this.#lastUsed = held;
  }

  #hold(appId: number, held: Held): void {
    this.#use(appId, held);
    dropOldest(this.#current, (entries, characters) => entries === 1 || characters <= this.#most.published);
  }

  /** The newest one, which the caller found in the database: an editor sees their own changes behind a load balancer. */
  async newest(appId: number, published: Published): Promise<Catalog> {
    const held = this.#current.get(appId);
    return (isSame(held, published) ? held : await this.#loadAgain(appId)).catalog;
  }

  /** Called by the code that published it. */
  async keep(appId: number, catalog: Catalog, publishedAt: number): Promise<void> {
    const compiled = await compile(catalog);
    const held = this.#current.get(appId);
    // One that no one reads yet is loaded when someone does; a newer one may have arrived meanwhile.
    if (held && held.catalog.revision < catalog.revision) this.#hold(appId, { catalog, publishedAt, ...compiled });
  }

  /** The catalog at a revision that a selection refers to; returns no promise if it is in memory. */
  getAt(appId: number, revision: number): CompiledCatalog | undefined | Promise<CompiledCatalog | undefined> {
    const current = this.peek(appId);
    if (current?.revision === revision) return current;
    const name = `${appId}:${revision}`;
    const known = this.#older.get(name);
    this.#older.delete(name);
    const older = known ?? { compiled: this.#loadAt(appId, revision, name), characters: 0 };
    this.#older.set(name, older);
    this.#dropOlder();
    return older.compiled;
  }

  #dropOlder(): void {
    dropOldest(this.#older, (entries, characters) => entries <= OLDER_KEPT && characters <= this.#most.older);
  }

  /** Called when something was published: reloads the catalogs held here. */
  async reload(appIds: readonly number[]): Promise<void> {
    await Promise.all(appIds.map((appId) => this.#reload(appId)));
  }

  async #reload(appId: number): Promise<void> {
    const held = this.#current.get(appId);
    if (!held && !this.#loading.has(appId)) return;
    if (!isSame(held, await this.#storage.drafts.look(appId))) await this.#loadAgain(appId);
  }

  /** A load in flight may have read too early: starts another after it. */
  async #loadAgain(appId: number): Promise<Held> {
    await this.#loading.get(appId)?.catch(() => undefined);
    return this.#load(appId);
  }

  /** Called after a restore of the database: anything may have changed, even to earlier revisions. */
  async reloadAll(): Promise<void> {
    const held = new Set([...this.#current.keys(), ...this.#loading.keys()]);
    // A load in flight may have read too early.
    await Promise.allSettled(this.#loading.values());
    this.#current.clear();
    this.#older.clear();
    await Promise.all([...held].map((appId) => this.#load(appId)));
  }

  /** Called when the application was deleted. */
  forget(appId: number): void {
    this.#current.delete(appId);
    // A load in flight would add it again.
    this.#loading.delete(appId);
    for (const name of this.#older.keys()) if (name.startsWith(`${appId}:`)) this.#older.delete(name);
  }

  forgetOthers(isKnown: (appId: number) => boolean): void {
    for (const appId of [...this.#current.keys(), ...this.#loading.keys()]) if (!isKnown(appId)) this.forget(appId);
  }

  #load(appId: number): Promise<Held> {
    const known = this.#loading.get(appId);
    if (known) return known;
    const loading: Promise<Held> = this.#loadNow(appId, () => this.#loading.get(appId) === loading);
    this.#loading.set(appId, loading);
    return loading;
  }

  async #loadNow(appId: number, isWanted: () => boolean): Promise<Held> {
    try {
      const { revision, publishedAt } = await this.#storage.drafts.look(appId);
      const catalog = await inSlices(readCatalog(await this.#storage.catalogs.load(appId)));
      const compiled = await compile(catalog);
      // If another revision was published meanwhile, the next comparison with the database loads again.
      const held = { catalog, publishedAt: catalog.revision === revision ? publishedAt : undefined, ...compiled };
      const known = this.#current.get(appId);
      // Not if the application was deleted, or a newer revision was published here, meanwhile.
      if (isWanted() && !(known && known.catalog.revision > catalog.revision)) this.#hold(appId, held);
      return held;
    } finally {
      if (isWanted()) this.#loading.delete(appId);
    }
  }

  #loadAt(appId: number, revision: number, name: string): Promise<CompiledCatalog | undefined> {
    // Unless it was dropped meanwhile.
    const isWanted = (): boolean => this.#older.get(name)?.compiled === loading;
    const loading = this.#readAt(appId, revision).then(
      (older) => {
        if (older && isWanted()) {
          this.#older.set(name, older);
          this.#dropOlder();
        }
        return older?.compiled;
      },
      (error: unknown) => {
        if (isWanted()) this.#older.delete(name);
        throw error;
      },
    );
    return loading;
  }

  async #readAt(appId: number, revision: number): Promise<Compiled | undefined> {
    const stored = await this.#storage.catalogs.loadAt(appId, revision);
    return stored && compile(await inSlices(readCatalog(stored)));
  }
}

async function compile(catalog: Catalog): Promise<Compiled> {
  const compiled = await inSlices(compileCatalog(catalog));
  return { compiled, characters: EMPTY + (await inSlices(countCharacters(catalog))) };
}

function dropOldest<Name>(
  kept: Map<Name, { characters: number }>,
  isSmall: (entries: number, characters: number) => boolean,
): void {
  let characters = kept.values().reduce((sum, each) => sum + each.characters, 0);
  for (const [name, each] of kept) {
    if (isSmall(kept.size, characters)) return;
    kept.delete(name);
    characters -= each.characters;
  }
}

function isSame(held: Held | undefined, { revision, publishedAt }: Published): held is Held {
  return held?.catalog.revision === revision && held.publishedAt === publishedAt;
}

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
