import type { UserRecord, UserStatus } from '../port.ts';
import { hexToUuid } from './encoding.ts';

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
