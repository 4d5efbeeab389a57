import type { UserPlace, UserRecord, UserStatus, UserStore, UserWalk } from '../../storage/port.ts';
import type { CompiledCatalog } from '../catalog/compile.ts';
import { pauses } from '../slices.ts';
import { type Pace, unpaced } from './search-time.ts';
import { type Condition, createMatcher, type WalkOf, walkOf } from './where.ts';

export const USER_SORTS = ['newest', 'oldest'] as const;
type UserSort = (typeof USER_SORTS)[number];

export type UserFilter = {
  catalog: CompiledCatalog;
  conditions: readonly Condition[];
  /** Whether defaults count. */
  effective: boolean;
  status?: UserStatus | undefined;
  /** The only user that can match. */
  userId?: string | undefined;
  /** Created from this time on, and before that one. */
  created?: { from?: number; to?: number } | undefined;
  /** By creation, in either direction; by default in the order of the walk. Not with conditions. */
  sort?: UserSort | undefined;
  /** A further condition. */
  test?: ((user: UserRecord) => boolean) | undefined;
};

/** Where a list continues: which condition it walks by (-1: none), and after which user. */
export type ListPlace = { by: number; after: UserPlace };

type MatchedUser = { user: UserRecord; place: ListPlace };

/** `looked`: users checked; `next`: where to continue, null at the end. */
type MatchedUsers = { matched: MatchedUser[]; looked: number; next: ListPlace | null };

/** Enough to tell a rare value from a common one. */
const SAMPLE = 1_000;
/** Batch sizes: small for a first page, large for a long list. */
const FIRST = 64;
const MAX = 4_000;

/**
 * The users that match a filter, in batches. Walks the index of the most selective condition, and checks the other
 * conditions for each user.
 */
export async function* matchUsers(
  users: UserStore,
  appId: number,
  filter: UserFilter,
  {
    place,
    atOnce = FIRST,
    signal,
    pace = unpaced,
    isSent = false,
  }: {
    place: ListPlace | undefined;
    atOnce?: number;
    signal?: AbortSignal | undefined;
    pace?: Pace | undefined;
    /** Whether matching users are sent, so that only the others cost search time. */
    isSent?: boolean;
  },
): AsyncGenerator<MatchedUsers> {
  const { by, walk, isExact } = place
    ? await walkBy(users, appId, filter, place.by)
    : await chooseWalk(users, appId, filter);
  const others = isExact ? filter.conditions.filter((_, index) => index !== by) : filter.conditions;
  const keyNos = [...new Set(others.map(({ placed }) => placed.key.keyNo))];
  const matches = createMatcher(others, filter);
  const { status, test, created: { from = 0, to = Number.POSITIVE_INFINITY } = {} } = filter;
  let after = place?.after ?? null;
  for (let limit = Math.min(atOnce, MAX); ; limit = Math.min(limit * 4, MAX)) {
    const start = after;
    const some = await pace(
      async (): Promise<MatchedUsers> => {
        const found = await users.walk(appId, walk, { after: start, limit, keyNos });
        const matched: MatchedUser[] = [];
        const pause = pauses();
        for (const { user, place, selected } of found.users) {
          const paused = pause();
          if (paused) await paused;
          if (status !== undefined && user.status !== status) continue;
          if (user.createdAt < from || user.createdAt >= to) continue;
          if (test && !test(user)) continue;
          if (matches(selected)) matched.push({ user, place: { by, after: place } });
        }
        return { matched, looked: found.users.length, next: found.next && { by, after: found.next } };
      },
      ({ matched, looked }) => (isSent && looked > 0 ? 1 - matched.length / looked : 1),
    );
    yield some;
    if (some.next === null) return;
    signal?.throwIfAborted();
    after = some.next.after;
  }
}

/** `places`: where to continue after each of the users. */
export type UserPage = { users: UserRecord[]; places: ListPlace[]; next: ListPlace | null; looked: number };

/** A full page, unless there are no more users or `atMost` were checked for it. */
export async function pageOfUsers(
  users: UserStore,
  appId: number,
  filter: UserFilter,
  {
    place,
    limit,
    atMost = Number.POSITIVE_INFINITY,
    signal,
    pace,
  }: {
    place: ListPlace | undefined;
    limit: number;
    atMost?: number | undefined;
    signal?: AbortSignal | undefined;
    pace?: Pace | undefined;
  },
): Promise<UserPage> {
  const found: MatchedUser[] = [];
  let looked = 0;
  for await (const some of matchUsers(users, appId, filter, { place, atOnce: limit + 1, signal, pace, isSent: true })) {
    found.push(...some.matched);
    looked += some.looked;
    if (found.length > limit) break;
    if (looked >= atMost && some.next) return { ...unzip(found), next: some.next, looked };
  }
  const page = found.slice(0, limit);
  const next = found.length > limit ? (page.at(-1)?.place ?? null) : null;
  return { ...unzip(page), next, looked };
}

function unzip(matched: readonly MatchedUser[]): Pick<UserPage, 'users' | 'places'> {
  return { users: matched.map(({ user }) => user), places: matched.map(({ place }) => place) };
}

export async function countUsers(
  users: UserStore,
  appId: number,
  filter: UserFilter,
  { signal, pace = unpaced }: { signal?: AbortSignal | undefined; pace?: Pace } = {},
): Promise<number> {
  const { conditions, status, userId, test } = filter;
  const [only, ...more] = conditions;
  const isCounted = only === undefined || filter.created === undefined;
  if (isCounted && more.length === 0 && status === undefined && userId === undefined && test === undefined) {
    const all = (walk: UserWalk) => pace(() => users.countWalk(appId, walk));
    if (!only) return all(walkWithoutConditions(filter).walk);
    const direct = await walkOf(users, appId, only, filter);
    if (direct?.isExact) return all(direct.walk);
    const opposite = await walkOf(users, appId, negated(only), filter);
    // Users may be created or save between the two counts.
    if (opposite?.isExact) return Math.max(0, (await all({ by: 'user' })) - (await all(opposite.walk)));
  }
  let count = 0;
  for await (const some of matchUsers(users, appId, filter, { place: undefined, atOnce: MAX, signal, pace }))
    count += some.matched.length;
  return count;
}

function negated(condition: Condition): Condition {
  const { placed } = condition;
  switch (condition.test) {
    case 'saved':
      return { placed, test: 'unsaved' };
    case 'unsaved':
      return { placed, test: 'saved' };
    case 'equals':
      return { placed, test: 'differs', value: condition.value };
    case 'differs':
      return { placed, test: 'equals', value: condition.value };
  }
}

type ChosenWalk = WalkOf & { by: number };

function walkWithoutConditions({ status, userId, sort, created }: UserFilter): ChosenWalk {
  if (userId !== undefined) return { by: -1, walk: { by: 'one', userId }, isExact: false };
  if (sort || created) {
    return { by: -1, walk: { by: 'created', newest: sort === 'newest', ...created }, isExact: false };
  }
  return { by: -1, walk: { by: status === 'suspended' ? 'suspended' : 'user' }, isExact: false };
}

/** The walk for a position; if the filter has none, it goes through all users. */
async function walkBy(users: UserStore, appId: number, filter: UserFilter, by: number): Promise<ChosenWalk> {
  const condition = filter.userId === undefined ? filter.conditions[by] : undefined;
  const found = condition && (await walkOf(users, appId, condition, filter));
  return found ? { ...found, by } : walkWithoutConditions(filter);
}

/** By the condition that matches the fewest users. */
async function chooseWalk(users: UserStore, appId: number, filter: UserFilter): Promise<ChosenWalk> {
  const without = walkWithoutConditions(filter);
  if (filter.userId !== undefined) return without;
  const found = await Promise.all(filter.conditions.map((_, by) => walkBy(users, appId, filter, by)));
  const usable = found.filter(({ by }) => by >= 0);
  if (without.walk.by !== 'user') usable.push(without);
  if (usable.length < 2) return usable[0] ?? without;
  const counted = await Promise.all(
    usable.map(async (chosen) => ({ chosen, count: await users.countWalk(appId, chosen.walk, SAMPLE) })),
  );
  return counted.reduce((rarest, each) => (each.count < rarest.count ? each : rarest)).chosen;
}
