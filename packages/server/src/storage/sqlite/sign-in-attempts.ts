import { latestDue } from '../latest-due.ts';
import type { Allowance } from '../port.ts';
import type { Connection } from './connection.ts';
import { toBytes } from './encoding.ts';

export function attemptActs({ statement }: Connection) {
  return {
    admitAttempt(allowance: Allowance, now: number): boolean {
      const { subjectHash, everyMs } = allowance;
      const { changes } = statement(
        `insert into sign_in_attempts (subject_hash, due_at) values (?, ?)
         on conflict (subject_hash) do update set due_at = max(due_at, ?) + ? where max(due_at, ?) + ? <= ?`,
      ).run(toBytes(subjectHash), now + everyMs, now, everyMs, now, everyMs, latestDue(allowance, now));
      return changes > 0;
    },
    forgetAttempts(subjectHash: string): void {
      statement('delete from sign_in_attempts where subject_hash = ?').run(toBytes(subjectHash));
    },
  };
}
