import type { Spending } from '../port.ts';
import type { Connection } from './connection.ts';
import { toBytes } from './encoding.ts';

export function rateLimitActs({ statement }: Connection) {
  return {
    spendAllowances(spendings: readonly Spending[], now: number): number[] {
      const spend = statement(
        `insert into rate_limits (subject_hash, due_at) values (?, ?)
         on conflict (subject_hash) do update set due_at = max(due_at, ?) + ? returning due_at`,
      );
      return spendings.map(
        ({ subjectHash, ms }) => spend.get(toBytes(subjectHash), now + ms, now, ms)?.due_at as number,
      );
    },
  };
}
