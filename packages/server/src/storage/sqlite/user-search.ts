import type { UserStore } from '../port.ts';
import { endOfPrefix } from '../prefix-end.ts';
import type { Connection } from './connection.ts';
import { toUser, USER_COLUMNS, USER_OF_PROFILE } from './user-row.ts';

export function userSearchReads({ statement, rows, snapshot }: Connection): Pick<UserStore, 'page' | 'searchByName'> {
  return {
    // No clientUserId is empty.
    async page(appId, { after, limit, prefix = '' }) {
      const end = prefix === '' ? undefined : endOfPrefix(prefix);
      return rows(
        `select ${USER_COLUMNS} from profiles p join ${USER_OF_PROFILE}
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
        const users = rows(
          `select ${USER_COLUMNS} from profiles p join ${USER_OF_PROFILE}
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
