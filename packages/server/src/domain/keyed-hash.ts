import { hash } from 'node:crypto';

const BLOCK_BYTES = 64;
const HASH_BYTES = 32;
/** Longer texts get their own buffer. */
const SHORT_BYTES = 1024;

/**
 * HMAC-SHA-256 (RFC 2104) as hex, for a key of at most one block. Written out as two one-shot hashes: `createHmac`
 * creates a stream, which takes three times as long, and every secret and token that is sent or received is hashed.
 */
export function keyedHash(key: Uint8Array): (text: string) => string {
  if (key.length > BLOCK_BYTES) throw new RangeError('The key is longer than a block.');
  const inner = Buffer.alloc(BLOCK_BYTES + SHORT_BYTES, 0x36);
  const outer = Buffer.alloc(BLOCK_BYTES + HASH_BYTES, 0x5c);
  key.forEach((byte, at) => {
    inner[at] = byte ^ 0x36;
    outer[at] = byte ^ 0x5c;
  });
  const hashInner = (text: string): string => {
    // A UTF-16 unit takes at most three bytes.
    if (text.length * 3 > SHORT_BYTES) {
      return hash('sha256', Buffer.concat([inner.subarray(0, BLOCK_BYTES), Buffer.from(text)]), 'latin1');
    }
    const length = inner.write(text, BLOCK_BYTES);
    const hashed = hash('sha256', inner.subarray(0, BLOCK_BYTES + length), 'latin1');
    // Erase the secret.
    inner.fill(0, BLOCK_BYTES, BLOCK_BYTES + length);
    return hashed;
  };
  return (text) => {
    outer.write(hashInner(text), BLOCK_BYTES, 'latin1');
    return hash('sha256', outer, 'hex');
  };
}
