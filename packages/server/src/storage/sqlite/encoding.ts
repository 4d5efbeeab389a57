const UUID_OR_HEX = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?:[0-9a-f]{2})+)$/;

/**
 * UUIDs and hashes are kept as bytes: a third to a half of their text, in every index that holds them. Anything else
 * is refused, as Buffer would stop at what it cannot read and call the rest an identifier.
 */
export function toBytes(hexOrUuid: string): Buffer {
  if (!UUID_OR_HEX.test(hexOrUuid)) throw new TypeError('An identifier is a UUID or bytes in lower-case hex.');
  return Buffer.from(hexOrUuid.replaceAll('-', ''), 'hex');
}

export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

export function toUuid(bytes: Uint8Array): string {
  const hex = toHex(bytes);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
