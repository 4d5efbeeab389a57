import {
  type ActivityCount,
  type ActivityStep,
  type NewAuditEntry,
  type NewLoggedRequest,
  stepStart,
} from '../port.ts';
import type { Connection } from './connection.ts';
import { toBytes, USER_OF_PROFILE } from './rows.ts';

const STEPS: readonly ActivityStep[] = ['hour', 'day'];

export function activityActs({ statement }: Connection) {
  return {
    addActivity(counts: readonly ActivityCount[]): void {
      const exists = statement('select 1 from applications where app_id = ?');
      const add = statement(
        `insert into activity (app_id, step, at, name, count, last_at) values (?, ?, ?, ?, ?, ?)
         on conflict (app_id, step, name, at)
         do update set count = count + excluded.count, last_at = max(last_at, excluded.last_at)`,
      );
      for (const { appId, name, count, lastAt } of counts) {
        if (!exists.get(appId)) continue;
        for (const step of STEPS) add.run(appId, step, stepStart(step, lastAt), name, count, lastAt);
      }
    },
  };
}

const COLUMNS =
  'request_uid, user_id, at, method, route, path, status, code, milliseconds, request_id, address, user_agent, credentials';

export function requestLogActs({ statement, value }: Connection) {
  /** The one user that a request names; undefined if it names none, several, or one that does not exist. */
  const userOf = ({ appId, userId, clientUserId }: NewLoggedRequest): Uint8Array | undefined => {
    const found: (Uint8Array | undefined)[] = [];
    if (userId !== null) {
      found.push(value('select user_id from users where user_id = ? and app_id = ?', toBytes(userId), appId));
    }
    if (clientUserId !== null) {
      const named = `select u.user_id from profiles p join ${USER_OF_PROFILE} where p.app_id = ? and p.client_user_id = ?`;
      found.push(value(named, appId, clientUserId));
    }
    const [first, second = first] = found;
    return first && second && Buffer.compare(first, second) === 0 && !found.includes(undefined) ? first : undefined;
  };

  return {
    addLoggedRequests(requests: readonly NewLoggedRequest[]): void {
      const exists = statement('select 1 from applications where app_id = ?');
      const add = statement(
        `insert into request_log (app_id, ${COLUMNS}, request, answer) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      );
      for (const each of requests) {
        if (!exists.get(each.appId)) continue;
        const user = userOf(each);
        const { path, request, answer } = user ? each.full : each.bare;
        add.run(
          each.appId,
          toBytes(each.requestUid),
          user ?? null,
          each.at,
          each.method,
          each.route,
          path,
          each.status,
          each.code,
          each.milliseconds,
          each.requestId,
          each.address,
          each.userAgent,
          each.credentials,
          request,
          answer,
        );
      }
    },
  };
}

const AUDIT_COLUMNS = 'audit_uid, user_id, at, actor, action, subject, before, after';

export function auditActs({ statement }: Connection) {
  const acts = {
    addAuditEntry(entry: NewAuditEntry): void {
      const { appId, auditUid, at, actor, action, subject, userId, before, after } = entry;
      const user = userId === null ? null : toBytes(userId);
      const isThere = user !== null && statement('select 1 from users where user_id = ?').get(user) !== undefined;
      const application = appId !== null && statement('select 1 from applications where app_id = ?').get(appId);
      statement(`insert into audit_log (app_id, ${AUDIT_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(
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
