import { type Allowance, CLOCK_SLACK_MS, latestDue, type Spending } from '../port.ts';
import type { Connection } from './connection.ts';
import { toBytes } from './rows.ts';

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

export function attemptActs({ statement }: Connection) {
  return {
    admitAttempt(allowance: Allowance, now: number): boolean {
      const { subjectHash, everyMs } = allowance;
      const latest = latestDue(allowance, now);
      const row = statement<{ due_at: number }>(
        `insert into sign_in_attempts (subject_hash, due_at) values (?1, ?2 + ?3)
         on conflict (subject_hash) do update set due_at = min(max(due_at, ?2) + ?3, ?4 + 1)
         where max(due_at, ?2) + ?3 <= ?4 or due_at > ?4 + 1
         returning due_at`,
      ).get(toBytes(subjectHash), now, everyMs, latest);
      return row !== undefined && row.due_at <= latest;
    },
    forgetAttempts(subjectHash: string): void {
      statement('delete from sign_in_attempts where subject_hash = ?').run(toBytes(subjectHash));
    },
  };
}
