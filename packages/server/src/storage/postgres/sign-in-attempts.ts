import { toBytes } from '../common/encoding.ts';
import { latestDue } from '../latest-due.ts';
import type { AttemptStore } from '../port.ts';
import { type Connections, statement } from './connections.ts';
import { lockTimeout } from './statement-batcher.ts';

const ADMIT = statement(`
  with ${lockTimeout('$5')}
  insert into sign_in_attempts as t (subject_hash, due_at) select $1::bytea, $2::bigint + $3::bigint from lock_wait
  on conflict (subject_hash) do update set due_at = least(greatest(t.due_at, $2) + $3, $4::bigint + 1)
  where greatest(t.due_at, $2) + $3 <= $4::bigint or t.due_at > $4 + 1
  returning due_at
`);
const FORGET = statement('delete from sign_in_attempts where subject_hash = $1');

export function attemptStore(connections: Connections): AttemptStore {
  return {
    async admit(allowance, now) {
      const { subjectHash, everyMs } = allowance;
      const latest = latestDue(allowance, now);
      const values = [toBytes(subjectHash), now, everyMs, latest];
      const [row] = await connections.writeInTurn<{ due_at: number }>(ADMIT, values, [subjectHash]);
      return row !== undefined && row.due_at <= latest;
    },
    async forget(subjectHash) {
      await connections.write(FORGET, [toBytes(subjectHash)]);
    },
  };
}
