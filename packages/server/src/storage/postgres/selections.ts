import { INDEXED_CHARACTERS, LAST_PLACE, toValuePage, WALK_ROWS } from '../pages.ts';
import type {
  HistoryPlace,
  KeySurvey,
  ListedCounts,
  SelectionEvent,
  SelectionOrigin,
  SelectionRecord,
  SelectionStore,
  ValueRow,
  WantedChange,
} from '../port.ts';
import { type Connections, type SharedRow, type SharedStatement, statement } from './connections.ts';
import { addSelectionEvents } from './events.ts';
import { PROFILE_OF_USER, tokenIdToBytes, toUser, USER_COLUMNS, type UserRow, untilFull } from './rows.ts';
import { actsOf, lockTimeout } from './statement-batcher.ts';
import { OF_ACCESS_TOKEN } from './tokens.ts';

const COLUMNS = `selection_id as "selectionId", key_no as "keyNo", revision, value, language, texts,
    last_event as version, created_at as "createdAt", updated_at as "updatedAt"`;

const LIST = statement(`select ${COLUMNS} from selections where user_id = $1 order by key_no`);

const withSelections = (which: string) => `${USER_COLUMNS}, (
    select coalesce(json_agg(s order by s."keyNo"), '[]')
    from (select ${COLUMNS} from selections where user_id = u.user_id ${which}) s
  ) as selections`;

const LIST_OF_TOKEN = statement(`select ${withSelections('')} from ${OF_ACCESS_TOKEN}`);

const OF_USER = `users u join ${PROFILE_OF_USER} where u.user_id = $1 and u.app_id = $2`;
const LIST_OF_USER = statement(`select ${withSelections('')} from ${OF_USER}`);
const ONE_OF_USER = statement(`select ${withSelections('and key_no = $3')} from ${OF_USER}`);

type OwnerRow = UserRow & { selections: SelectionRecord[] };
const toOwner = (row: OwnerRow | undefined) => row && { ...toUser(row), selections: row.selections };

// Replicas' clocks differ slightly: within one selection, its event number gives the order.
const NEWEST_FIRST = 'case when $4::uuid is null then at end desc, key_no, selection_id desc, event_no desc';
const EVENT_BYTES = 'coalesce(octet_length(from_value), 0) + coalesce(octet_length(to_value), 0)';
const HISTORY = statement(`
  with found as (
    select * from selection_events where user_id = $1 and ($4::uuid is null or selection_id = $4)
    order by ${NEWEST_FIRST} limit $2 offset $3
  ), page as (${untilFull('found', NEWEST_FIRST, EVENT_BYTES)})
  select counted.total, page.selection_id as "selectionId", page.key_no as "keyNo", page.at,
    page.means as "authMethod", page.actor, page.language, page.from_value as "fromValue", page.to_value as "toValue"
  from (
    select count(*) as total from selection_events where user_id = $1 and ($4::uuid is null or selection_id = $4)
  ) counted left join page on true
  order by ${NEWEST_FIRST}
`);

const WALK = statement(`
  with found as (select * from selections where user_id = $1 and key_no > $2 order by key_no limit ${WALK_ROWS}),
    page as (${untilFull('found', 'key_no', 'octet_length(value) + coalesce(octet_length(texts), 0)')})
  select ${COLUMNS}, means as "authMethod", shown_in as "shownIn" from page order by key_no
`);

const WALK_HISTORY = statement(`
  with found as (
    select * from selection_events where user_id = $1 and (selection_id, event_no) < ($2::uuid, $3)
    order by selection_id desc, event_no desc limit ${WALK_ROWS}
  ), page as (${untilFull('found', 'selection_id desc, event_no desc', EVENT_BYTES)})
  select selection_id as "selectionId", event_no as "eventNo", key_no as "keyNo", at,
    means as "authMethod", actor, language, from_value as "fromValue", to_value as "toValue"
  from page order by selection_id desc, event_no desc
`);

/**
 * Reading every selection of a key takes seconds among millions: uses a separate connection, where nothing queues
 * behind it.
 */
const SURVEY_MS = 120_000;
const DAY_MS = 86_400_000;
const select = (columns: string, grouping: string): string =>
  `select ${columns}, count(*) as count from selections where app_id = $1 and key_no = $2 ${grouping}`;

// By the index, a page reads only its own rows; otherwise each page would sort all of them. What is off is a high cost
// to the planner, for which PostgreSQL would compile the statement first (jit), in hundreds of milliseconds.
const IN_ORDER_OF_VALUES = `select ${['jit', 'enable_hashagg', 'enable_sort', 'enable_seqscan', 'enable_bitmapscan'].map((each) => `set_config('${each}', 'off', true)`).join()}`;
const VALUE_PAGE = `
  with found as (
    ${select('value', `and left(value, ${INDEXED_CHARACTERS}) >= left($3::text, ${INDEXED_CHARACTERS}) and value > $3::text`)}
    group by left(value, ${INDEXED_CHARACTERS}), value order by left(value, ${INDEXED_CHARACTERS}), value limit ${WALK_ROWS}
  )
  select value, count from (${untilFull('found', 'value', 'octet_length(value)')}) page order by value`;

// Each value of `held` separately, as JSON text.
const SCALARS = `held cross join lateral (
    select value as scalar where value not like '[%'
    union all
    select each::text collate "C" from json_array_elements(case when value like '[%' then value else '[]' end::json) each
  ) each`;

type CommonRow = ValueRow & { different: number };
const MOST_COMMON = `${select('value, count(*) over () as different', 'group by value order by 3 desc, 1')} limit $3`;
const OTHERS = `
  with held as (${select('value', 'group by value')})
  select scalar as value, sum(count)::bigint as count, count(*) over () as different from ${SCALARS}
  where scalar not in (select json_array_elements_text($3::json)) group by scalar order by 2 desc, 1 limit $4`;

const PERIOD = `case when $3::bigint is null then 0 when updated_at < $3 * ${DAY_MS} then $3 - 1
  else $3 + (updated_at / ${DAY_MS} - $3) / $4::bigint * $4 end`;
type PeriodRow = { day: number; total: number; counted: [place: number, count: number][] };
const PERIODS = `
  with held as materialized (${select(`value, ${PERIOD} as day`, 'group by 1, 2')}),
  counted as (
    select day, place, sum(count)::bigint as count
    from ${SCALARS} join json_array_elements_text($5::json) with ordinality wanted (value, place) on wanted.value = scalar
    group by day, place
  )
  select day, sum(count)::bigint as total,
    coalesce((select json_agg(json_build_array(place - 1, count)) from counted where counted.day = held.day), '[]') as counted
  from held group by day order by day`;

/** Of the table, per statement (256 MB): progress shows, and readers who leave stop the rest. */
const PAGES_AT_ONCE = 32_768;
/** Whether the application has much of the table, which is then read from end to end instead of key by key. */
const EXTENT = `
  select coalesce(pg_relation_size(to_regclass('selections')), 0) / current_setting('block_size')::integer as pages,
    (select count(*) from (select from users where app_id = $1 limit quarter) found) >= quarter as most
  from (select greatest(max(reltuples) / 4, 0)::bigint as quarter from pg_class where oid = to_regclass('users')) known`;
// Open keys ($3) are counted only in all: each user may have another value.
const countListed = (which: string): string => `
  with held as materialized (
    select key_no, case when key_no <> all ($3::integer[]) then value end as value, count(*) as count
    from selections where app_id = $1 and key_no = any ($2::integer[]) ${which} group by 1, 2
  )
  select key_no as "keyNo", null as place, sum(count)::bigint as count from held group by key_no
  union all
  select key_no, place, sum(count)::bigint from (
    select held.key_no, wanted.place, count from ${SCALARS}
    join json_to_recordset($4::json) wanted (key_no integer, value text, place integer)
      on wanted.key_no = held.key_no and wanted.value = scalar
  ) found group by key_no, place`;
const OF_KEYS = countListed('');
const OF_PAGES = countListed(
  "and ctid >= ('(' || $5::bigint || ',0)')::tid and ctid < ('(' || $6::bigint || ',0)')::tid",
);
const LAST_PAGE = 2 ** 32 - 1;
type ListedRow = { keyNo: number; place: number | null; count: number };

const AS_IT_WAS =
  '(selections.value, selections.language, selections.texts) is not distinct from (excluded.value, excluded.language, excluded.texts)';

// The user is locked first, as in a delete: otherwise the two could deadlock. A locked user may be about to be deleted:
// `together` reports that and lets the others pass, `alone` waits. Rows are processed in the order of users and keys
// for the same reason: two saves of the same selections follow each other. The previous value is read from the locked
// row: a row inserted after this statement began is not visible to it, but is updated anyway. Each key of a user occurs
// only once per statement (statement-batcher.ts). If an act expects certain versions, all rows are locked first, in
// that order (`held`), and an act whose expectation fails is left out entirely (`changed`). A row inserted afterwards,
// where none or other texts were expected, rolls back the statement, which is sent again (isConflict). An existing row
// without previous_value is unchanged and gets no history.
const save = (skip: '' | 'skip locked'): string => `
  with ${actsOf({ userId: 'uuid', appId: 'bigint', at: 'bigint', authMethod: 'text', actor: 'text', selections: 'json' })}, owned as (
    select a.*, owner.status = 'suspended' and a."authMethod" <> 'manage' as refused from acts a, lateral (
      select u.status from users u where u.user_id = a."userId" and u.app_id = a."appId" for key share ${skip}
    ) owner
  ), chosen as materialized (
    select o.no, o."userId", o."appId", o.at, o."authMethod", o.actor, n.* from owned o, json_to_recordset(o.selections)
      as n ("selectionId" uuid, "keyNo" integer, revision integer, value text, language text, texts text,
        "shownIn" text, "ownText" boolean, "expectedId" uuid, "expectedVersion" integer, text json)
    where not o.refused
  ), held as materialized (
    select c."userId", c."keyNo", s.* from (
      select * from chosen where (select bool_or("ownText" or "expectedVersion" is not null) from chosen)
      order by "userId", "keyNo"
    ) c, lateral (
      select s.selection_id, s.last_event, s.language, s.texts from selections s
      where s.user_id = c."userId" and s.key_no = c."keyNo" for update
    ) s
  ), expecting as materialized (
    select c.no, c."userId", c."keyNo", h.selection_id is null as is_new, case
      when c."expectedVersion" is null then h.selection_id is null or (h.language = c.language and h.texts is null)
      else coalesce(h.last_event, 0) = c."expectedVersion" and h.selection_id is not distinct from c."expectedId"
    end as met
    from chosen c left join held h using ("userId", "keyNo") where c."ownText" or c."expectedVersion" is not null
  ), changed as materialized (
    select distinct no from expecting where met is not true
  ), saved as (
    insert into selections (user_id, app_id, created_at, updated_at, last_event, selection_id, key_no, revision, value, language, texts,
      means, shown_in)
    select "userId", "appId", at, at, 1, "selectionId", "keyNo", revision, value, language, texts, "authMethod", "shownIn" from chosen
    where no not in (select no from changed)
    order by "userId", "keyNo"
    on conflict (user_id, key_no) do update set
      revision = excluded.revision, value = excluded.value, language = excluded.language, texts = excluded.texts,
      updated_at = excluded.updated_at, means = excluded.means, shown_in = excluded.shown_in,
      last_event = case
        when (excluded.user_id, excluded.key_no) in (select "userId", "keyNo" from expecting where is_new) then null
        when ${AS_IT_WAS} then selections.last_event
        else selections.last_event + 1 end,
      previous_value = case when ${AS_IT_WAS} then null else selections.value end
    returning user_id, app_id, selection_id, last_event, key_no, revision, previous_value, value, created_at
  ), differing as materialized (
    select s.user_id, s.app_id, s.selection_id, s.last_event as event_no, s.key_no, s.revision, s.previous_value, s.value,
      c.at, c."authMethod" as means, c.actor, c.language, c.text
    from saved s join chosen c on c."userId" = s.user_id and c."keyNo" = s.key_no
    where s.previous_value is not null or s.selection_id = c."selectionId"
  ), reported as (
    insert into selection_events (user_id, selection_id, event_no, key_no, at, means, actor, language, from_value, to_value)
    select user_id, selection_id, event_no, key_no, at, means, actor,
      case when text is null then language else text ->> 'language' end,
      case when text is null then previous_value else text ->> 'from' end,
      case when text is null then value else text ->> 'to' end
    from differing
  ), noted as (${addSelectionEvents('selection.saved', 's.at', 'differing')})
  select o.no, s.selection_id, s.key_no, s.created_at, s.last_event, false as locked,
    o.refused, o.no in (select no from changed) as changed
  from owned o left join chosen c using (no) left join saved s on s.user_id = c."userId" and s.key_no = c."keyNo"
`;
const LOCKED = `
  select a.no, null, null, null, null, true, false, false from acts a left join owned o using (no), lateral (
    select from users u where u.user_id = a."userId" and u.app_id = a."appId" limit 1
  ) held where o.no is null
`;
const SAVE: SharedStatement = {
  together: statement(`${save('skip locked')} union all ${LOCKED}`),
  alone: statement(save('')),
};

const unset = (which: string): string => `
  with ${lockTimeout('$6')}, owner as (
    select u.user_id from lock_wait, users u where u.user_id = $1 for key share of u
  ), gone as (
    delete from selections s using owner o where s.user_id = o.user_id and ${which}
    returning s.user_id, s.app_id, s.selection_id, s.last_event + 1 as event_no, s.key_no, s.revision, s.value
  ), reported as (
    insert into selection_events (user_id, selection_id, event_no, key_no, at, means, actor, from_value, to_value)
    select user_id, selection_id, event_no, key_no, $3::bigint, $4::text, $5::text, value, null from gone
  ), noted as (${addSelectionEvents('selection.unset', '$3::bigint', 'gone')})
  select key_no from gone
`;
const UNSET = statement(unset('s.selection_id = $2'));
const UNSET_VERSION = statement(
  unset("s.selection_id = split_part($2, '.', 1)::uuid and s.last_event = split_part($2, '.', 2)::integer"),
);
const UNSET_KEYS = statement(unset('s.key_no = any (array(select json_array_elements_text($2::json)::integer))'));

// Rows in use are left for the next purge, which waits for no one.
const PURGE_HISTORY = statement(`
  with page as materialized (
    select client_user_id, user_id from profiles where app_id = $1 and client_user_id > $2
    order by client_user_id limit $3
  ), old as (
    select e.user_id, e.selection_id, e.event_no from page p join selection_events e on e.user_id = p.user_id
    where e.at < $4 for update of e skip locked
  ), removed as (
    delete from selection_events e using old o
    where e.user_id = o.user_id and e.selection_id = o.selection_id and e.event_no = o.event_no returning 1
  )
  select (select count(*) from removed) as removed, count(*) as users, max(client_user_id) as last from page
`);

/** A row without values: the user exists, and there was nothing to save. */
type SavedRow = SharedRow & { refused: boolean; changed: boolean } & (
    | { selection_id: string; key_no: number; created_at: number; last_event: number }
    | { key_no: null }
  );

/** As the statement reads it. */
function toRow({ expected, ...selection }: WantedChange): object {
  if (expected === undefined) return selection;
  if (expected === 'own-text') return { ...selection, ownText: true };
  return { ...selection, expectedId: expected?.selectionId ?? null, expectedVersion: expected?.version ?? 0 };
}

type Part = { keyNos?: number[]; pages: number[] };

/** The last part is open-ended: the table may have grown, or its size is not known. */
function readPages(count: number): Part[] {
  const begins = Array.from(
    { length: Math.max(Math.ceil(count / PAGES_AT_ONCE), 1) },
    (_, part) => part * PAGES_AT_ONCE,
  );
  return begins.map((begin, part) => ({ pages: [begin, begins[part + 1] ?? LAST_PAGE] }));
}

const toArray = (numbers: readonly number[]): string => `{${numbers.join()}}`;

export function selectionStore(connections: Connections): SelectionStore {
  return {
    ...replaceValueStore(connections),

    list: (userId) => connections.read<SelectionRecord>(LIST, [userId]),

    async listOfToken(tokenId, now) {
      const [row] = await connections.read<OwnerRow>(LIST_OF_TOKEN, [tokenIdToBytes(tokenId), now]);
      return toOwner(row);
    },

    async listOfUser(appId, userId, keyNo) {
      const [row] =
        keyNo === undefined
          ? await connections.read<OwnerRow>(LIST_OF_USER, [userId, appId])
          : await connections.read<OwnerRow>(ONE_OF_USER, [userId, appId, keyNo]);
      return toOwner(row);
    },

    async save(appId, userId, selections, { at, authMethod, by }) {
      const act = { userId, appId, at, authMethod, actor: by?.actor ?? null, selections: selections.map(toRow) };
      const keys = selections.map(({ keyNo }) => `${userId} ${keyNo}`);
      const rows = await connections.writeWithOthers<SavedRow>(SAVE, act, keys);
      if (rows.length === 0) return { outcome: 'user-gone' };
      if (rows[0]?.refused) return { outcome: 'user-suspended' };
      if (rows[0]?.changed) return { outcome: 'changed' };
      const saved = new Map(rows.map((row) => [row.key_no, row]));
      const records = selections.map(({ keyNo, revision, value, language, texts = null }): SelectionRecord => {
        const row = saved.get(keyNo);
        if (!row || row.key_no === null) throw new Error(`Key ${keyNo} was not saved.`);
        const { selection_id: selectionId, created_at: createdAt, last_event: version } = row;
        return { selectionId, keyNo, revision, value, language, texts, version, createdAt, updatedAt: at };
      });
      return { outcome: 'saved', records };
    },

    async unset(userId, selectionId, { at, authMethod, by }, version) {
      const which = version === undefined ? selectionId : `${selectionId}.${version}`;
      const values = [userId, which, at, authMethod, by?.actor ?? null];
      const rows = await connections.writeInTurn(version === undefined ? UNSET : UNSET_VERSION, values, [userId]);
      return rows.length > 0 ? 'unset' : 'unknown';
    },

    async unsetKeys(userId, keyNos, { at, authMethod, by }) {
      const values = [userId, JSON.stringify(keyNos), at, authMethod, by?.actor ?? null];
      const rows = await connections.writeInTurn<{ key_no: number }>(UNSET_KEYS, values, [userId]);
      return rows.map(({ key_no }) => key_no).sort((a, b) => a - b);
    },

    async purgeHistory(appId, { before, after, users }) {
      type Row = { removed: number; users: number; last: string | null };
      const [row] = await connections.write<Row>(PURGE_HISTORY, [appId, after ?? '', users, before]);
      return { removed: row?.removed ?? 0, next: row?.users === users ? row.last : null };
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

    walk: (userId, afterKeyNo) => connections.read<SelectionRecord & SelectionOrigin>(WALK, [userId, afterKeyNo]),

    walkHistory(userId, after) {
      const { selectionId, eventNo } = after ?? LAST_PLACE;
      return connections.read<SelectionEvent & HistoryPlace>(WALK_HISTORY, [userId, selectionId, eventNo]);
    },

    countByValue: (appId, keyNo, after) =>
      connections.transaction(async (query) => {
        await query(IN_ORDER_OF_VALUES);
        return toValuePage(await query<ValueRow>(VALUE_PAGE, [appId, keyNo, after ?? '']));
      }, SURVEY_MS),

    countListed: (appId, keys, { onProgress, signal }) =>
      connections.transaction(
        async (query): Promise<ListedCounts[]> => {
          await query('set transaction isolation level repeatable read, read only');
          const [extent] = await query<{ pages: number; most: boolean }>(EXTENT, [appId]);
          const read = extent?.most
            ? readPages(extent.pages)
            : keys.map(({ keyNo }) => ({ keyNos: [keyNo], pages: [] }));
          const counted = new Map(
            keys.map(({ keyNo, listed }): [number, ListedCounts] => [keyNo, { total: 0, counts: listed.map(() => 0) }]),
          );
          const open = keys.filter(({ listed }) => listed.length === 0).map(({ keyNo }) => keyNo);
          const wanted = JSON.stringify(
            keys.flatMap(({ keyNo, listed }) => listed.map((value, place) => ({ key_no: keyNo, value, place }))),
          );
          for (const [done, { keyNos, pages }] of read.entries()) {
            onProgress(done / read.length);
            const which = keyNos ?? keys.map(({ keyNo }) => keyNo);
            const values = [appId, toArray(which), toArray(open), wanted, ...pages];
            for (const { keyNo, place, count } of await query<ListedRow>(keyNos ? OF_KEYS : OF_PAGES, values)) {
              const of = counted.get(keyNo);
              if (of && place === null) of.total += count;
              else if (of && place !== null) of.counts[place] = (of.counts[place] ?? 0) + count;
            }
          }
          return [...counted.values()];
        },
        SURVEY_MS,
        signal,
      ),

    survey: (appId, keyNo, { fromDay, days, listed, most }, signal) =>
      connections.transaction(
        async (query): Promise<KeySurvey> => {
          await query('set transaction isolation level repeatable read, read only');
          const [counted] = await query<{ n: number }>('select count(*) as n from users where app_id = $1', [appId]);
          const found = listed
            ? await query<CommonRow>(OTHERS, [appId, keyNo, JSON.stringify(listed), most])
            : await query<CommonRow>(MOST_COMMON, [appId, keyNo, most]);
          const common = found.map(({ value, count }) => ({ value, count }));
          const values = listed ? [...listed, ...common.map(({ value }) => value)] : [];
          const rows = await query<PeriodRow>(PERIODS, [appId, keyNo, fromDay, days, JSON.stringify(values)]);
          const periods = rows.map(({ day, total, counted }) => {
            const counts = values.map(() => 0);
            for (const [place, count] of counted) counts[place] = count;
            return { day, total, counts };
          });
          return { users: counted?.n ?? 0, periods, common, different: found[0]?.different ?? 0 };
        },
        SURVEY_MS,
        signal,
      ),
  };
}

// Lock users first, in order, as saves and deletes do. A user being deleted is skipped.
const REPLACE = statement(`
  with chosen as materialized (
    select s.user_id from selections s join users u on u.user_id = s.user_id
    where s.app_id = $1 and s.key_no = $2 and s.value = $3 order by s.user_id limit $4
    for key share of u skip locked
  ), saved as (
    update selections s set value = $5, revision = $6::integer, updated_at = $7::bigint,
      last_event = s.last_event + 1, previous_value = s.value, means = 'manage', shown_in = null
    from chosen c where s.user_id = c.user_id and s.key_no = $2 and s.value = $3
    returning s.user_id, s.app_id, s.selection_id, s.last_event as event_no, s.key_no, s.revision
  ), reported as (
    insert into selection_events (user_id, selection_id, event_no, key_no, at, means, actor, from_value, to_value)
    select user_id, selection_id, event_no, $2::integer, $7::bigint, 'manage', $8::text, $3::text, $5::text from saved
  ), noted as (${addSelectionEvents('selection.saved', '$7::bigint', 'saved')})
  select count(*) as n from saved
`);

function replaceValueStore(connections: Connections): Pick<SelectionStore, 'replaceValue'> {
  return {
    async replaceValue(appId, { keyNo, from, to, revision, limit }, { at, actor }) {
      const values = [appId, keyNo, from, limit, to, revision, at, actor];
      const [row] = await connections.write<{ n: number }>(REPLACE, values);
      return row?.n ?? 0;
    },
  };
}
