import type { AuditEntry, AuditStore } from '../port.ts';
import { conditions } from './sql-parts.ts';
import type { CommonStore } from './store.ts';

export const audit: CommonStore<Pick<AuditStore, 'list'>, 'list'> = {
  reads: {
    list(query, appId, { from, to, actor, action, userId }, { before, limit }) {
      const { where, values } = conditions([
        ['app_id is null', appId === null],
        ['app_id = ?', appId],
        ['audit_uid < ?::uuid', before],
        ['at >= ?', from],
        ['at < ?', to],
        ['actor = ?', actor],
        ['action = ?', action],
        ['user_id = ?::uuid', userId],
      ]);
      return query<AuditEntry>(
        `select audit_uid as "auditUid", user_id as "userId", at, actor, action, subject, before, after from audit_log
         where ${where} order by audit_uid desc limit $${values.length + 1}`,
        [...values, limit],
      );
    },
  },
  acts: {},
};
