import type { UserRecord, UserStatus } from '../port.ts';
import { hexToUuid } from './encoding.ts';

/** A user with its profile, wherever a query ends at one: `u` and `p` in its joins. */
export const USER_COLUMNS = `lower(hex(u.user_id)), u.app_id, u.client_user_id, p.client_user_name, u.status, u.created_at,
  u.updated_at`;
export const PROFILE_OF_USER = 'profiles p on p.app_id = u.app_id and p.client_user_id = u.client_user_id';
/** The one it names, if that one has its name: an orphan may name somebody who came in since under another. */
export const USER_OF_PROFILE =
  'users u on u.user_id = p.user_id and u.app_id = p.app_id and u.client_user_id = p.client_user_id';

/** Of a row of USER_COLUMNS. */
export function toUser(row: readonly unknown[]): UserRecord {
  const [userId, appId, clientUserId, clientUserName, status, createdAt, updatedAt] = row;
  return {
    userId: hexToUuid(userId as string),
    appId: appId as number,
    clientUserId: clientUserId as string,
    clientUserName: clientUserName as string,
    status: status as UserStatus,
    createdAt: createdAt as number,
    updatedAt: (updatedAt ?? createdAt) as number,
  };
}
