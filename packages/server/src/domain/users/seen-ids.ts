/**
 * The clientUserIds seen in a file, in 16 to 32 bytes each: storing millions of texts would take too much memory.
 * Different ids may collide (two of five million, in one file of 700): `add` answers "perhaps" or "no".
 */
export class SeenIds {
  #slots = new Float64Array(1024);
  #count = 0;

  /** True if the id was perhaps added before. */
  add(id: string): boolean {
    const hash = hashOf(id);
    if (!insert(this.#slots, hash)) return true;
    this.#count++;
    if (this.#count * 2 > this.#slots.length) this.#grow();
    return false;
  }

  #grow(): void {
    const larger = new Float64Array(this.#slots.length * 2);
    for (const hash of this.#slots) if (hash !== 0) insert(larger, hash);
    this.#slots = larger;
  }
}

/** False if it is already there. The length of `slots` is a power of two; 0 is an empty slot. */
function insert(slots: Float64Array, hash: number): boolean {
  const mask = slots.length - 1;
  for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
    if (slots[slot] === hash) return false;
    if (slots[slot] === 0) {
      slots[slot] = hash;
      return true;
    }
  }
}

/** 53 bits, never 0: two multiplicative 32-bit hashes, as in cyrb53. */
function hashOf(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 0x9e3779b1);
    low = Math.imul(low ^ unit, 0x5f356495);
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return (high >>> 11) * 0x1_0000_0000 + (low >>> 0) || 1;
}
