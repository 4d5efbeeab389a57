import type { ActivityCount, ActivityPoint, ActivityStep, ActivityStore, Total } from '../port.ts';
import { stepStart } from '../retention.ts';
import type { Connection } from './connection.ts';

const STEPS: readonly ActivityStep[] = ['hour', 'day'];

export function activityReads({ statement, rows, value }: Connection): Omit<ActivityStore, 'add'> {
  const total = (sql: string, limit: number, ...values: number[]): Total => {
    const [count, seen] = rows<[number, number]>(sql).get(...values, limit) as [number, number];
    return { count, more: seen === limit };
  };
  return {
    async list(appId, { step, from, to }) {
      return statement<ActivityPoint>(
        'select at, name, count from activity where app_id = ? and step = ? and at >= ? and at < ? order by at, name',
      ).all(appId, step, from, to);
    },
    async lastAt(appId, name) {
      return value(
        "select last_at from activity where app_id = ? and step = 'day' and name = ? order by at desc limit 1",
        ...[appId, name],
      );
    },
    async totals(appId, now, limit) {
      const rowsOf = (table: string): Total =>
        total(
          `select count(*) as count, count(*) as seen from (select 1 from ${table} where app_id = ? limit ?)`,
          limit,
          appId,
        );
      return {
        users: rowsOf('users'),
        selections: rowsOf('selections'),
        liveTokens: total(
          `select coalesce(sum(u.app_id = ?), 0) as count, count(*) as seen
           from (select user_id from access_tokens where expires_at > ? limit ?) t join users u on u.user_id = t.user_id`,
          limit,
          appId,
          now,
        ),
      };
    },
  };
}

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
