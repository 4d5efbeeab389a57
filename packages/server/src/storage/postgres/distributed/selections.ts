import type { KeySurvey, SelectionStore, ValueRow } from '../../port.ts';
import type { Cluster, HomeStores } from './cluster.ts';
import { byBytes, sum } from './homes.ts';
import { homeOfToken } from './users.ts';

export function distributedSelections(cluster: Cluster): SelectionStore {
  const of = (userId: string): SelectionStore => cluster.ofUser(userId).selections;

  const countByValue: SelectionStore['countByValue'] = async (appId, keyNo) => {
    const parts = await cluster.everywhere(({ selections }) => selections.countByValue(appId, keyNo));
    return addUp(parts.flat()).sort((a, b) => byBytes(a.value, b.value));
  };

  return {
    list: (userId) => of(userId).list(userId),
    listOfToken: (tokenId, now) =>
      cluster.find(homeOfToken(cluster, tokenId), ({ selections }) => selections.listOfToken(tokenId, now)),
    listOfUser: (appId, userId, keyNo) => of(userId).listOfUser(appId, userId, keyNo),
    origins: (userId) => of(userId).origins(userId),
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

    async survey(appId, keyNo, wanted) {
      const parts = await cluster.everywhere(({ selections }) => selections.survey(appId, keyNo, wanted));
      const days = new Map<string, KeySurvey['days'][number]>();
      for (const { day, value, count } of parts.flatMap((part) => part.days)) {
        const key = `${day} ${value}`;
        days.set(key, { day, value, count: count + (days.get(key)?.count ?? 0) });
      }
      // The most common value overall may not be among the most common of any home, so every value is counted.
      const values = wanted.byValue ? [] : await countByValue(appId, keyNo);
      return {
        users: sum(parts.map(({ users }) => users)),
        days: [...days.values()].sort((a, b) => a.day - b.day || byBytes(a.value ?? '', b.value ?? '')),
        common: values.sort((a, b) => b.count - a.count || byBytes(a.value, b.value)).slice(0, wanted.most),
        different: values.length,
      };
    },
  };
}

function addUp(rows: readonly ValueRow[]): ValueRow[] {
  const counts = new Map<string, number>();
  for (const { value, count } of rows) counts.set(value, count + (counts.get(value) ?? 0));
  return [...counts].map(([value, count]) => ({ value, count }));
}
