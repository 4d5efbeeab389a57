import { takePage } from '../../page-bytes.ts';
import { LAST_PLACE, WALK_ROWS } from '../pages.ts';
import type {
  SaveOutcome,
  SelectionAuthMethod,
  SelectionChange,
  SelectionEvent,
  SelectionRecord,
  SelectionStore,
  ValueReplacement,
  WantedChange,
} from '../port.ts';
import type { Connection } from './connection.ts';
import { addEvent } from './events.ts';
import { hexToUuid, toBytes, toUuid } from './rows.ts';
import { findOwner } from './tokens.ts';
import { findUser } from './users.ts';

const COLUMNS = 'selection_id, key_no, revision, value, language, texts, created_at, updated_at';

const LIST = `select lower(hex(selection_id)), key_no, revision, value, language, texts, last_event, created_at, updated_at
  from selections where user_id = ? order by key_no`;
const ONE = LIST.replace('order by key_no', 'and key_no = ?');
type ListRow = [
  ...[selectionId: string, keyNo: number, revision: number, value: string, language: string | null],
  ...[texts: string | null, version: number, createdAt: number, updatedAt: number],
];

const WALK = `select lower(hex(selection_id)), key_no, revision, value, language, texts, last_event, created_at, updated_at, means, shown_in
  from selections where user_id = ? and key_no > ? order by key_no limit ${WALK_ROWS}`;
type WalkRow = [...ListRow, authMethod: SelectionAuthMethod | null, shownIn: string | null];

const EVENT_COLUMNS = 'selection_id, event_no, key_no, at, means as authMethod, actor, language, from_value, to_value';
const EVENT = `select ${EVENT_COLUMNS} from selection_events where user_id = ? and selection_id = ? and event_no = ?`;
const WALK_HISTORY = `select ${EVENT_COLUMNS} from selection_events
  where user_id = ? and (selection_id, event_no) < (?, ?) order by selection_id desc, event_no desc limit ${WALK_ROWS}`;
type EventRow = Pick<SelectionEvent, 'at' | 'authMethod' | 'actor' | 'language'> &
  Record<'from_value' | 'to_value', string | null> & { selection_id: Uint8Array; event_no: number; key_no: number };

/** An existing row without previous_value is unchanged. */
const SAVE = `insert into selections (user_id, app_id, ${COLUMNS}, last_event, means, shown_in)
  values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9, 1, ?10, ?11)
  on conflict (user_id, key_no) do update set revision = excluded.revision, value = excluded.value,
    language = excluded.language, texts = excluded.texts, updated_at = excluded.updated_at,
    means = excluded.means, shown_in = excluded.shown_in,
    last_event = last_event + ((value, language, texts) is not (excluded.value, excluded.language, excluded.texts)),
    previous_value = iif((value, language, texts) is (excluded.value, excluded.language, excluded.texts), null, value)
  returning lower(hex(selection_id)), created_at, last_event, previous_value`;
type SaveRow = [id: string, createdAt: number, version: number, previous: string | null];

/** Changes that are counted and sorted in a millisecond or two. */
const FEW_CHANGES = 2_000;

export function selectionReads(connection: Connection): Pick<
  SelectionStore,
  'list' | 'listOfToken' | 'listOfUser' | 'walk' | 'history' | 'walkHistory'
> & {
  hasLongHistory(userId: string): Promise<boolean>;
} {
  const { statement, rows, value, snapshot } = connection;
  const list = (userId: string): SelectionRecord[] => rows<ListRow>(LIST).all(toBytes(userId)).map(toRecord);
  return {
    async list(userId) {
      return list(userId);
    },
    async listOfToken(tokenId, now) {
      return snapshot(() => {
        const owner = findOwner(connection, tokenId, now);
        return owner && { ...owner, selections: list(owner.userId) };
      });
    },
    async listOfUser(appId, userId, keyNo) {
      return snapshot(() => {
        const user = findUser(connection, appId, userId);
        if (!user) return undefined;
        const found = keyNo === undefined ? list(userId) : rows<ListRow>(ONE).all(toBytes(userId), keyNo).map(toRecord);
        return { ...user, selections: found };
      });
    },
    async history(userId, { offset, limit }, selectionId) {
      return snapshot(() => {
        const user = toBytes(userId);
        const of = selectionId === undefined ? [user] : [user, toBytes(selectionId)];
        const where = selectionId === undefined ? 'user_id = ?' : 'user_id = ? and selection_id = ?';
        // Replicas' clocks differ slightly: within one selection, its event number gives the order.
        const order = selectionId === undefined ? 'at desc, key_no, selection_id desc, event_no desc' : 'event_no desc';
        // Ids first: sorting complete rows would read all of their content.
        const which = rows<[id: Uint8Array, eventNo: number]>(
          `select selection_id, event_no from selection_events where ${where} order by ${order} limit ? offset ?`,
        ).all(...of, limit, offset);
        const items = takePage(
          Iterator.from(which).map((place) => toEvent(statement<EventRow>(EVENT).get(user, ...place) as EventRow)),
          sizeOfEvent,
        );
        return { total: value(`select count(*) as n from selection_events where ${where}`, ...of), items };
      });
    },
    async hasLongHistory(userId) {
      const some = `select 1 from selection_events where user_id = ? limit 1 offset ${FEW_CHANGES}`;
      return statement(some).get(toBytes(userId)) !== undefined;
    },
    async walk(userId, afterKeyNo) {
      const found = rows<WalkRow>(WALK).iterate(toBytes(userId), afterKeyNo);
      return takePage(
        found.map((row) => ({ ...toRecord(row), authMethod: row[9], shownIn: row[10] })),
        ({ value, texts }) => value.length + (texts?.length ?? 0),
      );
    },
    async walkHistory(userId, after) {
      const { selectionId, eventNo } = after ?? LAST_PLACE;
      const found = statement<EventRow>(WALK_HISTORY).iterate(toBytes(userId), toBytes(selectionId), eventNo);
      return takePage(
        found.map((row) => ({ ...toEvent(row), eventNo: row.event_no })),
        sizeOfEvent,
      );
    },
  };
}

function toEvent(row: EventRow): SelectionEvent {
  const { key_no: keyNo, at, authMethod, actor, language, from_value: fromValue, to_value: toValue } = row;
  return { selectionId: toUuid(row.selection_id), keyNo, at, authMethod, actor, language, fromValue, toValue };
}

function sizeOfEvent({ fromValue, toValue }: SelectionEvent): number {
  return (fromValue?.length ?? 0) + (toValue?.length ?? 0);
}

/** From a row of LIST. */
function toRecord(row: ListRow | WalkRow): SelectionRecord {
  const [id, keyNo, revision, value, language, texts, version, createdAt, updatedAt] = row;
  return { selectionId: hexToUuid(id), keyNo, revision, value, language, texts, version, createdAt, updatedAt };
}

type LoggedChange = {
  appId: number;
  id: Uint8Array;
  keyNo: number;
  revision: number;
  eventNo: number;
  language: string | null;
  from: string | null;
  to: string | null;
};

export function selectionActs(connection: Connection) {
  const { statement, rows } = connection;
  const logEvent = (userId: Uint8Array, event: LoggedChange, { at, authMethod, by }: SelectionChange): void => {
    const { appId, id, keyNo, revision, eventNo, language, from, to } = event;
    statement(
      `insert into selection_events (user_id, selection_id, event_no, key_no, at, means, actor, language, from_value, to_value)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(userId, id, eventNo, keyNo, at, authMethod, by?.actor ?? null, language, from, to);
    const type = to === null ? 'selection.unset' : 'selection.saved';
    addEvent(connection, { appId, type, at, userId, selection: { id, eventNo, keyNo }, revision });
  };

  const isAsExpected = (userId: Uint8Array, { keyNo, language, expected }: WantedChange): boolean => {
    if (expected === undefined) return true;
    const row = rows<[id: string, version: number, held: string | null, texts: string | null]>(
      'select lower(hex(selection_id)), last_event, language, texts from selections where user_id = ? and key_no = ?',
    ).get(userId, keyNo);
    if (!row) return expected === null || expected === 'own-text';
    const [id, version, held, texts] = row;
    if (expected === 'own-text') return held === language && texts === null;
    return expected !== null && expected.version === version && expected.selectionId === hexToUuid(id);
  };

  const saveOne = (appId: number, userId: Uint8Array, selection: WantedChange, change: SelectionChange) => {
    const { keyNo, revision, value, language, texts = null, text, shownIn = null } = selection;
    const newId = toBytes(selection.selectionId);
    const what = [newId, keyNo, revision, value, language, texts, change.at, change.authMethod, shownIn];
    const row = rows<SaveRow>(SAVE).get(userId, appId, ...what);
    const [id, createdAt, version, previous] = row as SaveRow;
    const isNew = previous === null && id === selection.selectionId.replaceAll('-', '');
    if (isNew || previous !== null) {
      const event = text ?? { language, from: previous, to: value };
      const which = { appId, id: isNew ? newId : toBytes(id), keyNo, revision, eventNo: version };
      logEvent(userId, { ...which, ...event }, change);
    }
    const selectionId = isNew ? selection.selectionId : hexToUuid(id);
    return { selectionId, keyNo, revision, value, language, texts, version, createdAt, updatedAt: change.at };
  };

  const unset = (
    where: string,
    userId: Uint8Array,
    which: number | Uint8Array,
    change: SelectionChange,
    version: number | null = null,
  ): boolean => {
    const row = rows<[id: string, keyNo: number, eventNo: number, value: string, appId: number, revision: number]>(
      `delete from selections where user_id = ?1 and ${where} = ?2 and (?3 is null or last_event = ?3)
       returning lower(hex(selection_id)), key_no, last_event + 1, value, app_id, revision`,
    ).get(userId, which, version);
    if (!row) return false;
    const [id, keyNo, eventNo, value, appId, revision] = row;
    const event = { appId, id: toBytes(id), keyNo, revision, eventNo };
    logEvent(userId, { ...event, language: null, from: value, to: null }, change);
    return true;
  };

  return {
    saveSelections(
      appId: number,
      userId: string,
      selections: readonly WantedChange[],
      change: SelectionChange,
    ): SaveOutcome {
      const user = toBytes(userId);
      const owner = rows('select status from users where user_id = ? and app_id = ?').get(user, appId);
      if (!owner) return { outcome: 'user-gone' };
      if (owner[0] === 'suspended' && change.authMethod !== 'manage') return { outcome: 'user-suspended' };
      if (!selections.every((selection) => isAsExpected(user, selection))) return { outcome: 'changed' };
      return { outcome: 'saved', records: selections.map((selection) => saveOne(appId, user, selection, change)) };
    },
    unsetSelection(
      userId: string,
      selectionId: string,
      change: SelectionChange,
      version?: number,
    ): 'unset' | 'unknown' {
      return unset('selection_id', toBytes(userId), toBytes(selectionId), change, version) ? 'unset' : 'unknown';
    },
    unsetKeys(userId: string, keyNos: readonly number[], change: SelectionChange): number[] {
      const user = toBytes(userId);
      return keyNos.filter((keyNo) => unset('key_no', user, keyNo, change));
    },
    purgeHistory(
      appId: number,
      { before, after, users }: { before: number; after: string | null; users: number },
    ): { removed: number; next: string | null } {
      const page = statement<{ client_user_id: string; user_id: Uint8Array }>(
        `select client_user_id, user_id from profiles where app_id = ? and client_user_id > ?
         order by client_user_id limit ?`,
      ).all(appId, after ?? '', users);
      const remove = statement('delete from selection_events where user_id = ? and at < ?');
      const removed = page.reduce((sum, { user_id }) => sum + Number(remove.run(user_id, before).changes), 0);
      return { removed, next: page.length === users ? (page.at(-1)?.client_user_id ?? null) : null };
    },
  };
}

type ReplacedRow = [selectionId: Uint8Array, eventNo: number];

export function replaceValueActs(connection: Connection) {
  const { rows, statement } = connection;
  return {
    replaceValue(
      appId: number,
      { keyNo, from, to, revision, limit }: ValueReplacement,
      { at, actor }: { at: number; actor: string | null },
    ): number {
      const found = rows<[userId: Uint8Array]>(
        'select user_id from selections where app_id = ? and key_no = ? and value = ? order by user_id limit ?',
      ).all(appId, keyNo, from, limit);
      for (const [userId] of found) {
        const [id, eventNo] = rows<ReplacedRow>(
          `update selections set value = ?, revision = ?, updated_at = ?, last_event = last_event + 1, previous_value = value,
             means = 'manage', shown_in = null
           where user_id = ? and key_no = ? returning selection_id, last_event`,
        ).get(to, revision, at, userId, keyNo) as ReplacedRow;
        statement(
          `insert into selection_events (user_id, selection_id, event_no, key_no, at, means, actor, from_value, to_value)
           values (?, ?, ?, ?, ?, 'manage', ?, ?, ?)`,
        ).run(userId, id, eventNo, keyNo, at, actor, from, to);
        const selection = { id, eventNo, keyNo };
        addEvent(connection, { appId, type: 'selection.saved', at, userId, selection, revision });
      }
      return found.length;
    },
  };
}
