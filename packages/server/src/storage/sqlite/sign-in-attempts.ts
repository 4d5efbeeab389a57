import type { Allowance } from '../port.ts';
import type { Connection } from './connection.ts';
import { toBytes } from './encoding.ts';

export function attemptActs({ statement }: Connection) {
  return {
    admitAttempt({ subjectHash, everyMs, burst }: Allowance, now: number): boolean {
      const { changes } = statement(
        `insert into sign_in_attempts (subject_hash, due_at) values (?, ?)
         on conflict (subject_hash) do update set due_at = max(due_at, ?) + ? where max(due_at, ?) + ? <= ?`,
      ).run(toBytes(subjectHash), now + everyMs, now, everyMs, now, everyMs, now + burst * everyMs);
      return changes > 0;
    },
    forgetAttempts(subjectHash: string): void {
      statement('delete from sign_in_attempts where subject_hash = ?').run(toBytes(subjectHash));
    },
  };
}
