import type { UserStore } from '../port.ts';
import { endOfPrefix } from '../walk-limits.ts';
import { type Connections, statement } from './connections.ts';
import { toUser, type UserRow } from './user-row.ts';

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
