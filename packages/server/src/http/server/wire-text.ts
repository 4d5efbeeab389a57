/** Content type of JSON bodies. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * A body as sent: UTF-8, one character per byte. Node writes the head and such a body as one string without encoding
 * it, and its length is known.
 */
export class WireText {
  readonly bytes: string;

  constructor(bytes: string) {
    this.bytes = bytes;
  }

  get length(): number {
    return this.bytes.length;
  }

  toBuffer(): Buffer {
    return Buffer.from(this.bytes, 'latin1');
  }
}

/** Converts any text; ASCII stays the same. */
export function toWireBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** Not imported: an import evaluates every export of node:http, which loads its WebSocket and 10 MB of HTTP client. */
const { STATUS_CODES } = process.getBuiltinModule('node:http');

export function statusText(status: number): string | undefined {
  return STATUS_CODES[status];
}
