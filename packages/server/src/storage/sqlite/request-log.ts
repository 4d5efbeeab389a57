import type { LoggedRequest, NewLoggedRequest, RequestFilter, RequestLogStore } from '../port.ts';
import type { Connection } from './connection.ts';
import { toBytes, toUuid } from './encoding.ts';
import { USER_OF_PROFILE } from './user-row.ts';

const COLUMNS =
  'request_uid, user_id, at, method, route, path, status, code, milliseconds, request_id, address, user_agent, credentials';

type LoggedRow = Omit<LoggedRequest, 'requestUid' | 'userId' | 'requestId' | 'userAgent'> &
  Record<'request_id' | 'user_agent', string> & { request_uid: Uint8Array; user_id: Uint8Array | null };

export function requestLogReads({ statement, value }: Connection): Omit<RequestLogStore, 'add' | 'trim'> {
  return {
    async list(appId, filter, { before, limit }) {
      const { where, values } = conditions(filter);
      const page = before === null ? '' : 'and request_uid < ?';
      return statement<LoggedRow>(
        `select ${COLUMNS}, null as request, null as answer from request_log
         where app_id = ? ${page} ${where} order by request_uid desc limit ?`,
      )
        .all(appId, ...(before === null ? [] : [toBytes(before)]), ...values, limit)
        .map(toLogged);
    },
    async find(appId, requestUid) {
      const row = statement<LoggedRow>(
        `select ${COLUMNS}, request, answer from request_log where app_id = ? and request_uid = ?`,
      ).get(appId, toBytes(requestUid));
      return row && toLogged(row);
    },
    async count(appId, { from, to }) {
      return value(
        'select count(*) as n from request_log where app_id = ? and at >= ? and at < ?',
        ...[appId, from, to],
      );
    },
  };
}

function conditions(filter: RequestFilter): { where: string; values: (string | number | Buffer)[] } {
  const parts: string[] = [];
  const values: (string | number | Buffer)[] = [];
  const add = (part: string, value: string | number | Buffer | undefined): void => {
    if (value === undefined) return;
    parts.push(`and ${part}`);
    values.push(value);
  };
  add('at >= ?', filter.from);
  add('at < ?', filter.to);
  add('status >= ?', filter.statusFrom);
  add('status <= ?', filter.statusTo);
  add('code = ?', filter.code);
  add('method = ?', filter.method);
  add('instr(path, ?) = 1', filter.pathPrefix);
  add('request_id = ?', filter.requestId);
  add('user_id = ?', filter.userId === undefined ? undefined : toBytes(filter.userId));
  return { where: parts.join(' '), values };
}

function toLogged(row: LoggedRow): LoggedRequest {
  return {
    requestUid: toUuid(row.request_uid),
    userId: row.user_id === null ? null : toUuid(row.user_id),
    at: row.at,
    method: row.method,
    route: row.route,
    path: row.path,
    status: row.status,
    code: row.code,
    milliseconds: row.milliseconds,
    requestId: row.request_id,
    address: row.address,
    userAgent: row.user_agent,
    credentials: row.credentials,
    request: row.request,
    answer: row.answer,
  };
}

export function requestLogActs({ statement, value }: Connection) {
  /** The one user that a request names; undefined where it names nobody, several, or one who is not there. */
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
    trimLoggedRequests(appId: number, keep: number): void {
      const oldest = value<Uint8Array | undefined>(
        'select request_uid from request_log where app_id = ? order by request_uid desc limit 1 offset ?',
        ...[appId, keep],
      );
      if (!oldest) return;
      statement('delete from request_log where app_id = ? and request_uid <= ?').run(appId, oldest);
    },
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
