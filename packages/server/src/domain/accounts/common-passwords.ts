import { createHash } from 'node:crypto';
import { COMMON_PASSWORD_HASHES } from './common-password-hashes.ts';

let known: Buffer | undefined;

/** Expects lower case. About one in 200,000 uncommon passwords is a false positive. */
export function isCommonPassword(key: string): boolean {
  known ??= Buffer.from(COMMON_PASSWORD_HASHES, 'base64');
  const wanted = hashCommonPassword(key);
  let low = 0;
  let high = known.length / 4;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (known.readUInt32BE(middle * 4) < wanted) low = middle + 1;
    else high = middle;
  }
  return low * 4 < known.length && known.readUInt32BE(low * 4) === wanted;
}

export function hashCommonPassword(key: string): number {
  return createHash('sha256').update(key).digest().readUInt32BE(0);
}
