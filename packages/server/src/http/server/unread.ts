import type { ServerResponse } from 'node:http';

/** What clients have not read yet. Each byte may take two or three of memory until they do. */
const MAX_BYTES = 128 * 1024 ** 2;
/** A client that reads nothing for this long is considered gone. */
const STALLED_MS = 60_000;

/** Limits what responses take that were written faster than their clients read, all connections together. */
export class Unread {
  readonly #maxBytes: number;
  readonly #stalledMs: number;
  /** The first entry has waited longest. */
  readonly #bytes = new Map<ServerResponse, number>();
  #total = 0;

  constructor({ maxBytes = MAX_BYTES, stalledMs = STALLED_MS } = {}) {
    this.#maxBytes = maxBytes;
    this.#stalledMs = stalledMs;
  }

  /** Call it after writing. Closes the connection if its client reads nothing, and the oldest of too many. */
  wait(response: ServerResponse): void {
    const bytes = response.writableLength;
    if (bytes === 0) return;
    // Node destroys the connection, unless some of it is read meanwhile.
    response.setTimeout(this.#stalledMs);
    this.#bytes.set(response, bytes);
    this.#total += bytes;
    for (const [oldest] of this.#bytes) {
      if (this.#total <= this.#maxBytes) return;
      this.#forget(oldest);
      oldest.destroy();
    }
  }

  /** Call it when the client has read everything, or has disconnected. */
  end(response: ServerResponse): void {
    if (!this.#bytes.has(response)) return;
    this.#forget(response);
    response.setTimeout(0);
  }

  #forget(response: ServerResponse): void {
    this.#total -= this.#bytes.get(response) ?? 0;
    this.#bytes.delete(response);
  }
}
