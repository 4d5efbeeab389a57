import type { AuditEntry, AuditFilter, AuditStore, NewAuditEntry } from '../port.ts';
import type { Connection } from './connection.ts';
import { toBytes, toUuid } from './encoding.ts';

const COLUMNS = 'audit_uid, user_id, at, actor, action, subject, before, after';
type AuditRow = Omit<AuditEntry, 'auditUid' | 'userId'> & { audit_uid: Uint8Array; user_id: Uint8Array | null };

export function auditReads({ statement }: Connection): Pick<AuditStore, 'list'> {
  return {
    async list(appId, filter, { before, limit }) {
      const { where, values } = conditions(filter);
      const page = before === null ? '' : 'and audit_uid < ?';
      return statement<AuditRow>(
        `select ${COLUMNS} from audit_log where app_id is ? ${page} ${where} order by audit_uid desc limit ?`,
      )
        .all(appId, ...(before === null ? [] : [toBytes(before)]), ...values, limit)
        .map(toEntry);
    },
  };
}

function conditions({ from, to, actor, action, userId }: AuditFilter) {
  const given: [string, string | number | Buffer | undefined][] = [
    ['at >= ?', from],
    ['at < ?', to],
    ['actor = ?', actor],
    ['action = ?', action],
    ['user_id = ?', userId === undefined ? undefined : toBytes(userId)],
  ];
  const used = given.flatMap(([part, value]) => (value === undefined ? [] : [{ part, value }]));
  return { where: used.map(({ part }) => `and ${part}`).join(' '), values: used.map(({ value }) => value) };
}

function toEntry(row: AuditRow): AuditEntry {
  const { at, actor, action, subject, before, after } = row;
  const userId = row.user_id === null ? null : toUuid(row.user_id);
  return { auditUid: toUuid(row.audit_uid), at, actor, action, subject, userId, before, after };
}

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
