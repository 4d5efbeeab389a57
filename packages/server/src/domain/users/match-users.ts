import type { UserPlace, UserRecord, UserStatus, UserStore, UserWalk } from '../../storage/port.ts';
import type { CompiledCatalog } from '../catalog/compile.ts';
import { createMatcher, walkOf } from './match-conditions.ts';
import type { Condition } from './where.ts';

export type UserFilter = {
  catalog: CompiledCatalog;
  conditions: readonly Condition[];
  /** Defaults count. */
  effective: boolean;
  status?: UserStatus | undefined;
  /** The only one that can pass. */
  userId?: string | undefined;
  /** What else has to hold. */
  test?: ((user: UserRecord) => boolean) | undefined;
};

/** Where a list goes on: which of the conditions it walks by (-1: none), and after whom. */
export type ListPlace = { by: number; after: UserPlace };

export type MatchedUser = { user: UserRecord; place: ListPlace };

/** Enough to tell a rare value from a common one. */
const SAMPLE = 1_000;
/** Users looked at together: few for a first page, many for a long list. */
const FIRST = 64;
const MOST = 4_000;

/**
 * The users that a filter lets pass, some at a time. They are looked for by the rarest of the conditions that an index
 * serves, and the others are checked on each.
 */
export async function* matchUsers(
  users: UserStore,
  appId: number,
  filter: UserFilter,
  { place, atOnce = FIRST }: { place: ListPlace | undefined; atOnce?: number },
): AsyncGenerator<MatchedUser[]> {
  const by = place?.by ?? (await chooseWalk(users, appId, filter));
  const { walk, isExact } = walkBy(filter, by);
  const others = isExact ? filter.conditions.filter((_, index) => index !== by) : filter.conditions;
  const keyNos = [...new Set(others.map(({ placed }) => placed.key.keyNo))];
  const matches = createMatcher(others, filter);
  const { status, test } = filter;
  let after = place?.after ?? null;
  for (let limit = Math.min(atOnce, MOST); ; limit = Math.min(limit * 4, MOST)) {
    const found = await users.walk(appId, walk, { after, limit, keyNos });
    const matched: MatchedUser[] = [];
    for (const { user, place, selected } of found.users) {
      if (status !== undefined && user.status !== status) continue;
      if (test && !test(user)) continue;
      if (matches(selected)) matched.push({ user, place: { by, after: place } });
    }
    if (matched.length > 0) yield matched;
    if (found.next === null) return;
    after = found.next;
  }
}

export type UserPage = { users: UserRecord[]; next: ListPlace | null };

/** A full page, unless there are no more. */
export async function pageOfUsers(
  users: UserStore,
  appId: number,
  filter: UserFilter,
  { place, limit }: { place: ListPlace | undefined; limit: number },
): Promise<UserPage> {
  const found: MatchedUser[] = [];
  for await (const some of matchUsers(users, appId, filter, { place, atOnce: limit + 1 })) {
    found.push(...some);
    if (found.length > limit) break;
  }
  const page = found.slice(0, limit);
  return { users: page.map(({ user }) => user), next: found.length > limit ? (page.at(-1)?.place ?? null) : null };
}

export async function countUsers(users: UserStore, appId: number, filter: UserFilter): Promise<number> {
  const { conditions, status, userId, test } = filter;
  const [only, ...more] = conditions;
  if (more.length === 0 && status === undefined && userId === undefined && test === undefined) {
    const all = (walk: UserWalk) => users.countWalk(appId, walk);
    if (!only) return all({ by: 'user' });
    const direct = walkOf(only, filter);
    if (direct?.isExact) return all(direct.walk);
    const opposite = walkOf(negated(only), filter);
    if (opposite?.isExact) return (await all({ by: 'user' })) - (await all(opposite.walk));
  }
  let count = 0;
  for await (const some of matchUsers(users, appId, filter, { place: undefined, atOnce: MOST })) count += some.length;
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

/** Of a place too: one that the filter has no walk for goes through all users. */
function walkBy(filter: UserFilter, by: number): { walk: UserWalk; isExact: boolean } {
  if (filter.userId !== undefined) return { walk: { by: 'one', userId: filter.userId }, isExact: false };
  const condition = filter.conditions[by];
  const chosen = condition && walkOf(condition, filter);
  return chosen ?? { walk: { by: filter.status === 'suspended' ? 'suspended' : 'user' }, isExact: false };
}

/** The index of the condition; -1: none. */
async function chooseWalk(users: UserStore, appId: number, filter: UserFilter): Promise<number> {
  const { conditions, status, userId } = filter;
  if (userId !== undefined) return -1;
  const usable = conditions.flatMap((condition, index) => {
    const found = walkOf(condition, filter);
    return found ? [{ index, walk: found.walk }] : [];
  });
  if (status !== 'suspended' && usable.length < 2) return usable[0]?.index ?? -1;
  if (status === 'suspended') usable.push({ index: -1, walk: { by: 'suspended' } });
  const counted = await Promise.all(
    usable.map(async ({ index, walk }) => ({ index, count: await users.countWalk(appId, walk, SAMPLE) })),
  );
  return counted.reduce((rarest, each) => (each.count < rarest.count ? each : rarest)).index;
}
