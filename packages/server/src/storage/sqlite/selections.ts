import type { NewSelection, SelectionEvent, SelectionMeans, SelectionRecord, SelectionStore } from '../port.ts';
import type { Connection } from './connection.ts';
import { hexToUuid, toBytes, toUuid } from './encoding.ts';

const COLUMNS = 'selection_id, key_no, revision, value, language, created_at, updated_at';

const LIST = `select lower(hex(selection_id)), key_no, revision, value, language, created_at, updated_at
  from selections where user_id = ? order by key_no`;

const SAVE = `insert into selections (user_id, app_id, ${COLUMNS}, last_event) values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, 1)
  on conflict (user_id, key_no) do update set revision = excluded.revision, value = excluded.value,
    language = excluded.language, updated_at = excluded.updated_at, last_event = last_event + 1, previous_value = value
  returning selection_id, key_no, created_at, last_event, previous_value`;

export function selectionReads({ statement, rows, snapshot }: Connection): Pick<SelectionStore, 'list' | 'history'> {
  return {
    async list(userId) {
      return rows(LIST).all(toBytes(userId)).map(toRecord);
    },
    async history(userId, { offset, limit }, selectionId) {
      return snapshot(() => {
        const of = selectionId === undefined ? [toBytes(userId)] : [toBytes(userId), toBytes(selectionId)];
        const where = selectionId === undefined ? 'user_id = ?' : 'user_id = ? and selection_id = ?';
        // Replicas' clocks differ a little: within one selection its own count tells the order.
        const order = selectionId === undefined ? 'at desc, selection_id, event_no desc' : 'event_no desc';
        const items = statement(
          `select selection_id, key_no, at, means, from_value, to_value from selection_events
           where ${where} order by ${order} limit ? offset ?`,
        )
          .all(...of, limit, offset)
          .map((row) => toEvent(row, toUuid(row.selection_id as Uint8Array)));
        const row = statement(`select count(*) as n from selection_events where ${where}`).get(...of);
        return { total: row?.n as number, items };
      });
    },
  };
}

function toEvent(row: Record<string, unknown>, selectionId: string): SelectionEvent {
  return {
    selectionId,
    keyNo: row.key_no as number,
    at: row.at as number,
    means: row.means as SelectionEvent['means'],
    fromValue: row.from_value as string | null,
    toValue: row.to_value as string | null,
  };
}

/** Of a row of LIST. */
function toRecord([selectionId, keyNo, revision, value, language, createdAt, updatedAt]: unknown[]): SelectionRecord {
  return {
    selectionId: hexToUuid(selectionId as string),
    keyNo: keyNo as number,
    revision: revision as number,
    value: value as string,
    language: language as string | null,
    createdAt: createdAt as number,
    updatedAt: updatedAt as number,
  };
}

type SelectionChange = { at: number; means: SelectionMeans };
/** A selection as its event tells of it. */
type EventSource = { selection_id: Uint8Array; key_no: number; last_event: number };

export function selectionActs({ statement }: Connection) {
  const logEvent = (
    userId: Uint8Array,
    { selection_id, key_no, last_event }: EventSource,
    { at, means }: SelectionChange,
    fromValue: string | null,
    toValue: string | null,
  ): void => {
    statement(
      `insert into selection_events (user_id, selection_id, event_no, key_no, at, means, from_value, to_value)
       values (?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(userId, selection_id, last_event, key_no, at, means, fromValue, toValue);
  };

  const saveOne = (appId: number, userId: Uint8Array, selection: NewSelection, change: SelectionChange) => {
    const { keyNo, revision, value, language } = selection;
    const row = statement(SAVE).get(
      userId,
      appId,
      toBytes(selection.selectionId),
      keyNo,
      revision,
      value,
      language,
      change.at,
    ) as EventSource & { created_at: number; previous_value: string | null };
    logEvent(userId, row, change, row.previous_value, value);
    const selectionId = row.last_event === 1 ? selection.selectionId : toUuid(row.selection_id);
    return { selectionId, keyNo, revision, value, language, createdAt: row.created_at, updatedAt: change.at };
  };

  return {
    saveSelections(
      appId: number,
      userId: string,
      selections: readonly NewSelection[],
      change: SelectionChange,
    ): { outcome: 'saved'; records: SelectionRecord[] } | { outcome: 'user-gone' } {
      const user = toBytes(userId);
      if (!statement('select 1 from users where user_id = ? and app_id = ?').get(user, appId)) {
        return { outcome: 'user-gone' };
      }
      return { outcome: 'saved', records: selections.map((selection) => saveOne(appId, user, selection, change)) };
    },
    unsetSelection(userId: string, selectionId: string, change: SelectionChange): 'unset' | 'unknown' {
      const user = toBytes(userId);
      const row = statement(
        `delete from selections where user_id = ? and selection_id = ?
         returning selection_id, key_no, last_event + 1 as last_event, value`,
      ).get(user, toBytes(selectionId)) as (EventSource & { value: string }) | undefined;
      if (!row) return 'unknown';
      logEvent(user, row, change, row.value, null);
      return 'unset';
    },
  };
}
