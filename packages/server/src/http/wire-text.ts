/**
 * The body of an answer as it is sent: UTF-8, a character a byte. node sends the head and such a body as one text, without a
 * look at each character, and its length is known.
 */
export class WireText {
  readonly bytes: string;

  constructor(bytes: string) {
    this.bytes = bytes;
  }

  toBuffer(): Buffer {
    return Buffer.from(this.bytes, 'latin1');
  }
}

/** Of any text; ASCII is the same in both. */
export function toWireBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}

declare module 'fastify' {
  interface FastifyReply {
    sendWire(body: WireText): FastifyReply;
  }
}
