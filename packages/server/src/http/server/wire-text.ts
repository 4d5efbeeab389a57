/** Of a body that is JSON. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * A body as it is sent: UTF-8, one character per byte. Node writes the head and such a body as one string without
 * encoding it, and its length is known.
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

/** Of any text; ASCII is the same in both. */
export function toWireBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** Not imported: an import names all that node:http has, and so loads its WebSocket and 10 MB of HTTP client. */
const { STATUS_CODES } = process.getBuiltinModule('node:http');

export function statusText(status: number): string | undefined {
  return STATUS_CODES[status];
}
