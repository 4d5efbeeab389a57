import { hash, randomUUIDv7 } from 'node:crypto';

/** 48 bits of time, then 12 bits that RFC 9562 allows as a counter. */
let latest = 0n;

/**
 * A version 7 UUID that sorts after all earlier ones from this process, even within a millisecond or after the clock was
 * set back: then it counts on from the latest one.
 */
export function orderedUuid(uuid: string = randomUUIDv7()): string {
  const now = BigInt(`0x${uuid.slice(0, 8)}${uuid.slice(9, 13)}000`);
  latest = now > latest ? now : latest + 1n;
  const text = latest.toString(16).padStart(15, '0');
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-7${text.slice(12)}${uuid.slice(18)}`;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** In the service's form: lower case. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** A UUID in either case, converted to the service's form. */
export function readUuid(text: string): string | undefined {
  const lower = text.length === 36 ? text.toLowerCase() : '';
  return isUuid(lower) ? lower : undefined;
}

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/**
 * A user's home: one of 4,096 numbers that selects the node of a distributed database that stores the user
 * (storage/postgres/distributed). It is derived from application and clientUserId, and user codes and tokens include
 * it, so that the node is known before the first query.
 */
export function homeOfName(appId: number, clientUserId: string): number {
  return Number.parseInt(hash('sha256', `${appId} ${clientUserId}`, 'hex').slice(0, 3), 16);
}

/**
 * The home in a UUID: the 12 bits after the version. UUIDs made elsewhere have these bits too, so every user has a
 * home.
 */
export function homeOfUuid(uuid: string): number {
  return Number.parseInt(uuid.slice(15, 18), 16);
}

/** A version 7 UUID. RFC 9562 leaves the 12 bits after the version to the implementation. */
export function uuidAtHome(home: number): string {
  const uuid = randomUUIDv7();
  return `${uuid.slice(0, 15)}${home.toString(16).padStart(3, '0')}${uuid.slice(18)}`;
}

/** Puts the home into the first two base64url characters, which are 12 bits. */
export function textAtHome(home: number, random: string): string {
  return `${BASE64URL.charAt(home >> 6)}${BASE64URL.charAt(home & 63)}${random.slice(2)}`;
}

export function homeOfText(text: string): number {
  return BASE64URL.indexOf(text.charAt(0)) * 64 + BASE64URL.indexOf(text.charAt(1));
}
