import type {
  ActivityPoint,
  ActivityStore,
  AuditEntry,
  AuditStore,
  LoggedRequest,
  RequestLogStore,
  Total,
} from '../port.ts';
import { type CommonStore, conditions } from './store.ts';

type Read = 'list' | 'lastAt' | 'totals';

const rowsOf = (table: string): string =>
  `(select count(*) from (select 1 from ${table} where app_id = $1 limit $3) x) as ${table}`;

export const activity: CommonStore<Pick<ActivityStore, Read>, Read> = {
  reads: {
    list: (query, appId, { step, from, to }) =>
      query<ActivityPoint>(
        `select at, name, count from activity
         where app_id = $1 and step = $2 and at >= $3 and at < $4 order by at, name collate "C"`,
        [appId, step, from, to],
      ),
    async lastAt(query, appId, name) {
      const [row] = await query<{ last_at: number }>(
        "select last_at from activity where app_id = $1 and step = 'day' and name = $2 order by at desc limit 1",
        [appId, name],
      );
      return row?.last_at;
    },
    async totals(query, appId, now, limit) {
      type Row = { users: number; selections: number; live: number; seen: number };
      const [row] = await query<Row>(
        `select ${rowsOf('users')}, ${rowsOf('selections')}, tokens.live, tokens.seen
         from (
           select count(case when u.app_id = $1 then 1 end) as live, count(*) as seen
           from (select user_id from access_tokens where expires_at > $2 limit $3) t join users u on u.user_id = t.user_id
         ) tokens`,
        [appId, now, limit],
      );
      const total = (count: number, seen = count): Total => ({ count, more: seen === limit });
      const { users, selections, live, seen } = row as Row;
      return { users: total(users), selections: total(selections), liveTokens: total(live, seen) };
    },
  },
  acts: {},
};

const COLUMNS = `request_uid as "requestUid", user_id as "userId", at, method, route, path, status, code, milliseconds,
  request_id as "requestId", address, user_agent as "userAgent", credentials`;

export const requestLog: CommonStore<Omit<RequestLogStore, 'add'>, 'list' | 'find' | 'count'> = {
  reads: {
    list(query, appId, filter, { before, limit }) {
      const { where, values } = conditions([
        ['app_id = ?', appId],
        ['request_uid < ?::uuid', before],
        ['at >= ?', filter.from],
        ['at < ?', filter.to],
        ['status >= ?', filter.statusFrom],
        ['status <= ?', filter.statusTo],
        ['code = ?', filter.code],
        ['method = ?', filter.method],
        ['substr(path, 1, length(?::text)) = ?::text', filter.pathPrefix],
        ['request_id = ?', filter.requestId],
        ['user_id = ?::uuid', filter.userId],
      ]);
      return query<LoggedRequest>(
        `select ${COLUMNS}, null::text as request, null::text as answer from request_log
         where ${where} order by request_uid desc limit $${values.length + 1}`,
        [...values, limit],
      );
    },
    async find(query, appId, requestUid) {
      const text = `select ${COLUMNS}, request, answer from request_log where app_id = $1 and request_uid = $2::uuid`;
      const [row] = await query<LoggedRequest>(text, [appId, requestUid]);
      return row;
    },
    async count(query, appId, { from, to }) {
      const text = 'select count(*) as count from request_log where app_id = $1 and at >= $2 and at < $3';
      const [row] = await query<{ count: number }>(text, [appId, from, to]);
      return row?.count ?? 0;
    },
  },
  acts: {
    async trim({ query }, appId, keep) {
      await query(
        `delete from request_log where app_id = $1 and request_uid <= (
           select request_uid from request_log where app_id = $1 order by request_uid desc limit 1 offset $2)`,
        [appId, keep],
      );
    },
  },
};

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
