import type { ActivityPoint, ActivityStore, Total } from '../port.ts';
import { stepStart } from '../retention.ts';
import { type Connections, statement } from './connections.ts';
import { violation } from './errors.ts';

// In the order of the key, so that replicas that add at the same time follow each other.
const ADD = statement(`
  insert into activity (app_id, step, at, name, count, last_at)
  select n."appId", n.step, n.at, n.name, sum(n.count), max(n."lastAt")
  from json_to_recordset($1::json) as n ("appId" bigint, step text, at bigint, name text, count bigint, "lastAt" bigint)
  where exists (select 1 from applications a where a.app_id = n."appId")
  group by n."appId", n.step, n.name, n.at
  order by n."appId", n.step, n.name, n.at
  on conflict (app_id, step, name, at)
  do update set count = activity.count + excluded.count, last_at = greatest(activity.last_at, excluded.last_at)
`);

const LIST = statement(`
  select at, name, count from activity
  where app_id = $1 and step = $2 and at >= $3 and at < $4 order by at, name collate "C"
`);

const LAST_AT = statement(`
  select last_at from activity where app_id = $1 and step = 'day' and name = $2 order by at desc limit 1
`);

const rows = (table: string): string => `(select count(*) from (select 1 from ${table} where app_id = $1 limit $3) x)`;

const TOTALS = statement(`
  select ${rows('users')} as users, ${rows('selections')} as selections, tokens.live, tokens.seen
  from (
    select count(*) filter (where u.app_id = $1) as live, count(*) as seen
    from (select user_id from access_tokens where expires_at > $2 limit $3) t join users u on u.user_id = t.user_id
  ) tokens
`);

export function activityStore(connections: Connections): ActivityStore {
  return {
    async add(counts) {
      const wide = counts.flatMap((each) =>
        (['hour', 'day'] as const).map((step) => ({ ...each, step, at: stepStart(step, each.lastAt) })),
      );
      for (let tries = 1; ; tries++) {
        try {
          await connections.write(ADD, [JSON.stringify(wide)]);
          return;
        } catch (error) {
          // An application went while this ran: the next try sees that it is gone.
          if (violation(error)?.kind !== 'foreign-key' || tries === 5) throw error;
        }
      }
    },
    list: (appId, { step, from, to }) => connections.read<ActivityPoint>(LIST, [appId, step, from, to]),
    async lastAt(appId, name) {
      const [row] = await connections.read<{ last_at: number }>(LAST_AT, [appId, name]);
      return row?.last_at;
    },
    async totals(appId, now, limit) {
      type Row = { users: number; selections: number; live: number; seen: number };
      const [row] = await connections.read<Row>(TOTALS, [appId, now, limit]);
      const total = (count: number, seen = count): Total => ({ count, more: seen === limit });
      const { users, selections, live, seen } = row as Row;
      return { users: total(users), selections: total(selections), liveTokens: total(live, seen) };
    },
  };
}
