import { toBytes, toHex } from '../common/store.ts';
import { type AttemptStore, CLOCK_SLACK_MS, latestDue, type RateLimitStore } from '../port.ts';
import { type Connections, statement } from './connections.ts';
import { lockTimeout } from './statement-batcher.ts';

// In a fixed order, so that replicas that spend for the same subjects cannot deadlock.
const SPEND = statement(`
  insert into rate_limits as t (subject_hash, due_at)
  select s.subject_hash, $3::bigint + least(s.ms, $4::bigint)
  from unnest($1::bytea[], $2::bigint[]) as s (subject_hash, ms) order by s.subject_hash
  on conflict (subject_hash) do update set due_at = least(
    case when t.due_at > $3 + $4 + ${CLOCK_SLACK_MS} then excluded.due_at
      else greatest(t.due_at, $3) + excluded.due_at - $3 end,
    $3 + $4
  )
  returning subject_hash, due_at - $3 as ms
`);

export function rateLimitStore(connections: Connections): RateLimitStore {
  return {
    async spend(spendings, now) {
      const left = new Map<string, number>();
      // One statement per window length: there are only a few.
      for (const [windowMs, group] of Map.groupBy(spendings, (spending) => spending.windowMs)) {
        const rows = await connections.write<{ subject_hash: Buffer; ms: number }>(SPEND, [
          group.map(({ subjectHash }) => toBytes(subjectHash)),
          group.map(({ ms }) => ms),
          now,
          windowMs,
        ]);
        for (const row of rows) left.set(toHex(row.subject_hash), row.ms);
      }
      return spendings.map(({ subjectHash }) => left.get(subjectHash) as number);
    },
  };
}

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
