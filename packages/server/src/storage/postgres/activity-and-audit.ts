import { commonStore } from '../common/stores.ts';
import { type ActivityStore, type AuditStore, type NewAuditEntry, type RequestLogStore, stepStart } from '../port.ts';
import { bindingOf } from './common.ts';
import { type Connections, type Statement, statement } from './connections.ts';
import { isOutcomeUnknown, violation } from './errors.ts';
import { USER_OF_PROFILE } from './rows.ts';
import { lockTimeout } from './statement-batcher.ts';

// In key order, so that concurrent replicas cannot deadlock.
const ADD_COUNTS = statement(`
  insert into activity (app_id, step, at, name, count, last_at)
  select n."appId", n.step, n.at, n.name, sum(n.count), max(n."lastAt")
  from json_to_recordset($1::json) as n ("appId" bigint, step text, at bigint, name text, count bigint, "lastAt" bigint)
  where exists (select 1 from applications a where a.app_id = n."appId")
  group by n."appId", n.step, n.name, n.at
  order by n."appId", n.step, n.name, n.at
  on conflict (app_id, step, name, at)
  do update set count = activity.count + excluded.count, last_at = greatest(activity.last_at, excluded.last_at)
`);

export function activityStore(connections: Connections): ActivityStore {
  return {
    ...commonStore('activity', bindingOf(connections)),
    async add(counts) {
      const wide = counts.flatMap((each) =>
        (['hour', 'day'] as const).map((step) => ({ ...each, step, at: stepStart(step, each.lastAt) })),
      );
      for (let tries = 1; ; tries++) {
        try {
          await connections.write(ADD_COUNTS, [JSON.stringify(wide)]);
          return;
        } catch (error) {
          // They may have been added: statistics are better lost than counted twice.
          if (isOutcomeUnknown(error)) return;
          // The application was deleted meanwhile; the next attempt sees that.
          if (violation(error)?.kind !== 'foreign-key' || tries === 5) throw error;
        }
      }
    },
  };
}

// A request that names a user is stored in full only if everything it names is one existing user. If that user is being
// deleted, the foreign key rejects the statement; the next attempt no longer sees the user.
const ADD_REQUESTS = statement(`
  with ${lockTimeout('$2')}, new as (
    select n.* from lock_wait, json_to_recordset($1::json) as n (
      "appId" bigint, "requestUid" uuid, "userId" uuid, "clientUserId" text, at bigint, method text, route text,
      status integer, code text, milliseconds double precision, "requestId" text, address text, "userAgent" text, credentials text,
      "fullPath" text, "fullRequest" text, "fullAnswer" text, "barePath" text, "bareRequest" text, "bareAnswer" text
    )
    where exists (select 1 from applications a where a.app_id = n."appId")
  ), named as (
    select n.*, i.user_id as by_id, c.user_id as by_name
    from new n
    left join users i on i.user_id = n."userId" and i.app_id = n."appId"
    left join (
      select p.app_id, p.client_user_id, u.user_id from profiles p join ${USER_OF_PROFILE}
    ) c on c.app_id = n."appId" and c.client_user_id = n."clientUserId"
  ), decided as (
    select *, case
      when "userId" is not null and "clientUserId" is not null then case when by_id = by_name then by_id end
      else coalesce(by_id, by_name) end as user_id
    from named
  )
  insert into request_log (app_id, request_uid, user_id, at, method, route, path, status, code, milliseconds,
    request_id, address, user_agent, credentials, request, answer)
  select "appId", "requestUid", user_id, at, method, route,
    case when user_id is null then "barePath" else "fullPath" end,
    status, code, milliseconds, "requestId", address, "userAgent", credentials,
    case when user_id is null then "bareRequest" else "fullRequest" end,
    case when user_id is null then "bareAnswer" else "fullAnswer" end
  from decided
`);

export function requestLogStore(connections: Connections): RequestLogStore {
  return {
    ...commonStore('requestLog', bindingOf(connections)),
    async add(requests) {
      const wide = requests.map(({ full, bare, ...facts }) => ({
        ...facts,
        ...{ fullPath: full.path, fullRequest: full.request, fullAnswer: full.answer },
        ...{ barePath: bare.path, bareRequest: bare.request, bareAnswer: bare.answer },
      }));
      for (let tries = 1; ; tries++) {
        try {
          await connections.writeInTurn(ADD_REQUESTS, [JSON.stringify(wide)], ['all of them']);
          return;
        } catch (error) {
          if (violation(error)?.kind !== 'foreign-key' || tries === 5) throw error;
        }
      }
    },
  };
}

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
const ADD_AUDIT_COUNTS = `
  on conflict (audit_uid) do update set after = (
    select json_object_agg(name, coalesce(was.count::bigint, 0) + coalesce(more.count::bigint, 0))
    from json_each_text(audit_log.after::json) was (name, count)
    full join json_each_text(excluded.after::json) more (name, count) using (name)
  )
`;

/** `userId`: an expression for the id of user $3, null if there is no such user. */
export function auditStore(connections: Connections, userId = OF_USER_HERE): AuditStore {
  const add = statement(insert(userId));
  const addCounts = statement(`${insert(userId)} ${ADD_AUDIT_COUNTS}`);
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
