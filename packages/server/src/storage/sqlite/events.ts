import { PAGE_BYTES, takePage } from '../../page-bytes.ts';
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
import { type EventStore, type EventType, type StoredEvent, sizeOfEvent, type UserRecord } from '../port.ts';
import type { Connection } from './connection.ts';
import { toBytes, toUuid } from './rows.ts';

const BATCH = 1000;

/** Nothing is written for an application whose `eventsKept` is 0. */
const INSERT = `insert into events (app_id, type, at, user_id, selection_id, event_no, key_no, revision, data)
  select ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9
  where (select settings ->> '$.eventsKept' from applications where app_id = ?1) is not 0`;

const LIST_BACK = listBackText((position) => `?${position}`);

/**
 * The rows of `events` selected by `which`, in order and one at a time: rows after the last one taken are not read. The
 * user's state is the one before the next change.
 */
const select = (which: string): string => `
  select e.no, e.type, e.at, e.user_id, e.selection_id, e.key_no, e.revision, e.data,
    coalesce(c.client_user_id, p.client_user_id) as clientUserId, coalesce(c.client_user_name, p.client_user_name) as clientUserName,
    coalesce(c.status, u.status) as status, s.means as authMethod, s.actor, s.from_value as fromValue, s.to_value as toValue
  from events e
  left join users u on u.user_id = e.user_id and e.type in (${STATE_TYPES})
  left join profiles p on p.app_id = u.app_id and p.client_user_id = u.client_user_id
  left join user_changes c on c.user_id = u.user_id
    and c.until_no = (select min(until_no) from user_changes where user_id = u.user_id and until_no > e.no)
  left join selection_events s on s.user_id = e.user_id and s.selection_id = e.selection_id and s.event_no = e.event_no
  where e.app_id = ?1 and ${which}
`;

/** Reads only the end of the index for each. */
const NEWEST_OF = `
  select app_id, no from (
    select a.value as app_id, (select max(no) from events where app_id = a.value) as no from json_each(?) a
  ) where no is not null
`;

const READ = select('e.no > ?2 and e.no <= ?3 order by e.no limit ?4');
const READ_TYPES = select(
  'e.no > ?2 and e.no <= ?3 and e.type in (select value from json_each(?5)) order by e.no limit ?4',
);

type Row = Omit<EventRow, 'userId' | 'selectionId' | 'keyNo'> &
  Record<'user_id' | 'selection_id', Uint8Array | null> & { key_no: number | null };

export function eventReads({ statement, rows, value, snapshot }: Connection): Omit<EventStore, 'purge'> {
  const newest = (): number => value<number | undefined>("select seq from sqlite_sequence where name = 'events'") ?? 0;
  const floor = (appId: number): number =>
    value<number | undefined>('select no from event_floors where app_id = ?', appId) ?? 0;
  const toStored = ({ user_id, selection_id, key_no, ...row }: Row): StoredEvent =>
    toEvent({
      ...row,
      keyNo: key_no,
      userId: user_id === null ? null : toUuid(user_id),
      selectionId: selection_id === null ? null : toUuid(selection_id),
    });
  const find = (appId: number, nos: readonly number[]): StoredEvent[] =>
    statement<Row>(select('e.no in (select value from json_each(?2)) order by e.no'))
      .all(appId, JSON.stringify(nos))
      .map(toStored);

  return {
    async read(appId, from, { limit, types }) {
      return snapshot(() => {
        const upTo = newest();
        const oldest = floor(appId);
        const after = from === 'start' ? oldest : from === 'latest' ? upTo : from;
        if (after < oldest) return { outcome: 'expired', oldest };
        const scan = scanLimit(limit, types);
        const scanned = 'select no from events where app_id = ? and no > ? order by no limit 1 offset ?';
        const cutAt = types ? (value<number | undefined>(scanned, appId, after, scan - 1) ?? null) : null;
        const range = [appId, after, cutAt ?? upTo, limit];
        // A parameter, because statements are cached by their text.
        const found = types
          ? statement<Row>(READ_TYPES).iterate(...range, JSON.stringify(types.map(typeNumber)))
          : statement<Row>(READ).iterate(...range);
        const items = takePage(found.map(toStored), sizeOfEvent);
        const isFull = items.reduce((bytes, item) => bytes + sizeOfEvent(item), 0) >= PAGE_BYTES;
        return toPage({ items, after, limit, isFull, cutAt, upTo });
      });
    },
    async find(appId, nos) {
      return find(appId, nos);
    },
    async listBack(appId, filter, { before, limit }) {
      const scan = listBackScan(filter, limit);
      const type = filter.type === undefined ? null : typeNumber(filter.type);
      const user = filter.userId === undefined ? null : toBytes(filter.userId);
      const values = [appId, before ?? Number.MAX_SAFE_INTEGER, scan, type, user, limit];
      const found = statement<ListBackRow>(LIST_BACK).all(...values);
      return toListBack(found, { scan, limit }, async (nos) => find(appId, nos));
    },
    async newest() {
      return newest();
    },
    // The numbers of events have few gaps: their difference is about how many events lie between.
    isNear: async (_, after, atMost) => newest() - after <= atMost,
    async newestOf(appIds) {
      return new Map(rows<[appId: number, no: number]>(NEWEST_OF).all(JSON.stringify(appIds)));
    },
  };
}

type NewEvent = {
  appId: number;
  type: EventType;
  at: number;
  userId?: Uint8Array;
  selection?: { id: Uint8Array; eventNo: number; keyNo: number };
  revision?: number;
  data?: string;
};

/** Returns its number; undefined if events are not kept. */
export function addEvent({ statement }: Connection, event: NewEvent): number | undefined {
  const { appId, type, at, userId = null, selection, revision = null, data = null } = event;
  const { id = null, eventNo = null, keyNo = null } = selection ?? {};
  const { changes, lastInsertRowid } = statement(INSERT).run(
    ...[appId, typeNumber(type), at, userId, id, eventNo, keyNo, revision, data],
  );
  return changes === 0 ? undefined : Number(lastInsertRowid);
}

/** Adds the events of a change to a user, with the user's previous state for earlier events. */
export function addUserChange(
  connection: Connection,
  types: readonly EventType[],
  { appId, userId, at, before }: { appId: number; userId: Uint8Array; at: number; before: StateOfUser },
): void {
  const [first] = types.map((type) => addEvent(connection, { appId, type, at, userId }));
  if (first === undefined) return;
  connection
    .statement(
      `insert into user_changes (user_id, until_no, app_id, client_user_id, client_user_name, status) values (?, ?, ?, ?, ?, ?)`,
    )
    .run(userId, first, appId, before.clientUserId, before.clientUserName, before.status);
}

export type StateOfUser = Pick<UserRecord, 'clientUserId' | 'clientUserName' | 'status'>;

export function eventActs({ statement, rows }: Connection) {
  return {
    /** The first rows in order, up to one to be kept: purged events form a range, whose end is stored. */
    purgeEvents(appId: number, before: number): number {
      const oldest = rows<[no: number, at: number]>(
        `select no, at from events where app_id = ? order by no limit ${BATCH}`,
      ).all(appId);
      const kept = oldest.findIndex(([, at]) => at > before);
      const old = kept === -1 ? oldest : oldest.slice(0, kept);
      const last = old.at(-1)?.[0];
      if (last === undefined) return 0;
      statement('delete from events where app_id = ? and no <= ?').run(appId, last);
      statement('delete from user_changes where app_id = ? and until_no <= ?').run(appId, last);
      statement(
        'insert into event_floors (app_id, no) values (?, ?) on conflict (app_id) do update set no = excluded.no',
      ).run(appId, last);
      return old.length;
    },
  };
}
