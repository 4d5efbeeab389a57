import type { RateLimitStore } from '../port.ts';
import { type Connections, statement } from './connections.ts';
import { toBytes, toHex } from './encoding.ts';

// In one order everywhere: replicas that tell of the same subjects wait for each other, and never in a circle.
const SPEND = statement(`
  insert into rate_limits as t (subject_hash, due_at)
  select s.subject_hash, $3::bigint + s.ms
  from unnest($1::bytea[], $2::bigint[]) as s (subject_hash, ms) order by s.subject_hash
  on conflict (subject_hash) do update set due_at = greatest(t.due_at, $3) + excluded.due_at - $3
  returning subject_hash, due_at
`);

export function rateLimitStore(connections: Connections): RateLimitStore {
  return {
    async spend(spendings, now) {
      const rows = await connections.write<{ subject_hash: Buffer; due_at: number }>(SPEND, [
        spendings.map(({ subjectHash }) => toBytes(subjectHash)),
        spendings.map(({ ms }) => ms),
        now,
      ]);
      const ends = new Map(rows.map((row) => [toHex(row.subject_hash), row.due_at]));
      return spendings.map(({ subjectHash }) => ends.get(subjectHash) as number);
    },
  };
}
