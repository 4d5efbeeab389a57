import type { ActivityPoint, ActivityStore, Total } from '../port.ts';
import type { CommonStore } from './store.ts';

type Read = 'list' | 'lastAt' | 'totals';

const rowsOf = (table: string): string =>
  `(select count(*) from (select 1 from ${table} where app_id = $1 limit $3) x) as ${table}`;

export const activity: CommonStore<Pick<ActivityStore, Read>, Read> = {
  reads: {
    list: (query, appId, { step, from, to }) =>
      query<ActivityPoint>(
        `select at, name, count from activity
         where app_id = $1 and step = $2 and at >= $3 and at < $4 order by at, name collate "C"`,
        [appId, step, from, to],
      ),
    async lastAt(query, appId, name) {
      const [row] = await query<{ last_at: number }>(
        "select last_at from activity where app_id = $1 and step = 'day' and name = $2 order by at desc limit 1",
        [appId, name],
      );
      return row?.last_at;
    },
    async totals(query, appId, now, limit) {
      type Row = { users: number; selections: number; live: number; seen: number };
      const [row] = await query<Row>(
        `select ${rowsOf('users')}, ${rowsOf('selections')}, tokens.live, tokens.seen
         from (
           select count(case when u.app_id = $1 then 1 end) as live, count(*) as seen
           from (select user_id from access_tokens where expires_at > $2 limit $3) t join users u on u.user_id = t.user_id
         ) tokens`,
        [appId, now, limit],
      );
      const total = (count: number, seen = count): Total => ({ count, more: seen === limit });
      const { users, selections, live, seen } = row as Row;
      return { users: total(users), selections: total(selections), liveTokens: total(live, seen) };
    },
  },
  acts: {},
};
