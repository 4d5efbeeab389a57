import { hash, randomUUIDv7 } from 'node:crypto';

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/**
 * A user's home: one of 4,096 numbers that says which node of a distributed database has the user (storage/postgres/distributed). It comes
 * from application and clientUserId, and user codes and tokens carry it, so that an act knows the node before it asks.
 */
export function homeOfName(appId: number, clientUserId: string): number {
  return Number.parseInt(hash('sha256', `${appId} ${clientUserId}`, 'hex').slice(0, 3), 16);
}

/** Of a UUID: the 12 bits after the version. Others than ours have some too, so every user has a home. */
export function homeOfUuid(uuid: string): number {
  return Number.parseInt(uuid.slice(15, 18), 16);
}

/** A UUID of version 7. RFC 9562 leaves the 12 bits after the version to us. */
export function uuidAtHome(home: number): string {
  const uuid = randomUUIDv7();
  return `${uuid.slice(0, 15)}${home.toString(16).padStart(3, '0')}${uuid.slice(18)}`;
}

/** The first two characters of base64url, which are 12 bits. */
export function textAtHome(home: number, random: string): string {
  return `${BASE64URL.charAt(home >> 6)}${BASE64URL.charAt(home & 63)}${random.slice(2)}`;
}

export function homeOfText(text: string): number {
  return BASE64URL.indexOf(text.charAt(0)) * 64 + BASE64URL.indexOf(text.charAt(1));
}
