import type { Storage, StoredCatalog } from '../../storage/port.ts';
import { inSlices } from '../slices.ts';
import { readCatalog } from './catalog.ts';
import { type CompiledCatalog, compileCatalog } from './compile.ts';

/** Older revisions that selections still refer to, kept compiled. */
const OLDER_KEPT = 32;

/**
 * The published catalogs, compiled in memory: reads never query the database. A new revision, published anywhere,
 * replaces the compiled one within a second; until it is ready, the previous one serves.
 */
export class CatalogDirectory {
  readonly #storage: Storage;
  readonly #current = new Map<number, CompiledCatalog>();
  readonly #loading = new Map<number, Promise<CompiledCatalog>>();
  readonly #older = new Map<string, CompiledCatalog | Promise<CompiledCatalog | undefined>>();

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  /** The newest revision known here, if it is in memory. */
  peek(appId: number): CompiledCatalog | undefined {
    return this.#current.get(appId);
  }

  async get(appId: number): Promise<CompiledCatalog> {
    return this.#current.get(appId) ?? (await this.#load(appId));
  }

  /** The catalog at a revision that a selection refers to; returns no promise if it is in memory. */
  getAt(appId: number, revision: number): CompiledCatalog | undefined | Promise<CompiledCatalog | undefined> {
    const current = this.#current.get(appId);
    if (current?.revision === revision) return current;
    const name = `${appId}:${revision}`;
    const known = this.#older.get(name);
    this.#older.delete(name);
    const older = known ?? this.#loadAt(appId, revision, name);
    this.#older.set(name, older);
    if (this.#older.size > OLDER_KEPT) this.#older.delete(this.#older.keys().next().value as string);
    return older;
  }

  /** Called when something was published: reloads the catalogs held here. */
  async reload(appIds: readonly number[]): Promise<void> {
    await Promise.all(appIds.map((appId) => this.#reload(appId)));
  }

  async #reload(appId: number): Promise<void> {
    const inFlight = this.#loading.get(appId);
    if (!inFlight && !this.#current.has(appId)) return;
    // A load in flight may have read too early: start another after it.
    await inFlight?.catch(() => undefined);
    await this.#load(appId);
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

  #load(appId: number): Promise<CompiledCatalog> {
    const known = this.#loading.get(appId);
    if (known) return known;
    const loading: Promise<CompiledCatalog> = this.#loadNow(appId, () => this.#loading.get(appId) === loading);
    this.#loading.set(appId, loading);
    return loading;
  }

  async #loadNow(appId: number, isWanted: () => boolean): Promise<CompiledCatalog> {
    try {
      const compiled = await compile(await this.#storage.catalogs.load(appId));
      // The application was deleted meanwhile.
      if (!isWanted()) return compiled;
      // A slower load of an older state must not replace a newer one.
      const known = this.#current.get(appId);
      if (!known || known.revision <= compiled.revision) this.#current.set(appId, compiled);
      return this.#current.get(appId) as CompiledCatalog;
    } finally {
      if (isWanted()) this.#loading.delete(appId);
    }
  }

  #loadAt(appId: number, revision: number, name: string): Promise<CompiledCatalog | undefined> {
    // Unless it was dropped meanwhile.
    const isWanted = (): boolean => this.#older.get(name) === loading;
    const loading = this.#readAt(appId, revision).then(
      (compiled) => {
        if (compiled && isWanted()) this.#older.set(name, compiled);
        return compiled;
      },
      (error: unknown) => {
        if (isWanted()) this.#older.delete(name);
        throw error;
      },
    );
    return loading;
  }

  async #readAt(appId: number, revision: number): Promise<CompiledCatalog | undefined> {
    const stored = await this.#storage.catalogs.loadAt(appId, revision);
    return stored && (await compile(stored));
  }
}

async function compile(stored: StoredCatalog): Promise<CompiledCatalog> {
  return inSlices(compileCatalog(await inSlices(readCatalog(stored))));
}
