import type { ActivityCount, ActivityStep } from '../port.ts';
import { stepStart } from '../retention.ts';
import type { Connection } from './connection.ts';

const STEPS: readonly ActivityStep[] = ['hour', 'day'];

export function activityActs({ statement }: Connection) {
  return {
    addActivity(counts: readonly ActivityCount[]): void {
      const exists = statement('select 1 from applications where app_id = ?');
      const add = statement(
        `insert into activity (app_id, step, at, name, count, last_at) values (?, ?, ?, ?, ?, ?)
         on conflict (app_id, step, name, at)
         do update set count = count + excluded.count, last_at = max(last_at, excluded.last_at)`,
      );
      for (const { appId, name, count, lastAt } of counts) {
        if (!exists.get(appId)) continue;
        for (const step of STEPS) add.run(appId, step, stepStart(step, lastAt), name, count, lastAt);
      }
    },
  };
}
