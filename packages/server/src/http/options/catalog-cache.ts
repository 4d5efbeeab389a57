import type { Page } from '../paging.ts';
import type { WireText } from '../server/request-and-reply.ts';

/** The response to a catalog read, ready to send. */
export type ReadyResponse = {
  body: WireText | Buffer;
  etag: string;
  /** Set for a list. */
  page: (Page & { total: number }) | undefined;
  /** The Link header of the last request: links repeat the parameters as they were written. */
  lastLink?: { url: string; text: string | undefined };
};
type Entry = { appId: number; response: ReadyResponse; bytes: number };

/** Overhead of an entry, besides its body and name: a target and links of four times its length among others. */
const ENTRY_BYTES = 2_500;

/**
 * Cached responses to catalog reads of all applications. One limit applies to the whole process; beyond it, the least
 * recently used are evicted. Names contain only resolved values, so made-up headers cannot add entries.
 */
export class CatalogCache {
  readonly #maxBytes: number;
  readonly #entries = new Map<string, Entry>();
  readonly #making = new Map<string, Promise<ReadyResponse>>();
  /** The most recently used entry. */
  #newest: Entry | undefined;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(name: string): ReadyResponse | undefined {
    const entry = this.#entries.get(name);
    if (entry && entry !== this.#newest) {
      // The first key is the least recently used.
      this.#entries.delete(name);
      this.#entries.set(name, entry);
      this.#newest = entry;
    }
    return entry?.response;
  }

  /** Makes a response that is not cached, once for all concurrent requests. */
  make(
    name: string,
    appId: number,
    make: () => ReadyResponse | Promise<ReadyResponse>,
  ): ReadyResponse | Promise<ReadyResponse> {
    const pending = this.#making.get(name);
    if (pending) return pending;
    const made = make();
    if (!(made instanceof Promise)) {
      this.#set(name, appId, made);
      return made;
    }
    const kept = made
      .then((response) => {
        this.#set(name, appId, response);
        return response;
      })
      .finally(() => this.#making.delete(name));
    this.#making.set(name, kept);
    return kept;
  }

  #set(name: string, appId: number, response: ReadyResponse): void {
    const bytes = response.body.length + name.length * 2 + ENTRY_BYTES;
    if (bytes > this.#maxBytes) return;
    this.#delete(name);
    const entry = { appId, response, bytes };
    this.#entries.set(name, entry);
    this.#newest = entry;
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#delete(oldest);
    }
  }

  /** Drops the entries of an application: a new revision has replaced them, or the application was deleted. */
  forget(appId: number): void {
    for (const [name, entry] of this.#entries) if (entry.appId === appId) this.#delete(name);
  }

  clear(): void {
    this.#entries.clear();
    this.#newest = undefined;
    this.#bytes = 0;
  }

  #delete(name: string): void {
    const entry = this.#entries.get(name);
    if (!entry) return;
    this.#entries.delete(name);
    this.#bytes -= entry.bytes;
  }
}
