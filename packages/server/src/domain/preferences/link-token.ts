import { timingSafeEqual } from 'node:crypto';
import type { Scalar } from '../catalog/catalog.ts';
import type { Keyring } from '../keyring.ts';

/**
 * The content of a preference link. It is all in the link itself, so creating one for each of a million mails writes
 * nothing.
 */
export type LinkContent = {
  appId: number;
  userId: string;
  /** Milliseconds, in whole seconds. */
  expiresAt: number;
  /** The user's generation when it was created (UserStore.linkGeneration). */
  generation: number;
  /** A tag. */
  language: string | null;
  /** Marks of the groups it shows (groupMark); empty: all. */
  groups: readonly string[];
  /** What one click saves. */
  unsubscribe: readonly Unsubscription[];
};

export type Unsubscription = { keyNo: number; values: readonly Scalar[] };

/** Lets secret scanners and our own logs recognize links (http/logging.ts). */
const PREFIX = 'ikr_';
const FORM = 1;
/** 128 bits of HMAC-SHA-256. */
const MAC_BYTES = 16;
const MAX_CHARACTERS = 400;

/** Four random bytes of its UID: enough to tell an application's groups apart, in a quarter of the space. */
export function groupMark(groupUid: string): string {
  return groupUid.slice(-8);
}

export function writeLink(keyring: Keyring, link: LinkContent): string {
  const head = Buffer.alloc(25);
  head.writeUInt8(FORM, 0);
  head.writeUInt32BE(link.appId, 1);
  head.write(link.userId.replaceAll('-', ''), 5, 'hex');
  head.writeUInt32BE(link.expiresAt / 1000, 21);
  const content = Buffer.concat([
    head,
    writeNumber(link.generation),
    writeText(link.language ?? ''),
    writeNumber(link.groups.length),
    Buffer.from(link.groups.join(''), 'hex'),
    writeNumber(link.unsubscribe.length),
    ...link.unsubscribe.flatMap(({ keyNo, values }) => [writeNumber(keyNo), writeText(JSON.stringify(values))]),
  ]);
  const mac = readMac(keyring.hashPreferenceLink(content.toString('base64url')));
  return PREFIX + Buffer.concat([content, mac]).toString('base64url');
}

/** undefined: not made with this secret or the previous one, or altered. */
export function readLink(keyring: Keyring, token: string): LinkContent | undefined {
  if (!token.startsWith(PREFIX) || token.length > MAX_CHARACTERS) return undefined;
  const text = token.slice(PREFIX.length);
  const bytes = Buffer.from(text, 'base64url');
  // Decoders are lenient: with blanks, padding or unused bits, the same link would have several texts.
  if (bytes.toString('base64url') !== text || bytes.length <= MAC_BYTES) return undefined;
  const content = bytes.subarray(0, -MAC_BYTES);
  const macs = keyring.preferenceLinkHashes(content.toString('base64url')).map(readMac);
  if (!macs.some((mac) => timingSafeEqual(bytes.subarray(-MAC_BYTES), mac))) return undefined;
  return readContent(content);
}

function readMac(hash: string): Buffer {
  return Buffer.from(hash, 'hex').subarray(0, MAC_BYTES);
}

/** The content is authentic: as writeLink wrote it, or from a later version. */
function readContent(content: Buffer): LinkContent | undefined {
  if (content.readUInt8(0) !== FORM) return undefined;
  const hex = content.toString('hex', 5, 21);
  const userId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  let at = 25;
  const number = (): number => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = content.readUInt8(at++);
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
  };
  const take = (length: number): Buffer => {
    at += length;
    return content.subarray(at - length, at);
  };
  const list = <T>(read: () => T): T[] => Array.from({ length: number() }, read);
  return {
    appId: content.readUInt32BE(1),
    userId,
    expiresAt: content.readUInt32BE(21) * 1000,
    generation: number(),
    language: take(number()).toString() || null,
    groups: list(() => take(4).toString('hex')),
    unsubscribe: list(() => ({ keyNo: number(), values: JSON.parse(take(number()).toString()) as Scalar[] })),
  };
}

/** Seven bits per byte, lowest first. */
function writeNumber(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push(128 + (rest % 128));
  return Buffer.from([...bytes, rest]);
}

function writeText(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([writeNumber(bytes.length), bytes]);
}
