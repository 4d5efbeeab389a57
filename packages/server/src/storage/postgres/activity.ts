import { commonStore } from '../common/stores.ts';
import type { ActivityStore } from '../port.ts';
import { stepStart } from '../retention.ts';
import { bindingOf } from './common.ts';
import { type Connections, statement } from './connections.ts';
import { violation } from './errors.ts';

// In key order, so that concurrent replicas cannot deadlock.
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

export function activityStore(connections: Connections): ActivityStore {
  return {
    ...commonStore('activity', bindingOf(connections)),
    async add(counts) {
      const wide = counts.flatMap((each) =>
        (['hour', 'day'] as const).map((step) => ({ ...each, step, at: stepStart(step, each.lastAt) })),
      );
      for (let tries = 1; ; tries++) {
        try {
          await connections.write(ADD, [JSON.stringify(wide)]);
          return;
        } catch (error) {
          // The application was deleted meanwhile; the next attempt sees that.
          if (violation(error)?.kind !== 'foreign-key' || tries === 5) throw error;
        }
      }
    },
  };
}
