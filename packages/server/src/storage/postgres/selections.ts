import type { KeySurvey, SelectionEvent, SelectionRecord, SelectionStore, ValueRow } from '../port.ts';
import { type Connections, type SharedRow, type SharedStatement, statement } from './connections.ts';
import { tokenIdToBytes } from './encoding.ts';
import { actsOf, patience } from './gathering.ts';
import { OF_ACCESS_TOKEN } from './tokens.ts';
import { toUser, USER_COLUMNS, type UserRow } from './user-row.ts';

const COLUMNS = `selection_id as "selectionId", key_no as "keyNo", revision, value, language,
    created_at as "createdAt", updated_at as "updatedAt"`;

const LIST = statement(`select ${COLUMNS} from selections where user_id = $1 order by key_no`);

const LIST_OF_TOKEN = statement(`
  select ${USER_COLUMNS}, (
    select coalesce(json_agg(s order by s."keyNo"), '[]')
    from (select ${COLUMNS} from selections where user_id = u.user_id) s
  ) as selections
  from ${OF_ACCESS_TOKEN}
`);

// Replicas' clocks differ a little: within one selection its own count tells the order.
const HISTORY = statement(`
  with page as (
    select selection_id, key_no, at, means, from_value, to_value, event_no from selection_events
    where user_id = $1 and ($4::uuid is null or selection_id = $4)
    order by case when $4::uuid is null then at end desc, selection_id, event_no desc limit $2 offset $3
  )
  select counted.total, page.selection_id as "selectionId", page.key_no as "keyNo", page.at, page.means,
    page.from_value as "fromValue", page.to_value as "toValue"
  from (
    select count(*) as total from selection_events where user_id = $1 and ($4::uuid is null or selection_id = $4)
  ) counted left join page on true
  order by case when $4::uuid is null then page.at end desc, page.selection_id, page.event_no desc
`);

/** What looks at every selection of a key takes seconds among millions: on a connection apart, where nobody waits behind it. */
const SURVEY_MS = 120_000;
const DAY_MS = 86_400_000;
const select = (columns: string, grouping: string): string =>
  `select ${columns}, count(*) as count from selections where app_id = $1 and key_no = $2 ${grouping}`;

// The user is locked first, as whoever deletes the user does: in the other order the two could wait for each other. A
// user that is locked already may be deleted or stay: `together` says so and lets its neighbours pass, `alone` waits for it. Rows go in the order of users and keys for the same reason: two saves of
// the same follow each other. What is replaced is read from the row while it is ours: a row that came in after
// this statement began is not seen by it, but updated all the same. A user's key is in it once (gathering.ts).
const save = (skip: '' | 'skip locked'): string => `
  with ${actsOf({ userId: 'uuid', appId: 'bigint', at: 'bigint', means: 'text', selections: 'json' })}, owned as (
    select a.*, owner.status = 'suspended' and a.means <> 'manage' as refused from acts a, lateral (
      select u.status from users u where u.user_id = a."userId" and u.app_id = a."appId" for key share ${skip}
    ) owner
  ), chosen as materialized (
    select o.no, o."userId", o."appId", o.at, o.means, n.* from owned o, json_to_recordset(o.selections)
      as n ("selectionId" uuid, "keyNo" integer, revision integer, value text, language text)
    where not o.refused
  ), saved as (
    insert into selections (user_id, app_id, created_at, updated_at, last_event, selection_id, key_no, revision, value, language)
    select "userId", "appId", at, at, 1, "selectionId", "keyNo", revision, value, language from chosen
    order by "userId", "keyNo"
    on conflict (user_id, key_no) do update set
      revision = excluded.revision, value = excluded.value, language = excluded.language, updated_at = excluded.updated_at,
      last_event = selections.last_event + 1, previous_value = selections.value
    returning user_id, selection_id, last_event, key_no, previous_value, value, created_at
  ), told as (
    insert into selection_events (user_id, selection_id, event_no, key_no, at, means, from_value, to_value)
    select s.user_id, s.selection_id, s.last_event, s.key_no, c.at, c.means, s.previous_value, s.value
    from saved s join chosen c on c."userId" = s.user_id and c."keyNo" = s.key_no
  )
  select o.no, s.selection_id, s.key_no, s.created_at, o.refused, false as locked
  from owned o left join chosen c using (no) left join saved s on s.user_id = c."userId" and s.key_no = c."keyNo"
`;
const LOCKED = `
  select a.no, null, null, null, null, true from acts a left join owned o using (no), lateral (
    select from users u where u.user_id = a."userId" and u.app_id = a."appId" limit 1
  ) held where o.no is null
`;
const SAVE: SharedStatement = {
  together: statement(`${save('skip locked')} union all ${LOCKED}`),
  alone: statement(save('')),
};

const UNSET = statement(`
  with ${patience('$5')}, owner as (
    select u.user_id from patience, users u where u.user_id = $1 for key share of u
  ), gone as (
    delete from selections s using owner o where s.user_id = o.user_id and s.selection_id = $2
    returning s.user_id, s.selection_id, s.last_event, s.key_no, s.value
  ), told as (
    insert into selection_events (user_id, selection_id, event_no, key_no, at, means, from_value, to_value)
    select user_id, selection_id, last_event + 1, key_no, $3::bigint, $4::text, value, null from gone
  )
  select selection_id from gone
`);

/** One without values: the user is there, and nothing was to be saved. */
type SavedRow = SharedRow & { refused?: boolean } & (
    | { selection_id: string; key_no: number; created_at: number }
    | { key_no: null }
  );

export function selectionStore(connections: Connections): SelectionStore {
  return {
    list: (userId) => connections.read<SelectionRecord>(LIST, [userId]),

    async listOfToken(tokenId, now) {
      type Row = UserRow & { selections: SelectionRecord[] };
      const [row] = await connections.read<Row>(LIST_OF_TOKEN, [tokenIdToBytes(tokenId), now]);
      return row && { ...toUser(row), selections: row.selections };
    },

    async save(appId, userId, selections, { at, means }) {
      const act = { userId, appId, at, means, selections };
      const keys = selections.map(({ keyNo }) => `${userId} ${keyNo}`);
      const rows = await connections.writeWithOthers<SavedRow>(SAVE, act, keys);
      if (rows.length === 0) return { outcome: 'user-gone' };
      if (rows[0]?.refused) return { outcome: 'user-suspended' };
      const saved = new Map(rows.map((row) => [row.key_no, row]));
      const records = selections.map((selection): SelectionRecord => {
        const row = saved.get(selection.keyNo);
        if (!row || row.key_no === null) throw new Error(`Key ${selection.keyNo} was not saved.`);
        return { ...selection, selectionId: row.selection_id, createdAt: row.created_at, updatedAt: at };
      });
      return { outcome: 'saved', records };
    },

    async unset(userId, selectionId, { at, means }) {
      const rows = await connections.writeInTurn(UNSET, [userId, selectionId, at, means], [userId]);
      return rows.length > 0 ? 'unset' : 'unknown';
    },

    async history(userId, { offset, limit }, selectionId) {
      type Row = { total: number } & (SelectionEvent | { selectionId: null });
      const rows = await connections.read<Row>(HISTORY, [userId, limit, offset, selectionId ?? null]);
      const items = rows.flatMap((row) => {
        if (row.selectionId === null) return [];
        const { total: _, ...event } = row;
        return [event];
      });
      return { total: rows[0]?.total ?? 0, items };
    },

    countByValue: (appId, keyNo) =>
      connections.transaction(
        (query) => query<ValueRow>(select('value', 'group by value order by value'), [appId, keyNo]),
        SURVEY_MS,
      ),

    survey: (appId, keyNo, { fromDay, byValue, most }) =>
      connections.transaction(async (query): Promise<KeySurvey> => {
        await query('set transaction isolation level repeatable read, read only');
        const [counted] = await query<{ n: number }>('select count(*) as n from users where app_id = $1', [appId]);
        const value = byValue ? 'value' : 'null as value';
        const days = await query<KeySurvey['days'][number]>(
          select(`${value}, greatest(updated_at / ${DAY_MS}, $3) as day`, 'group by 1, 2 order by 2, 1'),
          [appId, keyNo, fromDay],
        );
        const values = byValue
          ? []
          : await query<ValueRow & { different: number }>(
              `${select('value, count(*) over () as different', 'group by value order by 3 desc, 1')} limit $3`,
              [appId, keyNo, most],
            );
        const common = values.map(({ value, count }) => ({ value, count }));
        return { users: counted?.n ?? 0, days, common, different: values[0]?.different ?? 0 };
      }, SURVEY_MS),
  };
}
