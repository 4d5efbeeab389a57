import type { NewAuditEntry } from '../port.ts';
import type { Connection } from './connection.ts';
import { toBytes } from './rows.ts';

const COLUMNS = 'audit_uid, user_id, at, actor, action, subject, before, after';
export function auditActs({ statement }: Connection) {
  const acts = {
    addAuditEntry(entry: NewAuditEntry): void {
      const { appId, auditUid, at, actor, action, subject, userId, before, after } = entry;
      const user = userId === null ? null : toBytes(userId);
      const isThere = user !== null && statement('select 1 from users where user_id = ?').get(user) !== undefined;
      const application = appId !== null && statement('select 1 from applications where app_id = ?').get(appId);
      statement(`insert into audit_log (app_id, ${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(
        application ? appId : null,
        toBytes(auditUid),
        isThere ? user : null,
        at,
        actor,
        action,
        subject,
        before,
        after,
      );
    },
    addAuditCounts(entry: NewAuditEntry): void {
      const uid = toBytes(entry.auditUid);
      const there = statement<{ after: string }>('select after from audit_log where audit_uid = ?').get(uid);
      if (!there) {
        acts.addAuditEntry(entry);
        return;
      }
      const counts = JSON.parse(there.after) as Record<string, number>;
      for (const [name, count] of Object.entries(JSON.parse(entry.after as string) as Record<string, number>)) {
        counts[name] = (counts[name] ?? 0) + count;
      }
      statement('update audit_log set after = ? where audit_uid = ?').run(JSON.stringify(counts), uid);
    },
  };
  return acts;
}
