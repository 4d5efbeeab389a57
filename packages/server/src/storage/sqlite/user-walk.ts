import { PAGE_BYTES, takePage } from '../../page-bytes.ts';
import { CREATED_DIGITS, createdSpan, endOfPrefix, INDEXED_CHARACTERS, valuesFrom } from '../pages.ts';
import type { UserPlace, UserStore, UserWalk, WalkedUser } from '../port.ts';
import type { Connection } from './connection.ts';
import { hexToUuid, PROFILE_OF_USER, toBytes, toUser, USER_COLUMNS, USER_OF_PROFILE, type UserRow } from './rows.ts';

type Value = string | number | Uint8Array;
type Range = { from: string; values: Value[]; order: string };

/** Smaller than every id and value. */
const START = new Uint8Array(0);

const BEGINNING = `substr(s.value, 1, ${INDEXED_CHARACTERS})`;

/** The index range that a walk reads, starting at a place. */
function rangeOf(appId: number, walk: UserWalk, after: UserPlace | null): Range {
  const user = after === null ? START : toBytes(after.userId);
  switch (walk.by) {
    case 'user':
      return { from: 'users where app_id = ? and user_id > ?', values: [appId, user], order: 'user_id' };
    case 'created': {
      const { first, last } = createdSpan(walk, after);
      return walk.newest
        ? {
            from: 'users where app_id = ? and (created_at, user_id) < (?, ?) and created_at >= ?',
            values: [appId, last, user, first],
            order: 'created_at desc, user_id desc',
          }
        : {
            from: 'users where app_id = ? and (created_at, user_id) > (?, ?) and created_at < ?',
            values: [appId, first, user, last],
            order: 'created_at, user_id',
          };
    }
    case 'one':
      return {
        from: 'users where app_id = ? and user_id = ? and user_id > ?',
        values: [appId, toBytes(walk.userId), user],
        order: 'user_id',
      };
    case 'suspended':
      return {
        from: "users indexed by users_not_active where app_id = ? and user_id > ? and status <> 'active'",
        values: [appId, user],
        order: 'user_id',
      };
    case 'value':
      return {
        from: 'selections where app_id = ? and key_no = ? and value = ? and user_id > ?',
        values: [appId, walk.keyNo, walk.value, user],
        order: 'user_id',
      };
    case 'values':
      // In the order of the values without sorting, as each is looked up in turn (cross join).
      return {
        from: `json_each(?) v cross join selections on app_id = ? and key_no = ? and selections.value = v.value
          and user_id > case when v.value = ? then ? else x'' end`,
        values: [
          JSON.stringify(valuesFrom(walk.values, after?.value)),
          ...[appId, walk.keyNo, after?.value ?? '', user],
        ],
        order: '',
      };
    case 'key':
      return {
        // A place has the beginning of the value: the rest is looked up. Where it changed, users with the same prefix are returned again.
        from: `selections where app_id = ? and key_no = ? and (value, user_id) > (coalesce((
          select s.value from selections s where s.user_id = ? and s.key_no = ? and ${BEGINNING} = ?), ?), ?)`,
        values: [appId, walk.keyNo, user, walk.keyNo, after?.value ?? '', after?.value ?? '', user],
        order: 'selections.value, selections.user_id',
      };
  }
}

/** The statement of a walk, also for a test of its plan. */
export function walkStatement(
  appId: number,
  walk: UserWalk,
  { after, limit, keyNos }: Parameters<UserStore['walk']>[2],
): { sql: string; values: Value[] } {
  const { from, values, order } = rangeOf(appId, walk, after);
  const chosen =
    keyNos.length === 0
      ? 'null'
      : `(select json_group_object(s.key_no, json_array(s.revision, s.value)) from selections s
          where s.user_id = u.user_id and s.key_no in (${keyNos.map(() => '?').join(', ')}))`;
  const value = placeValue(walk);
  // Each is looked up separately (cross join), in the order of the walk.
  const sql = `select lower(hex(w.user_id)), w.value, ${chosen}, ${USER_COLUMNS}
    from (select user_id, ${value} as value from ${from} ${order && `order by ${order}`} limit ?) w
    cross join users u on u.user_id = w.user_id left join ${PROFILE_OF_USER}`;
  return { sql, values: [...keyNos, ...values, limit] };
}

/** The value that a place stores. */
function placeValue({ by }: UserWalk): string {
  if (by === 'created') return `printf('%0${CREATED_DIGITS}d', created_at)`;
  return by === 'key' || by === 'values' ? `substr(selections.value, 1, ${INDEXED_CHARACTERS})` : 'null';
}

export function countStatement(appId: number, walk: UserWalk, atMost: number): { sql: string; values: Value[] } {
  const { from, values } = rangeOf(appId, walk, null);
  return { sql: `select count(*) as n from (select 1 from ${from} limit ?)`, values: [...values, atMost] };
}

/** Skips from value to value through the index. A list begins with [, and \\ sorts after that. */
export const LIST_VALUES = `with recursive list (value) as (
    select min(value) from selections where app_id = ?1 and key_no = ?2 and value >= '[' and value < '\\'
    union all
    select (select min(value) from selections where app_id = ?1 and key_no = ?2 and value > list.value and value < '\\')
    from list where list.value is not null
  ) select value from list where value is not null limit ?3`;

/** Without a profile, its clientUserName is null. */
type WalkRow = [id: string, value: string | null, chosen: string | null, ...UserRow];

/** `after` and `limit` are for WALK: a row without a profile is skipped but counts as walked. */
export function walkReads({ rows, value }: Connection) {
  return {
    walk(...[appId, walk, page]: Parameters<UserStore['walk']>): Awaited<ReturnType<UserStore['walk']>> {
      const { sql, values } = walkStatement(appId, walk, page);
      const users: WalkedUser[] = [];
      let bytes = 0;
      const sizeOf = ([, , chosen]: WalkRow): number => {
        bytes += chosen?.length ?? 0;
        return chosen?.length ?? 0;
      };
      const found = takePage(rows<WalkRow>(sql).iterate(...values), sizeOf);
      let place: UserPlace | null = null;
      for (const [id, value, chosen, ...row] of found) {
        place = { userId: hexToUuid(id), ...(value !== null && { value }) };
        if (row[3] === null) continue;
        users.push({ user: toUser(row), place, selected: chosen === null ? {} : JSON.parse(chosen) });
      }
      return { users, next: found.length < page.limit && bytes < PAGE_BYTES ? null : place };
    },
    countWalk(appId: number, walk: UserWalk, atMost = Number.MAX_SAFE_INTEGER): number {
      const { sql, values } = countStatement(appId, walk, atMost);
      return value(sql, ...values);
    },
    listValues(appId: number, keyNo: number, atMost: number): string[] | undefined {
      const values: string[] = [];
      // On the HTTP thread: a thousand long lists would take seconds to read.
      for (const [value] of rows<[value: string]>(LIST_VALUES).iterate(appId, keyNo, atMost + 1)) {
        if (values.push(value) > atMost || value.length > INDEXED_CHARACTERS) return undefined;
      }
      return values;
    },
    names(...[appId, { after, limit }]: Parameters<UserStore['names']>): [string, string][] {
      return rows<[string, string]>(
        `select client_user_id, client_user_name from profiles where app_id = ? and client_user_id > ?
         order by client_user_id limit ?`,
      ).all(appId, after ?? '', limit);
    },
  };
}

export function userSearchReads({ rows }: Connection): Pick<UserStore, 'page'> {
  return {
    // No clientUserId is empty. SQLite begins at one bound only: with two of them, it would read all users before the prefix.
    async page(appId, { after, limit, prefix = '' }) {
      const end = prefix === '' ? undefined : endOfPrefix(prefix);
      return rows<UserRow>(
        `select ${USER_COLUMNS} from profiles p join ${USER_OF_PROFILE}
         where p.app_id = ?1 and p.client_user_id >= max(?2, ?3) and p.client_user_id <> ?2
         ${end === undefined ? '' : 'and p.client_user_id < ?5'}
         order by p.client_user_id limit ?4`,
      )
        .all(appId, after ?? '', prefix, limit, ...(end === undefined ? [] : [end]))
        .map(toUser);
    },
  };
}
