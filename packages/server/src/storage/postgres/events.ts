import { setTimeout as sleep } from 'node:timers/promises';
import {
  type EventRow,
  type ListBackRow,
  listBackScan,
  listBackText,
  STATE_TYPES,
  scanLimit,
  toEvent,
  toListBack,
  toPage,
  typeNumber,
} from '../event-rows.ts';
import type { EventStore, EventType, UserRecord } from '../port.ts';
import { type Connections, statement } from './connections.ts';
import { untilFull } from './rows.ts';
import type { Query } from './transactions.ts';

const BATCH = 1000;

/** For the `where` of an insert into events: an application whose `eventsKept` is 0 has none. */
export const keepsEvents = (appId: string): string =>
  `(select a.settings::json ->> 'eventsKept' from applications a where a.app_id = ${appId}) is distinct from '0'`;

/** A CTE that writes one event per row of `from`, which has app_id and user_id. */
export const addEvents = (type: EventType, at: string, from: string): string => `
  insert into events (app_id, type, at, user_id)
  select app_id, ${typeNumber(type)}, ${at}, user_id from ${from} where ${keepsEvents(`${from}.app_id`)}
`;

/** The same for selections: rows also have selection_id, event_no, key_no and revision. */
export const addSelectionEvents = (type: EventType, at: string, from: string): string => `
  insert into events (app_id, type, at, user_id, selection_id, event_no, key_no, revision)
  select s.app_id, ${typeNumber(type)}, ${at}, s.user_id, s.selection_id, s.event_no, s.key_no, s.revision
  from ${from} s where ${keepsEvents('s.app_id')}
`;

const ADD_CHANGES = `
  with entry as materialized (
    select * from json_to_recordset($2::json)
      as e ("userId" uuid, type integer, "clientUserId" text, "clientUserName" text, status text)
  ), noted as (
    insert into events (app_id, type, at, user_id) select $1::bigint, type, $3::bigint, "userId" from entry
    where ${keepsEvents('$1::bigint')} returning no, type, user_id
  )
  insert into user_changes (user_id, until_no, app_id, client_user_id, client_user_name, status)
  select n.user_id, n.no, $1::bigint, e."clientUserId", e."clientUserName", e.status
  from noted n join entry e on e."userId" = n.user_id and e.type = n.type where e.status is not null
`;

export type ChangedUser = {
  userId: string;
  type: EventType;
  /** The user before the change, for earlier events. null: unchanged since the previous event. */
  before: Pick<UserRecord, 'clientUserId' | 'clientUserName' | 'status'> | null;
};

export async function addUserChanges(query: Query, appId: number, at: number, users: ChangedUser[]): Promise<void> {
  const entries = users.map(({ userId, type, before }) => {
    const { clientUserId, clientUserName, status } = before ?? {};
    return { userId, type: typeNumber(type), clientUserId, clientUserName, status };
  });
  await query(ADD_CHANGES, [appId, JSON.stringify(entries), at]);
}

// Each is looked up separately (lateral), by primary key. The user's state is the one before the next change.
const EVENT_DETAILS = `
  select e.no, e.type, e.at, e.user_id as "userId", e.selection_id as "selectionId", e.key_no as "keyNo", e.revision, e.data,
    coalesce(c.client_user_id, u.client_user_id) as "clientUserId", coalesce(c.client_user_name, u.client_user_name) as "clientUserName",
    coalesce(c.status, u.status) as status, s.means as "authMethod", s.actor, s.from_value as "fromValue", s.to_value as "toValue"
  from page e
  left join lateral (
    select u.user_id, u.client_user_id, p.client_user_name, u.status
    from users u join profiles p on p.app_id = u.app_id and p.client_user_id = u.client_user_id
    where e.type in (${STATE_TYPES}) and u.user_id = e.user_id limit 1
  ) u on true
  left join lateral (
    select * from user_changes c where c.user_id = u.user_id and c.until_no > e.no order by c.until_no limit 1
  ) c on true
  left join lateral (
    select * from selection_events s
    where s.user_id = e.user_id and s.selection_id = e.selection_id and s.event_no = e.event_no limit 1
  ) s on true
`;

const READ = statement(`
  with oldest as materialized (
    select coalesce((select no from event_floors where app_id = $1), 0) as no
  ), looked_at as materialized (
    select e.* from events e
    where e.app_id = $1 and e.no > coalesce($2, (select no from oldest)) and e.no <= $3 order by e.no limit $4
  ), page as materialized (
    select * from looked_at where $6::json is null or type in (select json_array_elements_text($6::json)::integer)
    order by no limit $5
  ), reported as (
    ${untilFull(`(${EVENT_DETAILS})`, 'no', 'coalesce(octet_length("fromValue"), 0) + coalesce(octet_length("toValue"), 0)')}
  )
  select o.no as oldest, (select count(*) from page) as paged, (select count(*) from looked_at) as looked_at, (select max(no) from looked_at) as last, reported.*
  from oldest o left join reported on true order by reported.no
`);

const FIND = statement(`
  with page as materialized (
    select * from events where app_id = $1 and no = any (array(select json_array_elements_text($2::json)::bigint))
  )
  ${EVENT_DETAILS} order by e.no
`);

// Reads only the end of the index for each.
const NEWEST_OF = statement(`
  select a.app_id as "appId", n.no from (select json_array_elements_text($1::json)::bigint as app_id) a
  cross join lateral (select e.no from events e where e.app_id = a.app_id order by e.no desc limit 1) n
`);

const PARAMETERS = ['bigint', 'bigint', 'integer', 'integer', 'uuid', 'integer'];
const LIST_BACK = statement(listBackText((position) => `$${position}::${PARAMETERS[position - 1]}`));

// The first rows in order, up to one to be kept: purged events form a range, whose end is stored.
const PURGE = statement(`
  with first as materialized (
    select no, at from events where app_id = $1 order by no limit ${BATCH}
  ), gone as (
    delete from events e using first f where e.app_id = $1 and e.no = f.no and f.no < $3
      and f.no < coalesce((select min(no) from first where at > $2), f.no + 1)
    returning e.no
  ), floor as (
    insert into event_floors (app_id, no) select $1::bigint, max(no) from gone having max(no) is not null
    on conflict (app_id) do update set no = greatest(event_floors.no, excluded.no)
  ), states as (
    delete from user_changes where app_id = $1 and until_no <= (select max(no) from gone)
  )
  select count(*) as count from gone
`);

/** `below`: only those with smaller numbers. */
export async function purgeEvents(
  connections: Connections,
  appId: number,
  before: number,
  below = Number.MAX_SAFE_INTEGER,
): Promise<number> {
  return (await connections.write<{ count: number }>(PURGE, [appId, before, below]))[0]?.count ?? 0;
}

// The number up to which a purge knows what to keep.
const KEPT_FROM = statement(`
  with first as materialized (select no, at from events where app_id = $1 order by no limit ${BATCH})
  select coalesce(min(no) filter (where at > $2), case when count(*) = ${BATCH} then max(no) + 1 end) as no from first
`);

/** The number of the oldest event to keep, within the range of one purge. */
export async function keptFrom(connections: Connections, appId: number, before: number): Promise<number> {
  const [row] = await connections.read<{ no: number | null }>(KEPT_FROM, [appId, before]);
  return row?.no ?? Number.MAX_SAFE_INTEGER;
}

type ReadRow = { oldest: number; paged: number; looked_at: number; last: number | null } & (EventRow | { no: null });

/** `horizon`: how far events can be read. */
export function eventStore(
  connections: Connections,
  horizon: Pick<EventHorizon, 'known' | 'advance'> = new EventHorizon(connections),
): EventStore {
  const find: EventStore['find'] = async (appId, nos) =>
    (await connections.read<EventRow>(FIND, [appId, JSON.stringify(nos)])).map(toEvent);
  const newest = async (): Promise<number> => (await connections.read<{ no: number }>(NEWEST))[0]?.no ?? 0;
  const readUpTo = async (
    upTo: number,
    ...[appId, from, { limit, types }]: Parameters<EventStore['read']>
  ): ReturnType<EventStore['read']> => {
    const given = from === 'start' ? null : from === 'latest' ? upTo : from;
    const scan = scanLimit(limit, types);
    const wanted = types ? JSON.stringify(types.map(typeNumber)) : null;
    const rows = await connections.read<ReadRow>(READ, [appId, given, upTo, scan, limit, wanted]);
    const { oldest = 0, paged = 0, looked_at: lookedAt = 0, last = null } = rows[0] ?? {};
    const after = given ?? oldest;
    if (after < oldest) return { outcome: 'expired', oldest };
    const items = rows.flatMap((row) => (row.no === null ? [] : [toEvent(row)]));
    return toPage({ items, after, limit, isFull: items.length < paged, cutAt: lookedAt < scan ? null : last, upTo });
  };
  return {
    async read(appId, from, options) {
      // A reader that is behind gets its next pages without waiting for the transactions of others.
      const { known } = horizon;
      if (typeof from === 'number' && from < known) {
        const page = await readUpTo(known, appId, from, options);
        if (page.outcome === 'expired' || page.more) return page;
      }
      return readUpTo(await horizon.advance(), appId, from, options);
    },
    find,
    async listBack(appId, filter, { before, limit }) {
      const scan = listBackScan(filter, limit);
      const type = filter.type === undefined ? null : typeNumber(filter.type);
      const values = [appId, before ?? Number.MAX_SAFE_INTEGER, scan, type, filter.userId ?? null, limit];
      const rows = await connections.read<ListBackRow>(LIST_BACK, values);
      return toListBack(rows, { scan, limit }, (nos) => find(appId, nos));
    },
    newest,
    // The numbers of events have few gaps: their difference is about how many events lie between.
    isNear: async (_, after, atMost) => (await newest()) - after <= atMost,
    async newestOf(appIds) {
      const found = await connections.read<{ appId: number; no: number }>(NEWEST_OF, [JSON.stringify(appIds)]);
      return new Map(found.map(({ appId, no }) => [appId, no]));
    },
    purge: (appId, before) => purgeEvents(connections, appId, before),
  };
}

const NEWEST = statement('select last_value as no from events_no_seq');

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
/** What was learned holds for the server that said so; no standby is promoted within this time. */
const KNOWN_MS = 500;

type Look = { no: number; writers: Set<string> };

/**
 * How far events can be read. Transactions take numbers in one order and commit in another: a reader up to the newest
 * number would miss an event that commits later with a smaller number.
 */
class EventHorizon {
  readonly #connections: Connections;
  readonly #looks: Look[] = [];
  #passed = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #current: Promise<number> | undefined;
  #next: Promise<number> | undefined;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /** How far events can be read without looking again; 0 if that is not certain. */
  get known(): number {
    return performance.now() < this.#lookedAt + KNOWN_MS ? this.#passed : 0;
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
    const startedAt = performance.now();
    const [row] = await this.#connections.read<{ no: number; writers: string[] }>(LOOK);
    const { no, writers } = row as { no: number; writers: string[] };
    this.#lookedAt = startedAt;
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
