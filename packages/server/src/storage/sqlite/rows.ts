import { hash } from 'node:crypto';
import { toHex } from '../common/store.ts';
import type { UserRecord, UserStatus } from '../port.ts';

/** A user with its profile, for any query that returns one: `u` and `p` in its joins. */
export const USER_COLUMNS = `lower(hex(u.user_id)), u.app_id, u.client_user_id, p.client_user_name, u.status, u.created_at,
  u.updated_at`;
export const PROFILE_OF_USER = 'profiles p on p.app_id = u.app_id and p.client_user_id = u.client_user_id';
/**
 * The user that a profile names, if the names match: an orphaned profile may name a user who was added since under
 * another name.
 */
export const USER_OF_PROFILE =
  'users u on u.user_id = p.user_id and u.app_id = p.app_id and u.client_user_id = p.client_user_id';

export type UserRow = [
  ...[userId: string, appId: number, clientUserId: string, clientUserName: string, status: UserStatus],
  ...[createdAt: number, updatedAt: number | null],
];

export function toUser(row: UserRow): UserRecord {
  const [id, appId, clientUserId, clientUserName, status, createdAt, updatedAt] = row;
  const userId = hexToUuid(id);
  return { userId, appId, clientUserId, clientUserName, status, createdAt, updatedAt: updatedAt ?? createdAt };
}

const HEX = '0123456789abcdef';
/** The value of a hexadecimal digit by character code; 16 or more if it is none. */
const DIGIT_OF = Uint8Array.from({ length: 128 }, (_, code) => HEX.indexOf(String.fromCharCode(code)));
const DASH = 0x2d;

/**
 * UUIDs and hashes are stored as bytes: a third to a half of their text, in every index. Anything else is rejected.
 * Digit by digit: a regular expression and Buffer take three times as long, and every write converts several.
 */
export function toBytes(hexOrUuid: string): Buffer {
  const isUuid = hexOrUuid.length === 36 && hexOrUuid.charCodeAt(8) === DASH;
  const length = isUuid ? 16 : hexOrUuid.length / 2;
  if (!Number.isInteger(length) || length === 0) throw noIdentifier();
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  for (let index = 0; index < length; index++) {
    // After the 4th, 6th, 8th and 10th byte.
    if (isUuid && (0b101_0101_0000 >> index) & 1 && hexOrUuid.charCodeAt(at++) !== DASH) throw noIdentifier();
    const high = DIGIT_OF[hexOrUuid.charCodeAt(at++)] as number;
    const low = DIGIT_OF[hexOrUuid.charCodeAt(at++)] as number;
    // Undefined for a character beyond the table, which fails the comparison too.
    if (!(high < 16 && low < 16)) throw noIdentifier();
    bytes[index] = (high << 4) | low;
  }
  return bytes;
}

function noIdentifier(): TypeError {
  return new TypeError('An identifier is a UUID or bytes in lower-case hex.');
}

export function toUuid(bytes: Uint8Array): string {
  return hexToUuid(toHex(bytes));
}

/** For `lower(hex(…))` in a query: reading text from a row takes a third of the time of bytes. */
export function hexToUuid(hex: string): string {
  // In short parts: V8 copies those into one string, and keeps longer ones as a tree.
  const first = `${hex.slice(0, 8)}-`;
  const second = `${hex.slice(8, 12)}-${hex.slice(12, 16)}-`;
  const third = `${hex.slice(16, 20)}-`;
  return first + second + (third + hex.slice(20));
}

/** The hash of a user's code: all that is kept of a deleted user (deleted_users). */
export function codeHash(userId: string): Buffer {
  return hash('sha256', userId, 'buffer');
}
