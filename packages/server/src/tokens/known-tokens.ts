import type { IdentifiedToken } from './port.ts';

/** Entries per half; both together take about 6 MB when full. */
const HALF = 5_000;

/**
 * Tokens that were signed or verified here, by their text. The older half is dropped as a whole: a Map whose oldest
 * entry is deleted for every new one has to skip more and more gaps to find it.
 */
export class KnownTokens {
  #newer = new Map<string, IdentifiedToken>();
  #older = new Map<string, IdentifiedToken>();

  get(accessToken: string): IdentifiedToken | undefined {
    return this.#newer.get(accessToken) ?? this.#older.get(accessToken);
  }

  add(accessToken: string, token: IdentifiedToken): void {
    if (this.#newer.size >= HALF) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(accessToken, token);
  }

  delete(accessToken: string): void {
    this.#newer.delete(accessToken);
    this.#older.delete(accessToken);
  }
}
