import { PAGE_BYTES } from '../../page-bytes.ts';
import {
  CREATED_DIGITS,
  createdSpan,
  endOfPrefix,
  INDEXED_CHARACTERS,
  indexedPart,
  QUICK_READ,
  valuesFrom,
} from '../pages.ts';
import type { UserPlace, UserStore, UserWalk, WalkedUser } from '../port.ts';
import { type Connections, statement } from './connections.ts';
import { toUser, type UserRow } from './rows.ts';

/** Over millions of rows: uses a separate connection, where nothing queues behind it. */
const LONG_MS = 120_000;
/** Smaller than every id. */
const START = '00000000-0000-0000-0000-000000000000';
/** Same expression as in the index. */
const INDEXED = `left(value, ${INDEXED_CHARACTERS})`;
const INDEXED_S = `left(s.value, ${INDEXED_CHARACTERS})`;

type Range = { from: string; values: unknown[]; order: string };

/** The index range that a walk reads, starting at a place. */
function rangeOf(appId: number, walk: UserWalk, after: UserPlace | null): Range {
  const user = after?.userId ?? START;
  switch (walk.by) {
    case 'user':
      return { from: 'users where app_id = $1 and user_id > $2', values: [appId, user], order: 'user_id' };
    case 'created': {
      const { first, last } = createdSpan(walk, after);
      return walk.newest
        ? {
            from: 'users where app_id = $1 and (created_at, user_id) < ($2, $3) and created_at >= $4',
            values: [appId, last, user, first],
            order: 'created_at desc, user_id desc',
          }
        : {
            from: 'users where app_id = $1 and (created_at, user_id) > ($2, $3) and created_at < $4',
            values: [appId, first, user, last],
            order: 'created_at, user_id',
          };
    }
    case 'one':
      return {
        from: 'users where app_id = $1 and user_id = $2 and user_id > $3',
        values: [appId, walk.userId, user],
        order: 'user_id',
      };
    case 'suspended':
      return {
        from: "users where app_id = $1 and user_id > $2 and status <> 'active'",
        values: [appId, user],
        order: 'user_id',
      };
    case 'value':
      return {
        from: `selections where app_id = $1 and key_no = $2 and ${INDEXED} = $3 and user_id > $4`,
        values: [appId, walk.keyNo, indexedPart(walk.value), user],
        order: 'user_id',
      };
    case 'values':
      // In the order of the values: each is looked up in turn (lateral), until there are enough.
      return {
        from: `unnest($3::text[]) with ordinality v (value, place), lateral (
          select s.user_id from selections s where s.app_id = $1 and s.key_no = $2 and ${INDEXED_S} = v.value
            and s.user_id > case when v.value = $4 then $5::uuid else '${START}' end
          order by s.user_id limit all
        ) chosen`,
        values: [...[appId, walk.keyNo, valuesFrom(walk.values, after?.value)], ...[after?.value ?? '', user]],
        order: '',
      };
    case 'key':
      return {
        from: `selections where app_id = $1 and key_no = $2 and (${INDEXED}, user_id) > ($3, $4)`,
        values: [appId, walk.keyNo, after?.value ?? '', user],
        order: `${INDEXED}, user_id`,
      };
  }
}

const OF_USER = 'app_id, client_user_id, status, created_at, updated_at';

/** Its rows are users already: no lookup is needed. */
function isThroughUsers({ by }: UserWalk): boolean {
  return by === 'user' || by === 'created' || by === 'one' || by === 'suspended';
}

/** The statement of a walk, also for a test of its plan. */
export function walkStatement(
  appId: number,
  walk: UserWalk,
  { after, limit, keyNos }: Parameters<UserStore['walk']>[2],
): { text: string; values: unknown[] } {
  const { from, values, order } = rangeOf(appId, walk, after);
  const [limited, keys] = [`$${values.length + 1}`, `$${values.length + 2}`];
  const chosen =
    keyNos.length === 0
      ? 'null::json'
      : `(select json_object_agg(s.key_no, json_build_array(s.revision, s.value)) from selections s
          where s.user_id = w.user_id and s.key_no = any (${keys}::int[]))`;
  const value = placeValue(walk);
  // Each is looked up by itself (lateral), in the order of the walk, regardless of the planner's statistics.
  const users = isThroughUsers(walk)
    ? ''
    : `left join lateral (select ${OF_USER} from users where user_id = w.user_id limit 1) u on true`;
  const u = users === '' ? 'w' : 'u';
  const found = `
    select w.user_id, w.value, ${chosen} as chosen, p.app_id, p.client_user_id, p.client_user_name, ${u}.status, ${u}.created_at,
      ${u}.updated_at
    from w ${users} left join lateral (
      select p.app_id, p.client_user_id, p.client_user_name from profiles p
      where p.app_id = ${u}.app_id and p.client_user_id = ${u}.client_user_id limit 1
    ) p on true`;
  // As in untilFull; `walked` tells whether the page was cut.
  const inOrder = orderOf(walk);
  const page = `
    select * from (
      select w.*, count(*) over () as walked,
        coalesce(sum(octet_length(chosen::text)) over (order by ${inOrder} rows between unbounded preceding and 1 preceding), 0) as bytes_before
      from (${found}) w
    ) w where bytes_before < ${PAGE_BYTES}`;
  const text = `
    with w as materialized (
      select user_id, ${value} as value${users === '' ? `, ${OF_USER}` : ''} from ${from} ${order && `order by ${order}`} limit ${limited}
    )
    ${keyNos.length === 0 ? found : page}
    order by ${inOrder}`;
  return { text, values: [...values, limit, ...(keyNos.length === 0 ? [] : [`{${keyNos.join()}}`])] };
}

/** The value that a place stores. */
function placeValue({ by }: UserWalk): string {
  if (by === 'created') return `lpad(created_at::text, ${CREATED_DIGITS}, '0')`;
  return by === 'key' ? INDEXED : by === 'values' ? 'v.value' : 'null';
}

function orderOf(walk: UserWalk): string {
  if (walk.by === 'created' && walk.newest) return 'w.value collate "C" desc, w.user_id desc';
  return walk.by === 'key' || walk.by === 'values' || walk.by === 'created'
    ? 'w.value collate "C", w.user_id'
    : 'w.user_id';
}

export function countStatement(
  appId: number,
  walk: UserWalk,
  atMost: number | undefined,
): { text: string; values: unknown[] } {
  const { from, values } = rangeOf(appId, walk, null);
  const limit = atMost === undefined ? 'all' : String(atMost);
  return { text: `select count(*) as n from (select 1 from ${from} limit ${limit}) counted`, values };
}

/** Skips from value to value through the index. A list begins with [, and \\ sorts after that. */
export const LIST_VALUES = `
  with recursive list as (
    (select ${INDEXED} as value from selections
     where app_id = $1 and key_no = $2 and ${INDEXED} >= '[' and ${INDEXED} < '\\'
     order by ${INDEXED} limit 1)
    union all
    select (
      select ${INDEXED_S} from selections s
      where s.app_id = $1 and s.key_no = $2 and ${INDEXED_S} > list.value and ${INDEXED_S} < '\\'
      order by ${INDEXED_S} limit 1
    ) from list where list.value is not null
  )
  select value from list where value is not null limit $3
`;

const NAMES = `select client_user_id, client_user_name from profiles where app_id = $1 and client_user_id > $2
  order by client_user_id limit $3`;

type WalkedRow = (UserRow | { user_id: string; app_id: null }) & {
  value: string | null;
  chosen: WalkedUser['selected'] | null;
  walked?: number;
};

export function userWalk(connections: Connections): Pick<UserStore, 'walk' | 'countWalk' | 'listValues' | 'names'> {
  const read = <Row extends object>(text: string, values: unknown[], isQuick: boolean): Promise<Row[]> =>
    isQuick
      ? connections.read<Row>(statement(text), values)
      : connections.transaction((query) => query<Row>(text, values), LONG_MS);

  return {
    async walk(appId, walk, page) {
      const { text, values } = walkStatement(appId, walk, page);
      const rows = await read<WalkedRow>(text, values, page.limit <= QUICK_READ);
      const placeOf = ({ user_id, value }: WalkedRow): UserPlace => ({
        userId: user_id,
        ...(value !== null && { value }),
      });
      const last = rows.at(-1);
      return {
        // A row without a profile is skipped but counts as walked.
        users: rows.flatMap((row) =>
          row.app_id === null ? [] : [{ user: toUser(row), place: placeOf(row), selected: row.chosen ?? {} }],
        ),
        next: last && (rows.length === page.limit || rows.length < (last.walked ?? 0)) ? placeOf(last) : null,
      };
    },
    async countWalk(appId, walk, atMost) {
      const { text, values } = countStatement(appId, walk, atMost);
      const [row] = await read<{ n: number }>(text, values, atMost !== undefined);
      return row?.n ?? 0;
    },
    async listValues(appId, keyNo, atMost) {
      const rows = await read<{ value: string }>(LIST_VALUES, [appId, keyNo, atMost + 1], true);
      return rows.length > atMost ? undefined : rows.map(({ value }) => value);
    },
    async names(appId, { after, limit }) {
      type Row = { client_user_id: string; client_user_name: string };
      const rows = await read<Row>(NAMES, [appId, after ?? '', limit], limit <= QUICK_READ);
      return rows.map(({ client_user_id, client_user_name }) => [client_user_id, client_user_name]);
    },
  };
}

const COLUMNS = 'p.user_id, p.app_id, p.client_user_id, p.client_user_name, u.status, u.created_at, u.updated_at';
/**
 * A profile that outlived its user is orphaned. `limit 1` keeps the planner from joining all users before it sorts them: it multiplies
 * the selectivities of the three columns and expects a single row.
 */
const USER_OF_PROFILE = `lateral (
    select u.status, u.created_at, u.updated_at from users u
    where u.user_id = p.user_id and u.app_id = p.app_id and u.client_user_id = p.client_user_id limit 1
  ) u on true`;

export const pageOfUsers = (bound: string) => `
  select ${COLUMNS} from profiles p join ${USER_OF_PROFILE}
  where p.app_id = $1 and p.client_user_id > $2 and p.client_user_id >= $3 ${bound}
  order by p.client_user_id limit $4
`;
const PAGE = statement(pageOfUsers(''));
const PAGE_OF_PREFIX = statement(pageOfUsers('and p.client_user_id < $5'));

export function userSearch(connections: Connections): Pick<UserStore, 'page'> {
  return {
    // No clientUserId is empty.
    async page(appId, { after, limit, prefix = '' }) {
      const end = prefix === '' ? undefined : endOfPrefix(prefix);
      const values = [appId, after ?? '', prefix, limit];
      const rows = await (end === undefined
        ? connections.read<UserRow>(PAGE, values)
        : connections.read<UserRow>(PAGE_OF_PREFIX, [...values, end]));
      return rows.map(toUser);
    },
  };
}
