import { CLOCK_SLACK_MS, type Spending } from '../port.ts';
import type { Connection } from './connection.ts';
import { toBytes } from './encoding.ts';

export function rateLimitActs({ rows }: Connection) {
  return {
    spendAllowances(spendings: readonly Spending[], now: number): number[] {
      const spend = rows<[ms: number]>(
        `insert into rate_limits (subject_hash, due_at) values (?1, ?2 + min(?3, ?4))
         on conflict (subject_hash) do update set due_at = min(
           case when due_at > ?2 + ?4 + ${CLOCK_SLACK_MS} then ?2 else max(due_at, ?2) end + ?3, ?2 + ?4
         )
         returning due_at - ?2 as ms`,
      );
      return spendings.map(
        ({ subjectHash, ms, windowMs }) => spend.get(toBytes(subjectHash), now, ms, windowMs)?.[0] as number,
      );
    },
  };
}
