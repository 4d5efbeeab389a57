import { inNfc } from '../../nfc.ts';
import type { UserRecord, UserStore } from '../../storage/port.ts';
import { readUuid } from '../../uuid.ts';
import { pauses } from '../slices.ts';
import { type Pace, unpaced } from './search-time.ts';

/** Ids and names scanned at a time. */
const SCAN = 10_000;

/**
 * Where a search continues: among clientUserIds with the prefix ("id"), or ids and names that contain it ("name"),
 * after this clientUserId.
 */
export type SearchPlace = { by: 'id' | 'name'; after: string | null };

/** `next` is null at the end. `looked`: how many ids and names were scanned. */
export type FoundUsers = { users: UserRecord[]; next: SearchPlace | null; looked: number };

/**
 * Users by exact UID, by the start of their clientUserId, or by a part of their clientUserId or name, in that order.
 * Without a search, all of them. A page continues where the previous one ended, which costs the same on the first page
 * and the last. A page is full unless it is the last, or `atMost` ids and names were scanned for it.
 */
export async function searchUsers(
  users: UserStore,
  appId: number,
  search: string,
  {
    place,
    limit,
    atMost = Number.POSITIVE_INFINITY,
    signal,
    pace = unpaced,
  }: {
    place: SearchPlace | undefined;
    limit: number;
    atMost?: number | undefined;
    signal?: AbortSignal | undefined;
    pace?: Pace;
  },
): Promise<FoundUsers> {
  const from = place ?? { by: 'id', after: null };
  const userId = place ? undefined : readUuid(search);
  if (userId) {
    const user = await users.find(appId, userId);
    if (user) return { users: [user], next: null, looked: 0 };
  }
  // One more than is shown, so that `next` leads to at least one user.
  const found: (UserRecord & { by: SearchPlace['by'] })[] = [];
  if (from.by === 'id') {
    const byId = await users.page(appId, { after: from.after, limit: limit + 1, prefix: search });
    found.push(...byId.map((user) => ({ ...user, by: 'id' as const })));
  }
  let looked = 0;
  if (search !== '' && found.length <= limit) {
    let after = from.by === 'name' ? from.after : null;
    const atOnce = Math.min(SCAN, atMost);
    for await (const { last, matching } of scanNames(users, appId, search, { after, atOnce, signal, pace })) {
      looked += last.count;
      for (const clientUserId of matching) {
        const user = await users.findByClientUserId(appId, clientUserId);
        if (user && found.push({ ...user, by: 'name' }) > limit) break;
      }
      after = last.clientUserId;
      if (found.length > limit || after === null) break;
      if (looked >= atMost) return { users: found.map(withoutBy), next: { by: 'name', after }, looked };
    }
  }
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const next = found.length > limit && last ? { by: last.by, after: last.clientUserId } : null;
  return { users: page.map(withoutBy), next, looked };
}

/** Tells whether a user matches a search, for lists in another order. */
export function createSearchTest(search: string): (user: UserRecord) => boolean {
  const [userId, holds] = [readUuid(search), createHolds(search)];
  return (user) => user.userId === userId || holds(user.clientUserId) || holds(user.clientUserName);
}

function createHolds(search: string): (text: string) => boolean {
  const wanted = foldCase(search);
  return (text) => foldCase(text).includes(wanted);
}

function withoutBy({ by: _, ...user }: UserRecord & { by: SearchPlace['by'] }): UserRecord {
  return user;
}

type Scanned = { matching: string[]; last: { clientUserId: string | null; count: number } };

/** The matching users, some at a time; `last.clientUserId` is null at the end. */
async function* scanNames(
  users: UserStore,
  appId: number,
  search: string,
  {
    after,
    atOnce,
    signal,
    pace,
  }: { after: string | null; atOnce: number; signal: AbortSignal | undefined; pace: Pace },
): AsyncGenerator<Scanned> {
  const holds = createHolds(search);
  const pause = pauses();
  for (let from = after; ; ) {
    const start = from;
    const scanned = await pace(async (): Promise<Scanned> => {
      const names = await users.names(appId, { after: start, limit: atOnce });
      const matching: string[] = [];
      for (const [clientUserId, name] of names) {
        const paused = pause();
        if (paused) await paused;
        // Those with the prefix were found before.
        if (!clientUserId.startsWith(search) && (holds(clientUserId) || holds(name))) matching.push(clientUserId);
      }
      const next = names.length < atOnce ? null : (names.at(-1)?.[0] ?? null);
      return { matching, last: { clientUserId: next, count: names.length } };
    });
    yield scanned;
    from = scanned.last.clientUserId;
    if (from === null) return;
    signal?.throwIfAborted();
  }
}

/**
 * Texts that differ only in case fold to the same, by Unicode's rules and not by a database's locale: `STRASSE`,
 * `straße`; `Σίσυφος`, `ΣΊΣΥΦΟΣ`.
 */
export function foldCase(text: string): string {
  // Nearly every id, and most names: searches scan millions of them.
  if (PLAIN.test(text)) return text.toLowerCase();
  return inNfc(inNfc(text).toUpperCase().toLowerCase().replaceAll('ς', 'σ'));
}

const PLAIN = /^[ -~]*$/;
