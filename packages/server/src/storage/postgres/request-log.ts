import type { LoggedRequest, RequestLogStore } from '../port.ts';
import { type Connections, statement } from './connections.ts';
import { violation } from './errors.ts';
import { patience } from './gathering.ts';
import { USER_OF_PROFILE } from './user-row.ts';

// A request that names a user is kept in full only where all that it names is one user who is there. One who is being
// deleted at this moment makes the foreign key refuse the whole statement; the next try no longer sees them.
const ADD = statement(`
  with ${patience('$2')}, new as (
    select n.* from patience, json_to_recordset($1::json) as n (
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

const TRIM = statement(`
  delete from request_log where app_id = $1 and request_uid <= (
    select request_uid from request_log where app_id = $1 order by request_uid desc limit 1 offset $2
  )
`);

const COLUMNS = `
  request_uid as "requestUid", user_id as "userId", at, method, route, path, status, code, milliseconds,
  request_id as "requestId", address, user_agent as "userAgent", credentials
`;

const LIST = statement(`
  select ${COLUMNS}, null::text as request, null::text as answer from request_log
  where app_id = $1 and ($2::uuid is null or request_uid < $2)
    and ($4::bigint is null or at >= $4) and ($5::bigint is null or at < $5)
    and ($6::integer is null or status >= $6) and ($7::integer is null or status <= $7)
    and ($8::text is null or code = $8) and ($9::text is null or method = $9)
    and ($10::text is null or starts_with(path, $10)) and ($11::uuid is null or user_id = $11)
    and ($12::text is null or request_id = $12)
  order by request_uid desc limit $3
`);

const FIND = statement(`select ${COLUMNS}, request, answer from request_log where app_id = $1 and request_uid = $2`);

const COUNT = statement('select count(*) as n from request_log where app_id = $1 and at >= $2 and at < $3');

export function requestLogStore(connections: Connections): RequestLogStore {
  return {
    async add(requests) {
      const wide = requests.map(({ full, bare, ...facts }) => ({
        ...facts,
        ...{ fullPath: full.path, fullRequest: full.request, fullAnswer: full.answer },
        ...{ barePath: bare.path, bareRequest: bare.request, bareAnswer: bare.answer },
      }));
      for (let tries = 1; ; tries++) {
        try {
          await connections.writeInTurn(ADD, [JSON.stringify(wide)], ['all of them']);
          return;
        } catch (error) {
          if (violation(error)?.kind !== 'foreign-key' || tries === 5) throw error;
        }
      }
    },
    async trim(appId, keep) {
      await connections.write(TRIM, [appId, keep]);
    },
    list: (appId, filter, { before, limit }) =>
      connections.read<LoggedRequest>(LIST, [
        ...[appId, before, limit, filter.from ?? null, filter.to ?? null],
        ...[filter.statusFrom ?? null, filter.statusTo ?? null, filter.code ?? null, filter.method ?? null],
        ...[filter.pathPrefix ?? null, filter.userId ?? null, filter.requestId ?? null],
      ]),
    async find(appId, requestUid) {
      const [row] = await connections.read<LoggedRequest>(FIND, [appId, requestUid]);
      return row;
    },
    async count(appId, { from, to }) {
      const [row] = await connections.read<{ n: number }>(COUNT, [appId, from, to]);
      return row?.n ?? 0;
    },
  };
}
