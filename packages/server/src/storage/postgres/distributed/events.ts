import type { EventPage, EventStore } from '../../port.ts';
import { type Connections, statement } from '../connections.ts';
import { keptFrom, purgeEvents } from '../events.ts';
import type { Cluster } from './cluster.ts';
import { sum } from './homes.ts';

// The row is locked until an act with an event commits: once we have the lock, all events so far are visible. Later
// ones have larger numbers, even if the node's clock is set back.
const HORIZON = statement(`
  update event_counter set no = greatest(no, (extract(epoch from clock_timestamp()) * 1000000)::bigint) where only_row = 1
  returning no
`);
const COUNT_AFTER = statement(`
  select count(*) as count from (select 1 from events where app_id = $1 and no > $2 limit $3) found
`);
const NEWEST = statement('select last_no as no from event_counter where only_row = 1');

/**
 * Events are stored in homes: those of a user in the user's home, those of a catalog in a home derived from its
 * application. Readers see them in one order, by number.
 */
export function distributedEvents(cluster: Cluster): EventStore {
  const inAllHomes = <T>(read: (events: EventStore) => Promise<T>): Promise<T[]> =>
    cluster.everywhere(({ events }) => read(events));
  const numbers = (send: (connections: Connections) => Promise<{ no: number }[]>): Promise<number[]> =>
    cluster.everywhere(async ({ connections }) => (await send(connections))[0]?.no ?? 0);

  const find: EventStore['find'] = async (appId, nos) =>
    (await inAllHomes((events) => events.find(appId, nos))).flat().sort((a, b) => a.no - b.no);

  return {
    find,
    async read(appId, after, page) {
      const horizon = Math.min(...(await numbers((connections) => connections.write(HORIZON))));
      cluster.readUpTo(horizon);
      const from = after === 'latest' ? horizon : after;
      const parts = await inAllHomes((events) => events.read(appId, from, page));
      return mergeEvents(parts, page.limit);
    },
    async listBack(appId, filter, page) {
      const parts = await inAllHomes((events) => events.listBack(appId, filter, page));
      // Events beyond the end of any home's page are not known yet.
      const end = Math.max(...parts.map(({ next }) => next ?? 0));
      const items = parts
        .flatMap((part) => part.items)
        .filter(({ no }) => no >= end)
        .sort((a, b) => b.no - a.no);
      const shown = items.slice(0, page.limit);
      return { items: shown, next: items.length > shown.length ? (shown.at(-1)?.no ?? null) : end || null };
    },
    async newest() {
      // May not be the newest if a node's clock is behind; followers look anyway.
      return Math.max(...(await numbers((connections) => connections.read(NEWEST))));
    },
    // Numbers are times here, so the events between two of them must be counted.
    async isNear(appId, after, atMost) {
      const counts = await cluster.everywhere(({ connections }) =>
        connections.read<{ count: number }>(COUNT_AFTER, [appId, after, atMost + 1]),
      );
      return sum(counts.map(([row]) => row?.count ?? 0)) <= atMost;
    },
    async newestOf(appIds) {
      const newest = new Map<number, number>();
      for (const part of await inAllHomes((events) => events.newestOf(appIds))) {
        for (const [appId, no] of part) newest.set(appId, Math.max(no, newest.get(appId) ?? 0));
      }
      return newest;
    },
    async purge(appId, before) {
      // One range over the numbers of all homes: events after the first kept one stay in every home.
      const ends = await cluster.everywhere(({ connections }) => keptFrom(connections, appId, before));
      const below = Math.min(...ends);
      return sum(await cluster.everywhere(({ connections }) => purgeEvents(connections, appId, before, below)));
    },
  };
}

function mergeEvents(parts: readonly EventPage[], limit: number): EventPage {
  const expired = parts.flatMap((part) => (part.outcome === 'expired' ? [part.oldest] : []));
  if (expired.length > 0) return { outcome: 'expired', oldest: Math.max(...expired) };
  const pages = parts.flatMap((part) => (part.outcome === 'read' ? [part] : []));
  const upTo = Math.min(...pages.map(({ next }) => next));
  const items = pages
    .flatMap((page) => page.items)
    .filter(({ no }) => no <= upTo)
    .sort((a, b) => a.no - b.no);
  const shown = items.slice(0, limit);
  const isCut = items.length > shown.length;
  const next = isCut ? (shown.at(-1)?.no ?? upTo) : upTo;
  return { outcome: 'read', items: shown, next, more: isCut || pages.some(({ more }) => more) };
}
