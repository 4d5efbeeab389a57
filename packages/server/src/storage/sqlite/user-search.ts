import type { UserStore } from '../port.ts';
import { endOfPrefix } from '../walk-limits.ts';
import type { Connection } from './connection.ts';
import { toUser, USER_COLUMNS, USER_OF_PROFILE, type UserRow } from './user-row.ts';

export function userSearchReads({ rows }: Connection): Pick<UserStore, 'page'> {
  return {
    // No clientUserId is empty.
    async page(appId, { after, limit, prefix = '' }) {
      const end = prefix === '' ? undefined : endOfPrefix(prefix);
      return rows<UserRow>(
        `select ${USER_COLUMNS} from profiles p join ${USER_OF_PROFILE}
         where p.app_id = ? and p.client_user_id > ? and p.client_user_id >= ?
         ${end === undefined ? '' : 'and p.client_user_id < ?'}
         order by p.client_user_id limit ?`,
      )
        .all(appId, after ?? '', prefix, ...(end === undefined ? [] : [end]), limit)
        .map(toUser);
    },
  };
}
