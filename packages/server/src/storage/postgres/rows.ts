import { PAGE_BYTES } from '../../page-bytes.ts';
import type { UserRecord, UserStatus } from '../port.ts';

/** A user with its profile, for any query that returns one: `u` and `p` in its joins. */
export const USER_COLUMNS =
  'u.user_id, u.app_id, u.client_user_id, p.client_user_name, u.status, u.created_at, u.updated_at';
export const PROFILE_OF_USER = 'profiles p on p.app_id = u.app_id and p.client_user_id = u.client_user_id';
/**
 * The user that a profile names, if the names match: an orphaned profile may name a user who was added since under
 * another name.
 */
export const USER_OF_PROFILE =
  'users u on u.user_id = p.user_id and u.app_id = p.app_id and u.client_user_id = p.client_user_id';

export type UserRow = {
  user_id: string;
  app_id: number;
  client_user_id: string;
  client_user_name: string;
  status: UserStatus;
  created_at: number;
  updated_at: number | null;
};

export function toUser(row: UserRow): UserRecord {
  return {
    userId: row.user_id,
    appId: row.app_id,
    clientUserId: row.client_user_id,
    clientUserName: row.client_user_name,
    status: row.status,
    createdAt: row.created_at,
    updatedAt: row.updated_at ?? row.created_at,
  };
}

/** A token is known by a UUID (16 bytes) or by a hash (32): different lengths, so never the same bytes. */
export function tokenIdToBytes(tokenId: string): Buffer {
  const hex = tokenId.replaceAll('-', '');
  if (!/^(?:[0-9a-f]{32}|[0-9a-f]{64})$/.test(hex)) throw new TypeError('A token id is a UUID or a SHA-256 hash.');
  return Buffer.from(hex, 'hex');
}

export function tokenIdOf(hex: string): string {
  if (hex.length !== 32) return hex;
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/**
 * Like `takePage`, in a query: the rows of `rows` in this order, up to the one that fills a page, without reading their
 * content.
 */
export const untilFull = (rows: string, order: string, size: string): string => `
  select * from (
    select r.*, coalesce(sum(${size}) over (order by ${order} rows between unbounded preceding and 1 preceding), 0) as bytes_before
    from ${rows} r
  ) r where bytes_before < ${PAGE_BYTES}
`;
