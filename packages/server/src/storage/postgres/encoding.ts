/**
 * Hashes are kept as bytes: half of their text, in every index that holds them. Anything else is refused, as Buffer
 * would stop at what it cannot read and call the rest a hash.
 */
export function toBytes(hex: string): Buffer {
  return Buffer.from(checkedHex(hex), 'hex');
}

/** As it is, for acts that go to PostgreSQL as JSON. */
export function checkedHex(hex: string): string {
  if (!/^(?:[0-9a-f]{2})+$/.test(hex)) throw new TypeError('A hash is bytes in lower-case hex.');
  return hex;
}

export function toHex(bytes: Buffer): string {
  return bytes.toString('hex');
}

/** A token is known by a UUID (16 bytes) or by a hash (32): different lengths, so never the same bytes. */
export function tokenIdToBytes(tokenId: string): Buffer {
  const hex = tokenId.replaceAll('-', '');
  if (!/^(?:[0-9a-f]{32}|[0-9a-f]{64})$/.test(hex)) throw new TypeError('A token id is a UUID or a SHA-256 hash.');
  return Buffer.from(hex, 'hex');
}

export function tokenIdOf(hex: string): string {
  if (hex.length !== 32) return hex;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
