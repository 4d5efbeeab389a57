import { PAGE_BYTES } from '../page-bytes.ts';
import { RECORD_BYTES, type StoredUser, type StoredUserPage, sizeOfUser } from './port.ts';

/** `sizeOfUser` in PostgreSQL, in bytes. */
export const USER_BYTES = `(
  select ${RECORD_BYTES} + coalesce(sum(${RECORD_BYTES} + octet_length(value) + coalesce(octet_length(texts), 0)), 0)
  from selections s where s.user_id = p.user_id
)`;

/** There may be more after a page that is full by its users or, at three bytes per character at most, by its bytes. */
export function toUserPage(users: StoredUser[], limit: number): StoredUserPage {
  const bytes = users.reduce((sum, user) => sum + 3 * sizeOfUser(user), 0);
  const isFull = users.length === limit || bytes >= PAGE_BYTES;
  return { users, next: isFull ? (users.at(-1)?.clientUserId ?? null) : null };
}
