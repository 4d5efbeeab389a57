import type { UserStore } from '../port.ts';
import { endOfPrefix } from '../prefix-end.ts';
import { type Connections, statement } from './connections.ts';
import { toUser, type UserRow } from './user-row.ts';

const COLUMNS = 'p.user_id, p.app_id, p.client_user_id, p.client_user_name, u.status, u.created_at, u.updated_at';
/** A profile that outlived its user is nobody's. */
const USER_OF_PROFILE =
  'users u on u.user_id = p.user_id and u.app_id = p.app_id and u.client_user_id = p.client_user_id';

const page = (bound: string) => `
  select ${COLUMNS} from profiles p join ${USER_OF_PROFILE}
  where p.app_id = $1 and p.client_user_id > $2 and p.client_user_id >= $3 ${bound}
  order by p.client_user_id limit $4
`;
const PAGE = statement(page(''));
const PAGE_OF_PREFIX = statement(page('and p.client_user_id < $5'));

// One statement, so that what was looked through and what was found in it are of one moment.
const SEARCH_BY_NAME = statement(`
  with batch as materialized (
    select app_id, client_user_id, user_id, client_user_name from profiles
    where app_id = $1 and client_user_id > $2 order by client_user_id limit $5
  ), found as (
    select ${COLUMNS} from batch p join ${USER_OF_PROFILE}
    where strpos(lower(p.client_user_name), lower($3)) > 0
    order by p.client_user_id limit $4
  )
  select bounds.looked_at, bounds.last_looked_at, found.*
  from (select count(*) as looked_at, max(client_user_id) as last_looked_at from batch) bounds left join found on true
  order by found.client_user_id
`);

type FoundRow = { looked_at: number; last_looked_at: string | null } & (UserRow | { user_id: null });

export function userSearch(connections: Connections): Pick<UserStore, 'page' | 'searchByName'> {
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
    async searchByName(appId, { contains, after, limit, scan }) {
      const rows = await connections.read<FoundRow>(SEARCH_BY_NAME, [appId, after ?? '', contains, limit, scan]);
      const users = rows.flatMap((row) => (row.user_id === null ? [] : [toUser(row)]));
      const [first] = rows;
      const lookedThrough = first && first.looked_at === scan ? first.last_looked_at : null;
      return { users, next: users.length === limit ? (users.at(-1)?.clientUserId ?? null) : lookedThrough };
    },
  };
}
