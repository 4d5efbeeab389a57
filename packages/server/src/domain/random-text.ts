import { randomFillSync } from 'node:crypto';

const POOL_BYTES = 4096;
const pool = Buffer.alloc(POOL_BYTES);
let taken = POOL_BYTES;

/** Random bytes as text, from a pool that is filled at once: calling the generator costs more than the bytes. */
export function randomText(bytes: number): string {
  if (taken + bytes > POOL_BYTES) {
    randomFillSync(pool);
    taken = 0;
  }
  const text = pool.toString('base64url', taken, taken + bytes);
  // Erase the secret.
  pool.fill(0, taken, taken + bytes);
  taken += bytes;
  return text;
}
