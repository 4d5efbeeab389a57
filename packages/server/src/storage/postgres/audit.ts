import { commonStore } from '../common/stores.ts';
import type { AuditStore, NewAuditEntry } from '../port.ts';
import { bindingOf } from './common.ts';
import { type Connections, type Statement, statement } from './connections.ts';
import { violation } from './errors.ts';

// If an application or user is deleted meanwhile, its foreign key rejects the row; the next attempt no longer sees it.
const insert = (userId: string): string => `
  insert into audit_log (audit_uid, app_id, user_id, at, actor, action, subject, before, after)
  values (
    $1, (select app_id from applications where app_id = $2), ${userId},
    $4, $5, $6, $7, $8, $9
  )
`;
const OF_USER_HERE = '(select user_id from users where user_id = $3)';

// The row stays locked until the transaction ends, so concurrent batches add up.
const ADD_COUNTS = `
  on conflict (audit_uid) do update set after = (
    select json_object_agg(name, coalesce(was.count::bigint, 0) + coalesce(more.count::bigint, 0))
    from json_each_text(audit_log.after::json) was (name, count)
    full join json_each_text(excluded.after::json) more (name, count) using (name)
  )
`;

/** `userId`: an expression for the id of user $3, null if there is no such user. */
export function auditStore(connections: Connections, userId = OF_USER_HERE): AuditStore {
  const add = statement(insert(userId));
  const addCounts = statement(`${insert(userId)} ${ADD_COUNTS}`);
  const write = async (statement: Statement, entry: NewAuditEntry): Promise<void> => {
    const { auditUid, appId, userId, at, actor, action, subject, before, after } = entry;
    for (let tries = 1; ; tries++) {
      try {
        await connections.write(statement, [auditUid, appId, userId, at, actor, action, subject, before, after]);
        return;
      } catch (error) {
        if (violation(error)?.kind !== 'foreign-key' || tries === 5) throw error;
      }
    }
  };
  return {
    ...commonStore('audit', bindingOf(connections)),
    add: (entry) => write(add, entry),
    addCounts: (entry) => write(addCounts, entry),
  };
}
