import type { TrialStore } from '../port.ts';
import { DATABASE_NOW } from './clock.ts';
import { type Connections, statement } from './connections.ts';
import { violation } from './errors.ts';
import { addEvents } from './events.ts';
import { USER_OF_PROFILE } from './user-row.ts';

const ADD = statement('insert into trial_users (app_id, client_user_id, ends_at) values ($1, $2, $3)');

/** Deletes records of trials, and the user of each. */
export const endTrials = (which: string): string => `
  with trial as (
    delete from trial_users where ${which} returning app_id, client_user_id
  ), gone as (
    delete from users where user_id in (
      select u.user_id from trial t
      join profiles p on p.app_id = t.app_id and p.client_user_id = t.client_user_id
      join ${USER_OF_PROFILE}
    ) returning user_id, app_id, client_user_id
  ), profile as (
    delete from profiles p using gone g
    where p.app_id = g.app_id and p.client_user_id = g.client_user_id and p.user_id = g.user_id
  ), noted as (${addEvents('user.deleted', DATABASE_NOW, 'gone')})
  select count(*) as count from trial
`;

const END = statement(endTrials('app_id = $1 and client_user_id = $2'));

export function trialStore(connections: Connections): TrialStore {
  return {
    async add(appId, clientUserId, endsAt) {
      try {
        await connections.write(ADD, [appId, clientUserId, endsAt]);
        return 'added';
      } catch (error) {
        if (violation(error)?.kind === 'foreign-key') return 'application-gone';
        throw error;
      }
    },
    async end(appId, clientUserId) {
      await connections.write(END, [appId, clientUserId]);
    },
  };
}
