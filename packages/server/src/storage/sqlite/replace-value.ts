import type { ValueReplacement } from '../port.ts';
import type { Connection } from './connection.ts';
import { addEvent } from './events.ts';

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
