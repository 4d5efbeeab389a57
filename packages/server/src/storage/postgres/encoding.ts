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
