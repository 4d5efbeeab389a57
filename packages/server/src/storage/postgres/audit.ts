import type { AuditEntry, AuditStore } from '../port.ts';
import { type Connections, statement } from './connections.ts';
import { violation } from './errors.ts';

// An application or user that goes while this runs makes its foreign key refuse; the next try no longer sees it.
const ADD = statement(`
  insert into audit_log (audit_uid, app_id, user_id, at, actor, action, subject, before, after)
  values (
    $1, (select app_id from applications where app_id = $2), (select user_id from users where user_id = $3),
    $4, $5, $6, $7, $8, $9
  )
`);

const LIST = statement(`
  select audit_uid as "auditUid", user_id as "userId", at, actor, action, subject, before, after from audit_log
  where app_id is not distinct from $1 and ($2::uuid is null or audit_uid < $2)
    and ($4::bigint is null or at >= $4) and ($5::bigint is null or at < $5)
    and ($6::text is null or actor = $6) and ($7::text is null or action = $7) and ($8::uuid is null or user_id = $8)
  order by audit_uid desc limit $3
`);

export function auditStore(connections: Connections): AuditStore {
  return {
    async add({ auditUid, appId, userId, at, actor, action, subject, before, after }) {
      for (let tries = 1; ; tries++) {
        try {
          await connections.write(ADD, [auditUid, appId, userId, at, actor, action, subject, before, after]);
          return;
        } catch (error) {
          if (violation(error)?.kind !== 'foreign-key' || tries === 5) throw error;
        }
      }
    },
    list: (appId, { from, to, actor, action, userId }, { before, limit }) =>
      connections.read<AuditEntry>(LIST, [
        ...[appId, before, limit, from ?? null, to ?? null],
        ...[actor ?? null, action ?? null, userId ?? null],
      ]),
  };
}
