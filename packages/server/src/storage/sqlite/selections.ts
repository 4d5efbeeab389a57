import type { NewSelection, SelectionEvent, SelectionMeans, SelectionRecord, SelectionStore } from '../port.ts';
import type { Connection } from './connection.ts';
import { hexToUuid, toBytes, toUuid } from './encoding.ts';
import { findOwner } from './tokens.ts';

const COLUMNS = 'selection_id, key_no, revision, value, language, created_at, updated_at';

const LIST = `select lower(hex(selection_id)), key_no, revision, value, language, created_at, updated_at
  from selections where user_id = ? order by key_no`;

const SAVE = `insert into selections (user_id, app_id, ${COLUMNS}, last_event) values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, 1)
  on conflict (user_id, key_no) do update set revision = excluded.revision, value = excluded.value,
    language = excluded.language, updated_at = excluded.updated_at, last_event = last_event + 1, previous_value = value
  returning lower(hex(selection_id)), created_at, last_event, previous_value`;

export function selectionReads(connection: Connection): Pick<SelectionStore, 'list' | 'listOfToken' | 'history'> {
  const { statement, rows, snapshot } = connection;
  const list = (userId: string): SelectionRecord[] => rows(LIST).all(toBytes(userId)).map(toRecord);
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

export function selectionActs({ statement, rows }: Connection) {
  const logEvent = (
    userId: Uint8Array,
    selection: { id: Uint8Array; keyNo: number; eventNo: number },
    { at, means }: SelectionChange,
    fromValue: string | null,
    toValue: string | null,
  ): void => {
    statement(
      `insert into selection_events (user_id, selection_id, event_no, key_no, at, means, from_value, to_value)
       values (?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(userId, selection.id, selection.eventNo, selection.keyNo, at, means, fromValue, toValue);
  };

  const saveOne = (appId: number, userId: Uint8Array, selection: NewSelection, change: SelectionChange) => {
    const { keyNo, revision, value, language } = selection;
    const newId = toBytes(selection.selectionId);
    const row = rows(SAVE).get(userId, appId, newId, keyNo, revision, value, language, change.at);
    const [id, createdAt, eventNo, previousValue] = row as [string, number, number, string | null];
    const isNew = eventNo === 1;
    logEvent(userId, { id: isNew ? newId : toBytes(id), keyNo, eventNo }, change, previousValue, value);
    const selectionId = isNew ? selection.selectionId : hexToUuid(id);
    return { selectionId, keyNo, revision, value, language, createdAt, updatedAt: change.at };
  };

  return {
    saveSelections(
      appId: number,
      userId: string,
      selections: readonly NewSelection[],
      change: SelectionChange,
    ): { outcome: 'saved'; records: SelectionRecord[] } | { outcome: 'user-gone' } | { outcome: 'user-suspended' } {
      const user = toBytes(userId);
      const owner = rows('select status from users where user_id = ? and app_id = ?').get(user, appId);
      if (!owner) return { outcome: 'user-gone' };
      if (owner[0] === 'suspended' && change.means !== 'manage') return { outcome: 'user-suspended' };
      return { outcome: 'saved', records: selections.map((selection) => saveOne(appId, user, selection, change)) };
    },
    unsetSelection(userId: string, selectionId: string, change: SelectionChange): 'unset' | 'unknown' {
      const [user, id] = [toBytes(userId), toBytes(selectionId)];
      const row = rows(
        `delete from selections where user_id = ? and selection_id = ?
         returning key_no, last_event + 1, value`,
      ).get(user, id);
      if (!row) return 'unknown';
      const [keyNo, eventNo, value] = row as [number, number, string];
      logEvent(user, { id, keyNo, eventNo }, change, value, null);
      return 'unset';
    },
  };
}
