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

export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
