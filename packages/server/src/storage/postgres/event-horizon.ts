import { setTimeout as sleep } from 'node:timers/promises';
import { type Connections, statement } from './connections.ts';

export const NEWEST = statement('select last_value as no from events_no_seq');

// Read the number first, then the locks. A transaction with a number up to that one has committed or still holds the
// table's lock: an insert takes the lock before its number and releases it after its commit is visible. So nothing up
// to that number can appear once these transactions are gone. Locks of other databases, and transactions that write no
// events, do not matter.
const LOOK = statement(`
  with newest as materialized (select last_value as no from events_no_seq)
  select n.no, coalesce((
    select json_agg(l.virtualtransaction) from pg_locks l
    where n.no is not null and l.granted and l.locktype = 'relation' and l.relation = 'events'::regclass
      and l.database = (select oid from pg_database where datname = current_database())
      and l.mode in ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
  ), '[]') as writers
  from newest n
`);

/** Commits within these milliseconds are worth waiting for; slower ones are read the next time. */
const PAUSES_MS = [1, 2, 4, 8, 16];
/**
 * Maximum snapshots whose writers are still active. Beyond it, a transaction is taking long, and more would not help.
 */
const MAX_LOOKS = 16;

type Look = { no: number; writers: Set<string> };

/**
 * How far events can be read. Transactions take numbers in one order and commit in another: a reader up to the newest
 * number would miss an event that commits later with a smaller number.
 */
export class EventHorizon {
  readonly #connections: Connections;
  readonly #looks: Look[] = [];
  #passed = 0;
  #current: Promise<number> | undefined;
  #next: Promise<number> | undefined;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /**
   * Everything up to the returned number is committed or never will be. Starts after the call: readers share what
   * begins then.
   */
  advance(): Promise<number> {
    if (!this.#current) {
      this.#current = this.#advance().finally(() => (this.#current = undefined));
      return this.#current;
    }
    this.#next ??= this.#current
      .catch(() => 0)
      .then(() => {
        this.#next = undefined;
        return this.advance();
      });
    return this.#next;
  }

  async #advance(): Promise<number> {
    const newest = await this.#look();
    for (const pause of PAUSES_MS) {
      if (this.#passed >= newest) break;
      await sleep(pause);
      await this.#look();
    }
    return this.#passed;
  }

  async #look(): Promise<number> {
    const [row] = await this.#connections.read<{ no: number; writers: string[] }>(LOOK);
    const { no, writers } = row as { no: number; writers: string[] };
    const working = new Set(writers);
    // Numbers went back: this is another server, which did not receive the last of them.
    if (no < this.#passed) this.#passed = this.#looks.length = 0;
    while (this.#looks[0]?.writers.isDisjointFrom(working)) {
      this.#passed = (this.#looks.shift() as Look).no;
    }
    if (working.size === 0) {
      this.#looks.length = 0;
      this.#passed = no;
    } else if (this.#looks.length < MAX_LOOKS && no > (this.#looks.at(-1)?.no ?? this.#passed)) {
      this.#looks.push({ no, writers: working });
    }
    return no;
  }
}
