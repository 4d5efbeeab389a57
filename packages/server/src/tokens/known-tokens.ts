import type { IdentifiedToken } from './port.ts';

/** Of two halves together: about 6 MB when full. */
const HALF = 5_000;

/**
 * Tokens that were signed here or whose signature has been checked, by their text. The older half is dropped as a whole:
 * a Map that loses its oldest entry with every new one steps over ever more gaps to find it.
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
