import type { Connection } from './connection.ts';
import { toUuid } from './encoding.ts';
import { USER_OF_PROFILE } from './user-row.ts';
import { removeUser } from './users.ts';

export function trialActs(connection: Connection) {
  const { statement, value } = connection;

  return {
    addTrial(appId: number, clientUserId: string, endsAt: number): 'added' | 'application-gone' {
      if (!statement('select 1 from applications where app_id = ?').get(appId)) return 'application-gone';
      statement('insert into trial_users (app_id, client_user_id, ends_at) values (?, ?, ?)').run(
        appId,
        clientUserId,
        endsAt,
      );
      return 'added';
    },
    endTrial(appId: number, clientUserId: string): void {
      const { changes } = statement('delete from trial_users where app_id = ? and client_user_id = ?').run(
        appId,
        clientUserId,
      );
      if (changes === 0) return;
      const id = value<Uint8Array | undefined>(
        `select u.user_id from profiles p join ${USER_OF_PROFILE} where p.app_id = ? and p.client_user_id = ?`,
        ...[appId, clientUserId],
      );
      if (id) removeUser(connection, appId, toUuid(id));
    },
  };
}
