import type { UserRecord, UserStore } from '../../storage/port.ts';
import { foldCase } from './fold.ts';
import { readUuid } from './user-code.ts';

/** Names looked through at a time. */
const SCAN = 10_000;

/** Where a search goes on: among those found by clientUserId, or by name, after the one of this clientUserId. */
export type SearchPlace = { by: 'id' | 'name'; after: string | null };

/** `next` is null at the end, and a page before it is full. */
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
  // One more than is shown, so that `next` leads to somebody.
  const found: (UserRecord & { by: SearchPlace['by'] })[] = [];
  if (from.by === 'id') {
    const byId = await users.page(appId, { after: from.after, limit: limit + 1, prefix: search });
    found.push(...byId.map((user) => ({ ...user, by: 'id' as const })));
  }
  if (search !== '' && found.length <= limit) {
    const after = from.by === 'name' ? from.after : null;
    for await (const user of searchNames(users, appId, search, after)) {
      if (found.push({ ...user, by: 'name' }) > limit) break;
    }
  }
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const next = found.length > limit && last ? { by: last.by, after: last.clientUserId } : null;
  return { users: page.map(({ by: _, ...user }) => user), next };
}

/** What a user has to be for a search, where the list is by something else. */
export function createSearchTest(search: string): (user: UserRecord) => boolean {
  const [userId, wanted] = [readUuid(search), foldCase(search)];
  return (user) =>
    user.userId === userId || user.clientUserId.startsWith(search) || foldCase(user.clientUserName).includes(wanted);
}

async function* searchNames(
  users: UserStore,
  appId: number,
  search: string,
  after: string | null,
): AsyncGenerator<UserRecord> {
  const wanted = foldCase(search);
  for (let from = after; ; ) {
    const names = await users.names(appId, { after: from, limit: SCAN });
    for (const [clientUserId, name] of names) {
      // Those were found by their clientUserId already.
      if (clientUserId.startsWith(search) || !foldCase(name).includes(wanted)) continue;
      const user = await users.findByClientUserId(appId, clientUserId);
      if (user) yield user;
    }
    if (names.length < SCAN) return;
    from = names.at(-1)?.[0] ?? null;
  }
}
