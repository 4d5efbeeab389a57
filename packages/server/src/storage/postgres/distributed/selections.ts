import type { KeySurvey, SelectionStore, ValuePage, ValueRow } from '../../port.ts';
import type { Cluster, HomeStores } from './cluster.ts';
import { byBytes, sum } from './homes.ts';
import { homeOfToken } from './users.ts';

export function distributedSelections(cluster: Cluster): SelectionStore {
  const of = (userId: string): SelectionStore => cluster.ofUser(userId).selections;

  // What a home has after the last value of its page may come before what another has in its own: that is left for the next page.
  const countByValue: SelectionStore['countByValue'] = async (appId, keyNo, after) => {
    const pages = await cluster.everywhere(({ selections }) => selections.countByValue(appId, keyNo, after));
    const next = pages.flatMap((page) => page.next ?? []).sort(byBytes)[0] ?? null;
    const rows = addUp(pages.flatMap((page) => page.rows)).sort((a, b) => byBytes(a.value, b.value));
    return { rows: next === null ? rows : rows.filter(({ value }) => byBytes(value, next) <= 0), next };
  };

  // The most common value overall may not be among the most common of any home, so every value is counted.
  const mostCommon = async (appId: number, keyNo: number, most: number) => {
    let [common, different]: [ValueRow[], number] = [[], 0];
    for (let after: string | null = null; ; ) {
      const { rows, next }: ValuePage = await countByValue(appId, keyNo, after);
      different += rows.length;
      common = [...common, ...rows].sort(mostFirst).slice(0, most);
      if (next === null) return { common, different };
      after = next;
    }
  };

  return {
    list: (userId) => of(userId).list(userId),
    listOfToken: (tokenId, now) =>
      cluster.find(homeOfToken(cluster, tokenId), ({ selections }) => selections.listOfToken(tokenId, now)),
    listOfUser: (appId, userId, keyNo) => of(userId).listOfUser(appId, userId, keyNo),
    walk: (userId, after) => of(userId).walk(userId, after),
    save: (appId, userId, selections, change) => of(userId).save(appId, userId, selections, change),
    unset: (userId, ...args) => of(userId).unset(userId, ...args),
    unsetKeys: (userId, ...args) => of(userId).unsetKeys(userId, ...args),
    history: (userId, ...args) => of(userId).history(userId, ...args),
    walkHistory: (userId, after) => of(userId).walkHistory(userId, after),
    countByValue,

    async replaceValue(appId, replacement, change) {
      let replaced = 0;
      for (const home of cluster.homes.all) {
        const limit = replacement.limit - replaced;
        if (limit === 0) break;
        replaced += await cluster.at(home).selections.replaceValue(appId, { ...replacement, limit }, change);
      }
      return replaced;
    },

    async purgeHistory(appId, { before, after, users }) {
      const named = (home: HomeStores) => home.users.names(appId, { after, limit: users });
      const pages = await cluster.everywhere(async (home) => (await named(home)).map(([name]) => name));
      const names = [...new Set(pages.flat())].sort(byBytes).slice(0, users);
      const last = names.at(-1) ?? '';
      // From each home as many as it contributes to the page.
      const removed = await cluster.everywhere(async ({ selections }, home) => {
        const own = pages[home]?.filter((name) => byBytes(name, last) <= 0).length ?? 0;
        if (own === 0) return 0;
        return (await selections.purgeHistory(appId, { before, after, users: own })).removed;
      });
      return { removed: sum(removed), next: names.length === users ? last : null };
    },

    async countListed(appId, keys, { onProgress, signal }) {
      const shares = cluster.homes.all.map(() => 0);
      const parts = await cluster.everywhere(({ selections }, home) =>
        selections.countListed(appId, keys, {
          signal,
          onProgress(share) {
            shares[cluster.homes.all.indexOf(home)] = share;
            onProgress(sum(shares) / shares.length);
          },
        }),
      );
      return keys.map(({ listed }, key) => ({
        total: sum(parts.map((part) => part[key]?.total ?? 0)),
        counts: listed.map((_, place) => sum(parts.map((part) => part[key]?.counts[place] ?? 0))),
      }));
    },

    async survey(appId, keyNo, wanted, signal) {
      const { listed, most } = wanted;
      const surveyHomes = async (what: typeof wanted): Promise<KeySurvey[]> =>
        cluster.everywhere(({ selections }) => selections.survey(appId, keyNo, what, signal));
      if (!listed) return { ...addPeriods(await surveyHomes(wanted)), ...(await mostCommon(appId, keyNo, most)) };
      // Each home may have others that are common: first which they are, then how many of each.
      const parts = await surveyHomes({ ...wanted, fromDay: null });
      const others = addUp(parts.flatMap((part) => part.common)).sort(mostFirst);
      const different = Math.max(others.length, ...parts.map((part) => part.different));
      const shown = others.slice(0, most).map(({ value }) => value);
      const counted = addPeriods(await surveyHomes({ ...wanted, listed: [...listed, ...shown], most: 0 }));
      const common = shown.map((value, place) => ({
        value,
        count: sum(counted.periods.map(({ counts }) => counts[listed.length + place] ?? 0)),
      }));
      return { ...counted, common, different };
    },
  };
}

function addPeriods(parts: readonly KeySurvey[]): Pick<KeySurvey, 'users' | 'periods'> {
  const periods = new Map<number, KeySurvey['periods'][number]>();
  for (const { day, total, counts } of parts.flatMap((part) => part.periods)) {
    const so = periods.get(day);
    const sums = so ? so.counts.map((count, place) => count + (counts[place] ?? 0)) : counts;
    periods.set(day, { day, total: total + (so?.total ?? 0), counts: sums });
  }
  const inOrder = [...periods.values()].sort((a, b) => a.day - b.day);
  return { users: sum(parts.map(({ users }) => users)), periods: inOrder };
}

const mostFirst = (a: ValueRow, b: ValueRow): number => b.count - a.count || byBytes(a.value, b.value);

function addUp(rows: readonly ValueRow[]): ValueRow[] {
  const counts = new Map<string, number>();
  for (const { value, count } of rows) counts.set(value, count + (counts.get(value) ?? 0));
  return [...counts].map(([value, count]) => ({ value, count }));
}
