/** UUIDs and hashes are kept as bytes: a third to a half of their text, in every index that holds them. */
export function toBytes(hexOrUuid: string): Buffer {
  return Buffer.from(hexOrUuid.replaceAll('-', ''), 'hex');
}

export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

export function toUuid(bytes: Uint8Array): string {
  const hex = toHex(bytes);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
