import type { LoggedRequest, RequestLogStore } from '../port.ts';
import { conditions } from './conditions.ts';
import type { CommonStore } from './store.ts';

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
