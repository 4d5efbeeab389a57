import type { UserStore } from '../port.ts';
import { endOfPrefix } from '../prefix-end.ts';
import type { Connection } from './connection.ts';
import { toUser } from './user-row.ts';

const COLUMNS = 'p.user_id, p.app_id, p.client_user_id, p.client_user_name, u.created_at';
/** A profile that outlived its user is nobody's. */
const USER_OF_PROFILE =
  'users u on u.user_id = p.user_id and u.app_id = p.app_id and u.client_user_id = p.client_user_id';

export function userSearchReads({ statement, snapshot }: Connection): Pick<UserStore, 'page' | 'searchByName'> {
  return {
    // No clientUserId is empty.
    async page(appId, { after, limit, prefix = '' }) {
      const end = prefix === '' ? undefined : endOfPrefix(prefix);
      return statement(
        `select ${COLUMNS} from profiles p join ${USER_OF_PROFILE}
         where p.app_id = ? and p.client_user_id > ? and p.client_user_id >= ?
         ${end === undefined ? '' : 'and p.client_user_id < ?'}
         order by p.client_user_id limit ?`,
      )
        .all(appId, after ?? '', prefix, ...(end === undefined ? [] : [end]), limit)
        .map(toUser);
    },
    async searchByName(appId, { contains, after, limit, scan }) {
      return snapshot(() => {
        const from = after ?? '';
        const last = statement(
          'select client_user_id from profiles where app_id = ? and client_user_id > ? order by client_user_id limit 1 offset ?',
        ).get(appId, from, scan - 1)?.client_user_id as string | undefined;
        const users = statement(
          `select ${COLUMNS} from profiles p join ${USER_OF_PROFILE}
           where p.app_id = ?1 and p.client_user_id > ?2 and (?3 is null or p.client_user_id <= ?3)
             and instr(lower(p.client_user_name), lower(?4)) > 0
           order by p.client_user_id limit ?5`,
        )
          .all(appId, from, last ?? null, contains, limit)
          .map(toUser);
        return { users, next: users.length === limit ? (users.at(-1)?.clientUserId ?? null) : (last ?? null) };
      });
    },
  };
}
