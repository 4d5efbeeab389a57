import type { UserRecord, UserStore } from '../../storage/port.ts';
import { readUuid } from './user-code.ts';

/** Names that one search looks through: bounded, so that a search among millions holds nobody up. */
const SCAN = 20_000;

/** Where a search goes on: among those found by clientUserId, or by name, after the one of this clientUserId. */
export type SearchPlace = { by: 'id' | 'name'; after: string | null };

/** `next` is null at the end. A page may hold fewer than `limit`, even none, and still not be the last. */
export type FoundUsers = { users: UserRecord[]; next: SearchPlace | null };

/**
 * Users by exact UID, by how their clientUserId begins, or by what their name holds, in that order. Without a search,
 * all of them. Pages go on where the one before ended, which costs the same on the first page and on the last.
 */
export async function searchUsers(
  users: UserStore,
  appId: number,
  search: string,
  { place, limit }: { place: SearchPlace | undefined; limit: number },
): Promise<FoundUsers> {
  const from = place ?? { by: 'id', after: null };
  const userId = place ? undefined : readUuid(search);
  if (userId) {
    const user = await users.find(appId, userId);
    if (user) return { users: [user], next: null };
  }
  if (from.by === 'name') return searchNames(users, appId, search, from.after, limit);

  const byId = await users.page(appId, { after: from.after, limit: limit + 1, prefix: search });
  if (byId.length > limit) {
    const page = byId.slice(0, limit);
    return { users: page, next: { by: 'id', after: page.at(-1)?.clientUserId ?? null } };
  }
  if (search === '') return { users: byId, next: null };
  if (byId.length === limit) return { users: byId, next: { by: 'name', after: null } };
  const byName = await searchNames(users, appId, search, null, limit - byId.length);
  return { users: [...byId, ...byName.users], next: byName.next };
}

async function searchNames(
  users: UserStore,
  appId: number,
  contains: string,
  after: string | null,
  limit: number,
): Promise<FoundUsers> {
  const found = await users.searchByName(appId, { contains, after, limit, scan: SCAN });
  return {
    // Those were found by their clientUserId already.
    users: found.users.filter(({ clientUserId }) => !clientUserId.startsWith(contains)),
    next: found.next === null ? null : { by: 'name', after: found.next },
  };
}
