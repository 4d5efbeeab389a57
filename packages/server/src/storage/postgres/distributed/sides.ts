import type { Query, Transactions } from '../transactions.ts';
import type { Homes } from './homes.ts';

/** Leaves one of the four connections for the transaction that began them. */
const SIDES = 3;

/** One of several transactions side by side, and the homes that it reads or writes. */
export type Side = { query: Query; homes: number[] };

/** So that several workers do something at the same time: Citus reads and writes one home at a time in a transaction. */
export class Sides {
  readonly homes: Homes;
  readonly all: readonly Side[];

  /** With one query, all homes are in one transaction. */
  constructor(homes: Homes, queries: readonly Query[]) {
    this.homes = homes;
    this.all = queries.map((query, side) => ({
      query: oneByOne(query),
      homes: homes.all.filter((home) => home % queries.length === side),
    }));
  }

  of(home: number): Query {
    return (this.all[home % this.all.length] as Side).query;
  }

  /** Waits for all sides, also if one fails: nothing may be sent in a transaction that is being rolled back. */
  async each(work: (side: Side) => Promise<unknown>): Promise<void> {
    await whenAllEnded(this.all.map(work));
  }
}

export async function whenAllEnded<T>(works: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(works);
  return Promise.all(works);
}

/** The last one that began is the first to commit; if one fails, those that have not committed are rolled back. */
export async function sideBySide<T>(
  transactions: Transactions,
  statementMs: number,
  work: (queries: Query[]) => Promise<T>,
  queries: Query[] = [],
): Promise<T> {
  if (queries.length === SIDES) return work(queries);
  const next = (query: Query): Promise<T> => sideBySide(transactions, statementMs, work, [...queries, query]);
  return transactions.run(next, statementMs, undefined, false);
}

/** A statement waits for those before it, and fails with the first one that failed. */
function oneByOne(query: Query): Query {
  let last: Promise<unknown> = Promise.resolve();
  return (text, values) => {
    const sent = last.then(() => query(text, values));
    sent.catch(() => {});
    last = sent;
    return sent as never;
  };
}
